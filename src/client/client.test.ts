import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { canonical, type State } from "../core/state.ts";
import { startTestServer, type TestServer } from "../server/server.test-help.ts";
import { logOf, post, rest } from "../server/stream/streams.test-help.ts";
import { type Client, createClient, type Event, Problem } from "./index.ts";
import { platform } from "./platform.ts";
import { createSseParser } from "./sse.ts";
import { inProcess } from "./transport.ts";

let server: TestServer;
let client: Client;
/** Does not wait: pauses between attempts are over at once, only silence is real. */
const after = (ms: number, call: () => void) => platform.after(ms > 40_000 ? ms : ms / 50, call);
const connect = (given = {}) => createClient({ url: server.url, token: server.token, after, ...given });

beforeAll(async () => {
  server = await startTestServer();
  client = connect();
});
afterAll(() => server.close());

describe("a call", () => {
  test("is typed by its route and gives the answer", async () => {
    const made = await client.createAgent({ body: { goal: "Say little", name: "quiet" } });
    expect(made.id).toBe("quiet");
    expectTypeOf(made.cost.usd).toBeNumber();
    expect((await client.getAgent({ params: { agent: "quiet" } })).goal).toBe("Say little");
    expect((await client.call("listAgents")).items.map(({ id }) => id)).toEqual(["quiet"]);
    expect((await client.health()).status).toBe("ready");
    // @ts-expect-error an agent must be named
    await expect(client.getAgent({})).rejects.toThrow();
  });

  test("that is refused throws a Problem with its code", async () => {
    const refused = await client.getAgent({ params: { agent: "nobody" } }).catch((error) => error);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ code: "not_found", message: expect.stringContaining("quiet") });
    const stranger = connect({ token: "wrong" });
    await expect(stranger.listAgents()).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("whose answer is lost is made again and happens once", async () => {
    let lost = 0;
    const careless = connect({
      async fetch(url: string, init: RequestInit) {
        const response = await fetch(url, init);
        if (lost++ < 2) throw new TypeError("the connection was lost");
        return response;
      },
    });
    const made = await careless.createAgent({ body: { goal: "Only one of them" } });
    expect(lost).toBe(3);
    expect(made.id).toBe("only-one-of-them");
    expect(server.runtime.agents().filter((id) => id.startsWith("only"))).toEqual(["only-one-of-them"]);
  });

  test("never reaches another route than its own, whatever the path is", async () => {
    for (const path of ["../../../health", "a/../../../../health", "./a"])
      await expect(client.readWorkspace({ params: { agent: "quiet", path } })).rejects.toMatchObject({
        code: "path_escapes",
      });
  });

  test("to a daemon that is not there says so", async () => {
    await expect(connect({ url: "http://127.0.0.1:9" }).health()).rejects.toMatchObject({ code: "unreachable" });
  });
});

describe("in this process", () => {
  const open = (given = {}) => createClient({ transport: inProcess((request) => server.app.local(request)), ...given });

  test("a call needs neither socket nor token; answers, errors and keys are those of HTTP", async () => {
    const here = open();
    const asked = { body: { goal: "Only one of these", name: "local" }, key: "k1" };
    const made = await here.createAgent(asked);
    expect(await client.createAgent(asked)).toEqual(made);
    await expect(here.createAgent({ ...asked, body: { goal: "Another" } })).rejects.toMatchObject({
      code: "key_reused",
    });
    const [there, local] = await Promise.all(
      [client, here].map((one) => one.getNode({ params: { agent: "local", node: "n1" } }).catch(String)),
    );
    expect(local).toBe(there);
    await expect(here.createAgent({ body: {} })).rejects.toMatchObject({ code: "invalid", message: /goal/ });
    expect(await here.listAgents()).toEqual(await client.listAgents());
    expect(
      (await here.send({ params: { agent: "local" }, body: { message: "hello", wait: 5 }, hear: () => undefined })).id,
    ).toBe("m1");
  });

  test("events come as they happen, and end with whoever listens", async () => {
    const seen: string[] = [];
    const over = new AbortController();
    const listening = (async () => {
      for await (const { event } of open().events({ agent: "local", signal: over.signal })) {
        seen.push(event.type);
        if (event.type === "agent.paused") over.abort();
      }
    })();
    await open().pauseAgent({ params: { agent: "local" } });
    await listening;
    expect(seen[0]).toBe("agent.created");
    expect(seen.at(-1)).toBe("agent.paused");
    await expect.poll(() => server.runtime.opened("local")?.streams.followers() ?? 0).toBe(0);
  });

  test("whoever goes away while it waits is let go", async () => {
    const over = new AbortController();
    const waits = open().waitForAgent({ params: { agent: "quiet" }, query: { seconds: 60 }, signal: over.signal });
    const left = open().waitForAgent({ params: { agent: "local" }, query: { seconds: 60 }, signal: over.signal });
    expect((await waits).why).toBe("idle");
    expect((await left).why).toBe("paused");
    const slow = createClient({ transport: inProcess(() => new Promise(() => undefined)) });
    const never = slow.health({ signal: over.signal });
    over.abort();
    await expect(never).rejects.toMatchObject({ name: "AbortError" });
  });

  test("a request from a network is never taken for one of this process", async () => {
    const request = new Request("http://in-process/agents", { headers: { host: "in-process" } });
    expect((await server.app.fetch(request)).status).toBe(403);
    const stranger = new Request(`${server.url}/agents`, { headers: { host: new URL(server.url).host } });
    expect((await server.app.fetch(stranger)).status).toBe(401);
  });
});

