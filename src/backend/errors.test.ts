import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { Part } from "./backend.ts";
import { backendsAt, createHandClock, heard, models, request, secret, serve } from "./server.test-help.ts";
import { anthropicStream, chatStream, openaiStream } from "./streams.test-help.ts";

const server = await serve();
const backends = backendsAt(server.url);

const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const openai = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, param: null, code },
});
const google = (code: number, message: string, status: string, details: unknown[] = []) => ({
  error: { code, message, status, details },
});

const tooLong = "prompt is too long: 1234567 tokens > 1000000 maximum";
const quota = "You exceeded your current quota, please check your plan and billing details.";

test.each([
  [models.anthropic, 400, anthropic("invalid_request_error", "tools.0: bad schema"), {}, "permanent", undefined],
  [models.anthropic, 400, anthropic("invalid_request_error", tooLong), {}, "overflow", undefined],
  [
    models.anthropic,
    400,
    anthropic("invalid_request_error", "Your credit balance is too low"),
    {},
    "provider",
    undefined,
  ],
  [models.anthropic, 401, anthropic("authentication_error", "invalid x-api-key"), {}, "provider", undefined],
  [models.anthropic, 403, anthropic("permission_error", "not allowed"), {}, "provider", undefined],
  [models.anthropic, 404, anthropic("not_found_error", "model: claude-nine"), {}, "permanent", undefined],
  [
    models.anthropic,
    413,
    anthropic("request_too_large", "Request exceeds the maximum size"),
    {},
    "overflow",
    undefined,
  ],
  [models.anthropic, 429, anthropic("rate_limit_error", "slow down"), { "retry-after": "7" }, "transient", 7_000],
  [models.anthropic, 429, anthropic("rate_limit_error", "slow down"), { "retry-after-ms": "250" }, "transient", 250],
  [models.anthropic, 429, anthropic("rate_limit_error", "slow down"), { "retry-after": "7200" }, "provider", 7_200_000],
  [models.anthropic, 429, anthropic("rate_limit_error", "slow down"), {}, "transient", undefined],
  [models.anthropic, 500, anthropic("api_error", "Internal server error"), {}, "transient", undefined],
  [models.anthropic, 529, anthropic("overloaded_error", "Overloaded"), {}, "transient", undefined],
  [models.openai, 400, openai("too much", "context_length_exceeded"), {}, "overflow", undefined],
  [models.openai, 402, openai("Payment required"), {}, "provider", undefined],
  [models.openai, 404, openai("The model `gpt-99` does not exist", "model_not_found"), {}, "permanent", undefined],
  [models.openai, 408, openai("timeout"), {}, "transient", undefined],
  [models.openai, 409, openai("conflict"), {}, "transient", undefined],
  [models.openai, 422, openai("unprocessable"), {}, "permanent", undefined],
  [models.openai, 429, openai(quota, "insufficient_quota", "insufficient_quota"), {}, "provider", undefined],
  [models.openai, 429, openai("Rate limit reached", "rate_limit_exceeded", "tokens"), {}, "transient", undefined],
  [
    models.openai,
    429,
    openai("Request too large for gpt-6 on tokens per min: Limit 30000, Requested 45000"),
    {},
    "overflow",
    undefined,
  ],
  [models.openai, 502, "<html><body>Bad gateway</body></html>", {}, "transient", undefined],
  [models.openai, 503, openai("overloaded"), {}, "transient", undefined],
  [
    models.google,
    400,
    google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
    {},
    "provider",
    undefined,
  ],
  [
    models.google,
    400,
    google(
      400,
      "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
      "INVALID_ARGUMENT",
    ),
    {},
    "overflow",
    undefined,
  ],
  [
    models.google,
    429,
    google(429, "Resource has been exhausted", "RESOURCE_EXHAUSTED", [{ retryDelay: "34s" }]),
    {},
    "transient",
    34_000,
  ],
  [
    models.google,
    429,
    google(429, "Quota", "RESOURCE_EXHAUSTED", [{ quotaId: "GenerateRequestsPerDayPerProject" }]),
    {},
    "provider",
    undefined,
  ],
  [models.google, 503, google(503, "The model is overloaded", "UNAVAILABLE"), {}, "transient", undefined],
  [
    models.compatible,
    400,
    { message: "This model's maximum context length is 4096 tokens.", code: 400 },
    {},
    "overflow",
    undefined,
  ],
  [
    models.compatible,
    500,
    { error: { code: 500, message: "request exceeds the available context size" } },
    {},
    "overflow",
    undefined,
  ],
  [models.compatible, 501, "not implemented", {}, "permanent", undefined],
])("%s that answers %i with %j and %j is %s", async (model, status, body, headers, kind, retryAfterMs) => {
  server.fail(status, body, headers as Record<string, string>);
  const before = server.asked.length;
  await expect(heard(backends.backend(model))).rejects.toMatchObject({
    name: "BackendError",
    kind,
    retryAfterMs,
    message: expect.stringMatching(new RegExp(`^${model} at ${server.url}/.*answered ${status}: `)),
    endpoint: {
      host: new URL(server.url).host,
      setting: expect.stringMatching(/BASE_URL|base_url/),
      why: expect.stringMatching(new RegExp(`^answered ${status}: .`)),
    },
  });
  expect(server.asked.length - before).toBe(1);
});

