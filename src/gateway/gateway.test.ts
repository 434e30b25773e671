import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { modelOf } from "../backend/models.ts";
import { providerOf, withKey } from "../backend/providers.ts";
import { machine } from "../lib/machine/index.ts";
import type { Amount } from "../schema/budget.ts";
import { Config } from "../schema/config.ts";
import { Problem } from "../schema/problem.ts";
import type { Usage } from "../schema/turn.ts";
import { createGateway } from "./gateway.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Got {
  url: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

/** A provider over real HTTP: `pieces` are written one after the other; a promise among them is waited for. */
async function provider(pieces: (string | Promise<unknown>)[], head: { status?: number; type?: string } = {}) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes) => {
      text += bytes;
    });
    request.on("end", async () => {
      got.push({ url: request.url!, headers: request.headers, body: text ? JSON.parse(text) : {} });
      response.writeHead(head.status ?? 200, { "content-type": head.type ?? "text/event-stream", "set-cookie": "a=b" });
      for (const piece of pieces) typeof piece === "string" ? response.write(piece) : await piece;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A gateway before it, with a purse. */
function gateway(url: string, purse: { usd: number } = { usd: 1_000 }) {
  const env = {
    ANTHROPIC_API_KEY: "real-key",
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: "real-key",
    OPENAI_BASE_URL: url,
    GEMINI_API_KEY: "real-key",
    GOOGLE_GEMINI_BASE_URL: url,
  };
  const config = Config.parse({});
  const ended: { cost: Amount; usage: Usage | undefined }[] = [];
  const made = createGateway({
    provider: (name) => withKey(providerOf(name, config, env)),
    model: ({ name, kind }, model) => modelOf(config, name, kind === "openai-compatible" ? undefined : kind, model),
    meter: {
      async begin(_caller, { worst }) {
        if (worst.usd > purse.usd) throw new Problem("budget_exhausted", "the budget of a1 has no room for this call");
        return { end: async (cost, usage) => void ended.push({ cost, usage }) };
      },
    },
    clock: machine.clock,
    fetch,
    patience: { silent: 10_000, whole: 10_000 },
  });
  const caller = { agent: "a1", run: "r1", participant: "ann" };
  const post = (provider: string, rest: string, body: unknown, signal?: AbortSignal) =>
    made.serve(caller, {
      provider,
      rest,
      request: new Request("http://here/", {
        method: "POST",
        headers: { "x-api-key": "agp_mine", authorization: "Bearer agp_mine" },
        ...(signal && { signal }),
      }),
      body,
    });
  return { post, ended, serve: made.serve, caller };
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const started = event({
  type: "message_start",
  message: {
    usage: { input_tokens: 10, cache_read_input_tokens: 90, cache_creation_input_tokens: 0, output_tokens: 1 },
  },
});
const stopped = event({ type: "message_delta", usage: { output_tokens: 20 } });

test("a program's call goes to the provider with our key, and what it used is counted once it has ended", async () => {
  const there = await provider([started, event({ type: "content_block_delta", delta: { text: "hello" } }), stopped]);
  const { post, ended } = gateway(there.url);
  const answer = await post("anthropic", "/v1/messages?beta=true", {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    stream: true,
    messages: [],
  });
  expect(await answer.text()).toBe(
    started + event({ type: "content_block_delta", delta: { text: "hello" } }) + stopped,
  );
  expect(answer.headers.get("set-cookie")).toBeNull();
  const [got] = there.got;
  expect(got).toMatchObject({
    url: "/v1/messages?beta=true",
    body: { max_tokens: 100 },
    headers: { "x-api-key": "real-key" },
  });
  expect(JSON.stringify(got)).not.toContain("agp_");
  expect(ended).toEqual([
    {
      cost: { usd: (10 * 3 + 90 * 0.3 + 20 * 15) / 1e6, tokens: 120 },
      usage: {
        model: "anthropic/claude-sonnet-4-5",
        input: 100,
        output: 20,
        cache_read: 90,
        cache_write: 0,
        priced: true,
      },
    },
  ]);
});

test.each([
  [
    "openai",
    "/v1/responses",
    [
      event({
        type: "response.completed",
        response: { usage: { input_tokens: 50, output_tokens: 7, input_tokens_details: { cached_tokens: 40 } } },
      }),
    ],
    { max_output_tokens: 9 },
  ],
  [
    "openai",
    "/v1/chat/completions",
    [
      event({ choices: [] }),
      event({
        choices: [],
        usage: { prompt_tokens: 50, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 40 } },
      }),
      "data: [DONE]\n\n",
    ],
    { max_completion_tokens: 9, stream_options: { include_usage: true } },
  ],
  [
    "google",
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=agp_mine",
    [
      event({ usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 1 } }),
      event({
        usageMetadata: {
          promptTokenCount: 50,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 3,
          cachedContentTokenCount: 40,
        },
      }),
    ],
    { generationConfig: { maxOutputTokens: 9 } },
  ],
] as const)("%s %s is metered by what its stream says", async (name, rest, pieces, limits) => {
  const there = await provider([...pieces]);
  const { post, ended } = gateway(there.url);
  await (await post(name, rest, { model: "gpt-5.4", stream: true, ...limits })).text();
  expect(there.got[0]!.body).toMatchObject(limits);
  expect(JSON.stringify(there.got[0])).not.toContain("agp_mine");
  expect(ended.map(({ usage }) => usage)).toMatchObject([{ input: 50, output: 7, cache_read: 40 }]);
});

test("an answer that is no stream is metered, too", async () => {
  const there = await provider([JSON.stringify({ usage: { input_tokens: 5, output_tokens: 6 } })], {
    type: "application/json",
  });
  const { post, ended } = gateway(there.url);
  expect(
    await (await post("anthropic", "/v1/messages", { model: "claude-sonnet-4-5", max_tokens: 10 })).json(),
  ).toMatchObject({ usage: {} });
  expect(ended[0]!.usage).toMatchObject({ input: 5, output: 6 });
});

test("where the budget has room for a shorter answer only, that is what is asked for; where it has none, the call is refused with 400", async () => {
  const there = await provider([started, stopped]);
  const some = gateway(there.url, { usd: 0.2 });
  await (
    await some.post("anthropic", "/v1/messages", {
      model: "claude-sonnet-4-5",
      max_tokens: 32_000,
      thinking: { type: "enabled", budget_tokens: 20_000 },
    })
  ).text();
  expect(there.got[0]!.body).toMatchObject({ max_tokens: 8_000, thinking: { budget_tokens: 7_488 } });
  const none = gateway(there.url, { usd: 0.000_001 });
  const answer = await none.post("anthropic", "/v1/messages", { model: "claude-sonnet-4-5", max_tokens: 32_000 });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message: "the budget of a1 has no room for this call" },
  });
  expect(there.got).toHaveLength(1);
  expect(none.ended).toEqual([]);
});

