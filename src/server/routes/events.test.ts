import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { machine } from "../../lib/machine/index.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { logOf, post, read, rest } from "../stream/streams.test-help.ts";

describe("the events of an agent", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await server.ask("POST /agents", { goal: "Say little", name: "quiet" });
    await post(server, "quiet", 20);
    await rest(server, "quiet");
  });
  afterAll(() => server.close());

  test("come as pages, each event once", async () => {
    const log = await logOf(server, "quiet");
    const found: unknown[] = [];
    let after: string | null = "0";
    while (after !== null) {
      const { body }: { body: { items: unknown[]; next: string | null } } = await server.ask(
        `GET /agents/quiet/events?limit=7&after=${after}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(7);
      found.push(...body.items);
      after = body.next;
    }
    expect(found).toEqual(log);
  });

  test("come as a stream: from any seq exactly the rest, then what follows, also after a restart", async () => {
    let rounds = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(2),
        fc.boolean(),
        async (part, more, header) => {
          if (++rounds % 8 === 0) await server.restart();
          const log = await logOf(server, "quiet");
          const after = Math.round(part * log.length);
          const reading = header
            ? await read(server, "/agents/quiet/events", { "last-event-id": String(after) })
            : await read(server, `/agents/quiet/events?after=${after}`);
          await post(server, "quiet", more);
          await rest(server, "quiet");
          const now = await logOf(server, "quiet");
          const expected = now.slice(after);
          await reading.until(({ sent }) => sent.filter(({ data }) => data).length >= expected.length);
          reading.close();
          expect(reading.events()).toEqual(expected);
          expect(reading.ids()).toEqual(expected.map(({ seq }) => String(seq)));
          expect(reading.sent.find(({ data }) => data)?.event).toBe(expected[0]?.type);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("reach two readers in step, while they happen", async () => {
    const [first, second] = [
      await read(server, "/agents/quiet/events?after=now"),
      await read(server, "/agents/quiet/events?after=now"),
    ];
    const before = (await logOf(server, "quiet")).length;
    await post(server, "quiet", 5);
    await rest(server, "quiet");
    const expected = (await logOf(server, "quiet")).slice(before);
    for (const reading of [first, second]) {
      await reading.until(({ sent }) => sent.filter(({ data }) => data).length >= expected.length);
      expect(reading.events()).toEqual(expected);
      reading.close();
    }
  });

  test("can be asked for by type", async () => {
    const log = await logOf(server, "quiet");
    const { body } = await server.ask("GET /agents/quiet/events?types=message.*,agent.created&limit=1000");
    const wanted = log.filter(({ type }) => type.startsWith("message.") || type === "agent.created");
    expect(wanted.length).toBeGreaterThan(20);
    expect(body.items).toEqual(wanted);
    const reading = await read(server, "/agents/quiet/events?types=message.*,agent.created");
    await reading.until(({ sent }) => sent.filter(({ data }) => data).length >= wanted.length);
    expect(reading.events()).toEqual(wanted);
    reading.close();
    const old = await server.ask("GET /agents/quiet/events?types=message.sent&limit=1000");
    expect(old.body.items).toEqual(log.filter(({ type }) => type === "message.posted"));
  });

  test("that are still to come, or a place that is none, are refused", async () => {
    const accept = { accept: "text/event-stream" };
    for (const headers of [{}, accept]) {
      const future = await server.ask("GET /agents/quiet/events?after=100000", undefined, headers);
      expect(future.status).toBe(400);
      expect(future.body.error).toMatchObject({
        code: "invalid",
        message: expect.stringMatching(/beyond the last event of .*, \d+/),
      });
      expect((await server.ask("GET /agents/quiet/events?after=-1", undefined, headers)).status).toBe(400);
      expect((await server.ask("GET /agents/quiet/events?types=%20", undefined, headers)).status).toBe(400);
      expect((await server.ask("GET /agents/nobody/events", undefined, headers)).status).toBe(404);
      expect((await server.ask("GET /events?after=12", undefined, headers)).status).toBe(400);
      expect((await server.ask("GET /events?after=1-00c0ffee~quiet.3", undefined, headers)).body.error).toMatchObject({
        code: "stale",
        message: expect.stringContaining("another home"),
      });
    }
  });
});

test("a disk that fails and comes back leaves those who read along with exactly what the log has", async () => {
  let fail = false;
  const open: typeof machine.files.open = async (path) => {
    const file = await machine.files.open(path);
    const refuse = () => {
      if (fail && path.endsWith(".jsonl")) throw Object.assign(new Error("the disk says no"), { code: "EIO" });
    };
    const sync = () => file.sync().then(refuse);
    return { ...file, sync };
  };
  const server = await startTestServer({ files: { ...machine.files, open } });
  await server.ask("POST /agents", { goal: "Say little", name: "quiet" });
  await rest(server, "quiet");
  const readings = [await read(server, "/agents/quiet/events"), await read(server, "/events")];
  for (const reading of readings) await reading.until(({ sent }) => sent.length > 3);
  fail = true;
  await expect(post(server, "quiet", 1, "lost")).rejects.toMatchObject({ code: "storage_failed" });
  fail = false;
  while (server.runtime.fault("quiet")) await new Promise((resolve) => setTimeout(resolve, 20));
  await post(server, "quiet", 1, "after");
  await rest(server, "quiet");
  const log = await logOf(server, "quiet");
  expect(JSON.stringify(log)).toContain("after 1");
  for (const reading of readings) {
    await reading.until(({ sent }) => sent.filter(({ data }) => data).length >= log.length);
    expect(reading.events().map(({ seq }) => seq)).toEqual(log.map(({ seq }) => seq));
  }
  await server.close();
});

test("a stream gives a sign of life when nothing happens, and its place when nothing that happened was asked for", async () => {
  const server = await startTestServer({ heartbeatMs: 20 });
  await server.ask("POST /agents", { goal: "Say little", name: "quiet" });
  await rest(server, "quiet");
  const reading = await read(server, "/agents/quiet/events?types=node.*&after=now");
  await reading.until(({ raw }) => raw().split(":\n\n").length > 3);
  await post(server, "quiet");
  await rest(server, "quiet");
  const last = (await logOf(server, "quiet")).length;
  await reading.until(({ sent }) => sent.at(-1)?.id === String(last));
  expect(reading.events()).toEqual([]);
  reading.close();
  await server.close();
});

test("words of answers come as deltas, without an id, and only to those who want them", async () => {
  const script = "goal: talk\nparticipants:\n  coordinator:\n    - say: Good morning to all of you.\n";
  const server = await startTestServer({ script });
  await server.ask("POST /agents", { goal: "Say little", name: "quiet", start: false });
  const [all, some] = [await read(server, "/events"), await read(server, "/agents/quiet/events?types=*&after=0")];
  await server.runtime.send("quiet", { type: "run.start" }, { actor: "human" });
  await all.until(({ sent }) => sent.some(({ event }) => event === "turn.ended"));
  const words = all.sent.filter(({ event }) => event === "delta").map(({ data }) => JSON.parse(data!));
  expect(words.map(({ text }) => text).join("")).toBe("Good morning to all of you.");
  expect(words[0]).toMatchObject({ agent: "quiet", participant: "coordinator", kind: "text" });
  expect(all.raw()).toMatch(/\n\nevent: delta\ndata: /);
  await some.until(({ sent }) => sent.some(({ event }) => event === "turn.ended"));
  expect(some.sent.filter(({ event }) => event === "delta")).toEqual([]);
  await server.close();
});