test("a date to come back at is counted from now", async () => {
  const { clock } = createHandClock();
  server.fail(429, {}, { "retry-after": new Date(clock.now() + 90_000).toUTCString() });
  const caught = await heard(backendsAt(server.url, { clock }).backend(models.anthropic)).catch((error) => error);
  expect(caught.retryAfterMs).toBeGreaterThan(88_000);
  expect(caught.retryAfterMs).toBeLessThanOrEqual(90_000);
});

test("a message names who was asked, where, and what chose that, in few words and without any key", async () => {
  server.fail(
    401,
    anthropic("authentication_error", `invalid key ${secret} or sk-other-abcdefghijklmnop\n${"x ".repeat(999)}`),
  );
  const { message, endpoint } = await heard(backends.backend(models.anthropic)).catch((error) => error);
  expect(message).toMatch(
    new RegExp(
      `^${models.anthropic} at ${server.url}/v1 \\(ANTHROPIC_BASE_URL\\) answered 401: invalid key \\[key\\] or \\[key\\] x`,
    ),
  );
  expect(message).not.toContain("secret");
  expect(endpoint.why).not.toContain("secret");
  expect(message.length).toBeLessThan(600);
  const named = (base_url: string) => backendsAt(server.url, { config: { providers: { lab: { base_url } } } });
  const other = await heard(named(`${server.url}/v1?token=t`).backend(models.compatible)).catch((error) => error);
  expect(other.message).toContain(`lab/local at ${server.url}/v1 (providers.lab.base_url)`);
  expect(other.message).not.toContain("token");
  expect(() => named("http://me:pass@127.0.0.1/v1").resolve(models.compatible)).toThrow(
    "the address of lab contains a user or password; put the key into the environment and name its variable in providers.lab.api_key_env",
  );
});

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const begun = anthropicStream().split("event: message_delta")[0]!;

test.each([
  ["at once", models.anthropic, event("error", anthropic("overloaded_error", "Overloaded")), "transient"],
  ["in the middle", models.anthropic, begun + event("error", anthropic("overloaded_error", "Overloaded")), "transient"],
  ["in the middle", models.anthropic, begun + event("error", anthropic("invalid_request_error", tooLong)), "overflow"],
  [
    "in the middle",
    models.openai,
    openaiStream().split("event: response.completed")[0] +
      event("error", { type: "error", code: "server_error", message: "oops", param: null, sequence_number: 9 }),
    "transient",
  ],
  [
    "at the end",
    models.openai,
    openaiStream().split("event: response.completed")[0] +
      event("response.failed", {
        type: "response.failed",
        sequence_number: 9,
        response: { error: { code: "rate_limit_exceeded", message: "slow" }, incomplete_details: null },
      }),
    "transient",
  ],
  [
    "in the middle",
    models.compatible,
    `${chatStream().split('data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"local","choices":[{"index":0,"delta":{},')[0]}data: ${JSON.stringify({ error: { code: 502, message: "upstream died" } })}\n\n`,
    "transient",
  ],
  [
    "in the middle",
    models.compatible,
    `data: ${JSON.stringify({ error: { code: 402, message: "no credits" } })}\n\n`,
    "provider",
  ],
])("an error that comes in the stream %s, of %s, is one", async (_when, model, stream, kind) => {
  server.stream(stream);
  const parts: Part[] = [];
  const asked = async () => {
    for await (const part of backends.backend(model).call(request(), new AbortController().signal)) parts.push(part);
  };
  await expect(asked()).rejects.toMatchObject({ name: "BackendError", kind });
  expect(parts.every(({ type }) => type === "text" || type === "thought")).toBe(true);
});