test("a program that hangs up is charged for what it had heard, and the provider is hung up on", async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const there = await provider([
    started,
    event({ type: "content_block_delta", delta: { text: "x".repeat(3_000) } }),
    never,
  ]);
  const { post, ended } = gateway(there.url);
  const stop = new AbortController();
  const answer = await post(
    "anthropic",
    "/v1/messages",
    { model: "claude-sonnet-4-5", max_tokens: 5_000, stream: true },
    stop.signal,
  );
  const reader = answer.body!.getReader();
  for (let heard = 0; heard < 3_000; ) heard += (await reader.read()).value?.length ?? 0;
  stop.abort();
  await expect(reader.read()).rejects.toThrow();
  await expect.poll(() => ended).toHaveLength(1);
  expect(ended[0]!.usage).toMatchObject({ input: 100 });
  expect(ended[0]!.cost.usd).toBeGreaterThan(0);

  const other = gateway(there.url);
  const left = await other.post("anthropic", "/v1/messages", {
    model: "claude-sonnet-4-5",
    max_tokens: 5_000,
    stream: true,
  });
  await left.body!.cancel();
  await expect.poll(() => other.ended).toHaveLength(1);
});

test("a refusal costs nothing and is handed back; a wrong key of ours is not the program's fault", async () => {
  const busy = await provider([JSON.stringify({ error: { message: "slow down" } })], {
    status: 429,
    type: "application/json",
  });
  const one = gateway(busy.url);
  const answer = await one.post("openai", "/v1/responses", { model: "gpt-5.4" });
  expect([answer.status, await answer.json()]).toEqual([429, { error: { message: "slow down" } }]);
  expect(one.ended).toEqual([{ cost: { usd: 0, tokens: 0 }, usage: undefined }]);

  const closed = await provider(["{}"], { status: 401, type: "application/json" });
  const other = await gateway(closed.url).post("openai", "/v1/responses", { model: "gpt-5.4" });
  expect([other.status, await other.json()]).toMatchObject([
    400,
    { error: { message: expect.stringContaining("openai refused the key of this daemon") } },
  ]);

  const away = gateway("http://127.0.0.1:9");
  const lost = await away.post("openai", "/v1/responses", { model: "gpt-5.4", max_output_tokens: 100 });
  expect([lost.status, away.ended.length]).toEqual([502, 1]);
});

test("counting tokens and listing models is free; whatever else there is at the provider is not offered", async () => {
  const there = await provider([JSON.stringify({ input_tokens: 3 })], { type: "application/json" });
  const { post, ended, serve, caller } = gateway(there.url);
  expect(await (await post("anthropic", "/v1/messages/count_tokens", { model: "m" })).json()).toEqual({
    input_tokens: 3,
  });
  const request = new Request("http://here/", { method: "GET" });
  expect((await serve(caller, { provider: "openai", rest: "/v1/models", request, body: undefined })).status).toBe(200);
  expect(ended).toEqual([]);
  for (const path of [
    "/v1/files",
    "/v1/organizations/me",
    "/v1/messages/batches",
    "/v1/models/../files",
    "/v1/models/a:generateContent/x",
  ])
    await expect(post("anthropic", path, {}), path).rejects.toMatchObject({ code: "not_found" });
  expect((await post("nobody", "/v1/messages", { model: "m" })).status).toBe(400);
  expect((await post("anthropic", "/v1/messages", {})).status).toBe(400);
});