describe("events", () => {
  test("go on over a restart of the daemon: every one, once, in order", async () => {
    await client.createAgent({ body: { goal: "Say little", name: "steady" } });
    const there: boolean[] = [];
    const follow = async (agent?: string): Promise<Event[]> => {
      const seen: Event[] = [];
      const options = { ...(agent === undefined ? {} : { agent }), connected: (is: boolean) => there.push(is) };
      for await (const { agent: whose, event } of client.events(options)) {
        if (whose === "steady") seen.push(event);
        if (event.type === "message.posted" && event.data.text.startsWith("the very last")) break;
      }
      return seen;
    };
    const following = [follow("steady"), follow()];
    for (let life = 0; life < 3; life++) {
      await post(server, "steady", 3);
      await server.restart();
    }
    await post(server, "steady", 1, "the very last");
    const [one, all] = await Promise.all(following);
    const log = await logOf(server, "steady");
    expect(one!.length).toBeGreaterThan(10);
    expect(one).toEqual(log.slice(0, one!.length));
    expect(all).toEqual(one);
    expect(there.filter((is) => is).length).toBeGreaterThan(2);
  });

  test("that cannot come are refused at once", async () => {
    const first = (options: Parameters<Client["events"]>[0]) => client.events(options).next();
    await expect(first({ agent: "nobody" })).rejects.toMatchObject({ code: "not_found" });
    await expect(first({ agent: "quiet", after: 100_000 })).rejects.toMatchObject({ code: "invalid" });
    await expect(first({ after: "1-00c0ffee" })).rejects.toMatchObject({ code: "stale" });
  });

  test("after a word to resync go on from there, and what was seen is not given again", async () => {
    const line = (seq: number) => `id: ${seq}\nevent: x.y\ndata: {"seq":${seq}}\n\n`;
    const asked: (string | null)[] = [];
    const answers = [
      `${line(1)}${line(2)}event: resync\ndata: {"after":"2"}\n\n`,
      `${line(2)}${line(3)}`,
      "id: 9\n\n",
      line(10),
    ];
    const played = connect({
      async fetch(url: string) {
        asked.push(new URL(url).searchParams.get("after"));
        return new Response(answers.shift());
      },
    });
    const seen: number[] = [];
    for await (const { event } of played.events({ agent: "quiet" })) {
      seen.push(event.seq);
      if (event.seq === 10) break;
    }
    expect(seen).toEqual([1, 2, 3, 10]);
    expect(asked).toEqual([null, "2", "3", "9"]);
  });

  test("from a connection that has fallen silent are looked for again", async () => {
    let connections = 0;
    const silent = connect({
      after: platform.after,
      async fetch(_: string, { signal }: RequestInit) {
        connections++;
        const body = new ReadableStream({
          start(controller) {
            signal!.addEventListener("abort", () => controller.error(signal!.reason));
            if (connections === 2) controller.enqueue(new TextEncoder().encode('id: 1\ndata: {"seq":1}\n\n'));
          },
        });
        return new Response(body);
      },
    });
    const { value } = await silent.events({ agent: "quiet", silenceMs: 20 }).next();
    expect(value!.event.seq).toBe(1);
    expect(connections).toBe(2);
  });
});

test("a fold has the daemon's own state, and keeps it over a restart", async () => {
  await client.createAgent({ body: { goal: "Say little", name: "folded" } });
  await post(server, "folded", 3);
  const fold = client.fold({ agent: "folded" });
  await fold.ready;
  expect(fold.state().seq).toBeGreaterThan(3);
  await server.restart();
  await post(server, "folded", 2);
  await rest(server, "folded");
  let theirs = "";
  const seq = await server.runtime.read("folded", (state: State) => {
    theirs = canonical(state);
    return state.seq;
  });
  await new Promise<void>((resolve) => {
    const look = () => fold.state().seq >= seq && resolve();
    fold.subscribe(look);
    look();
  });
  expect(canonical(fold.state())).toBe(theirs);
  fold.close();
  await fold.done;
});

test("server-sent events are read the same however their bytes are cut", () => {
  const text =
    ':\n\nid: 1\nevent: a.b\ndata: {"x":"ü€😀"}\r\n\r\nid: 2\n\ndata: one\rdata: two\r\rdata:  three\nretry: 5\n\nevent: half';
  const whole = createSseParser()(new TextEncoder().encode(text));
  expect(whole.filter(({ data }) => data !== undefined)).toEqual([
    { id: "1", event: "a.b", data: '{"x":"ü€😀"}' },
    { id: "2", event: "message", data: "one\ntwo" },
    { id: "2", event: "message", data: " three" },
  ]);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length + 8), { maxLength: 12 }), (cuts) => {
      const bytes = new TextEncoder().encode(text);
      const parse = createSseParser();
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const found = at.slice(1).flatMap((end, index) => parse(bytes.subarray(at[index], end)));
      expect(found).toEqual(whole);
    }),
  );
});