test("a server that is not there, and a name that nobody knows, may be there later", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  const gone = backendsAt(`http://127.0.0.1:${port}`).backend(models.compatible);
  await expect(heard(gone)).rejects.toMatchObject({
    kind: "transient",
    mayCost: false,
    message: expect.stringContaining("refused"),
    endpoint: { host: `127.0.0.1:${port}`, why: expect.stringContaining("the connection was refused") },
  });
  const unknown = backendsAt("http://no-such-host.invalid").backend(models.compatible);
  await expect(heard(unknown)).rejects.toMatchObject({
    kind: "transient",
    mayCost: false,
    message: expect.stringContaining("DNS"),
  });
});

test("a call that is aborted ends at once, before and in the middle of the answer", async () => {
  const controller = new AbortController();
  server.answer((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(begun);
  });
  const parts: Part[] = [];
  const asked = async () => {
    for await (const part of backends.backend(models.anthropic).call(request(), controller.signal)) {
      parts.push(part);
      if (part.type === "text") controller.abort(new Error("stopped by the human"));
    }
  };
  await expect(asked()).rejects.toThrow("stopped by the human");
  expect(parts.length).toBeGreaterThan(0);
  const before = server.asked.length;
  await expect(heard(backends.backend(models.anthropic), {}, controller.signal)).rejects.toThrow(
    "stopped by the human",
  );
  expect(server.asked.length).toBe(before);
  const silent = new AbortController();
  server.answer(() => silent.abort(new Error("no answer yet")));
  await expect(heard(backends.backend(models.anthropic), {}, silent.signal)).rejects.toThrow("no answer yet");
});

test.each([models.compatible, models.anthropic, models.openai])(
  "an abort of %s does not wait for a connection that does not listen to it",
  async (model) => {
    const controllers = [new AbortController(), new AbortController()];
    const enough = (which: number) => controllers[which]!.abort(new Error("enough"));
    const never = () => new Promise<never>(() => undefined);
    const deaf = [
      () => {
        queueMicrotask(() => enough(0));
        return never();
      },
      async () => {
        const body = new ReadableStream({
          start: (stream) => stream.enqueue(new TextEncoder().encode(": hello\n\n")),
          pull() {
            queueMicrotask(() => enough(1));
            return never();
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      },
    ];
    for (const [at, fetch] of deaf.entries()) {
      const asked = heard(backendsAt(server.url, { fetch }).backend(model), {}, controllers[at]!.signal);
      await expect(asked).rejects.toThrow("enough");
    }
  },
);

test("silence before the first byte ends a call, on the clock it was given, and so does silence in the middle", async () => {
  const hand = createHandClock();
  const backend = backendsAt(server.url, { clock: hand.clock }).backend(models.anthropic);
  const silence = { mayCost: true, kind: "transient", message: expect.stringContaining("no data for 60 s") };
  const arrived = new Promise<void>((resolve) => server.answer(() => resolve()));
  const asked = heard(backend);
  await arrived;
  hand.pass(59_000);
  hand.pass(2_000);
  await expect(asked).rejects.toMatchObject(silence);

  server.answer((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(begun);
  });
  const parts = backend.call(request(), new AbortController().signal)[Symbol.asyncIterator]();
  await parts.next();
  hand.pass(59_000);
  const texts: string[] = [];
  const rest = (async () => {
    for (let one = await parts.next(); !one.done; one = await parts.next())
      if (one.value.type === "text") texts.push(one.value.text);
  })();
  rest.catch(() => undefined);
  hand.pass(2_000);
  await expect(rest).rejects.toMatchObject(silence);
  expect(hand.pending()).toBe(0);
});

test("an answer that drips for ten minutes is ended, however alive it is", async () => {
  const hand = createHandClock();
  let drip: () => unknown = () => undefined;
  server.answer((_asked, response) => {
    const delta = { id: "c", choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] };
    drip = () => response.write(`data: ${JSON.stringify(delta)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    drip();
  });
  const parts = backendsAt(server.url, { clock: hand.clock })
    .backend(models.compatible)
    .call(request(), new AbortController().signal);
  let heardOf = 0;
  const asked = async () => {
    for await (const _part of parts) {
      heardOf++;
      hand.pass(50_000);
      drip();
    }
  };
  await expect(asked()).rejects.toMatchObject({
    kind: "transient",
    message: expect.stringContaining("not complete after 600 s"),
  });
  expect(heardOf).toBe(12);
});
