/** The stream of all agents while one of them cannot be opened: its disk fails after a restart, and recovers later. */
import { expect, onTestFinished, test } from "vitest";
import { machine } from "../../lib/machine/index.ts";
import type { Files } from "../../lib/world.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { logOf, post, type Reading, read, rest } from "./streams.test-help.ts";

interface Home {
  server: TestServer;
  /** Restarts the daemon; the folder of this agent cannot be read until it is mended. */
  restartWithout(agent: string): Promise<void>;
  /** Resolves when it is open. */
  mend(agent: string): Promise<void>;
}

/** Three agents, and a first reader who has read everything. */
async function start(): Promise<Home & { last: string }> {
  const unreadable = new Set<string>();
  const server = await startTestServer({ files: failing(machine.files, unreadable) });
  onTestFinished(() => server.close());
  for (const name of ["a1", "b1", "c1"]) await server.ask("POST /agents", { goal: "Say little", name });
  await rest(server, "a1", "b1", "c1");
  const { ids } = await all(server);
  return {
    server,
    last: ids.at(-1)!,
    async restartWithout(agent) {
      await server.restart(async () => unreadable.add(agent));
      expect(server.runtime.fault(agent)).toMatchObject({ code: "storage_failed" });
    },
    async mend(agent) {
      unreadable.delete(agent);
      for await (const _ of server.runtime.follow(agent, 0)) break;
    },
  };
}

function failing(files: Files, unreadable: ReadonlySet<string>): Files {
  const isLost = (path: string) => [...unreadable].some((agent) => path.includes(`/agents/${agent}/`));
  return {
    ...files,
    async open(path) {
      if (isLost(path)) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      return await files.open(path);
    },
  };
}

type Seen = { agent?: string; seq: number }[];

/** What a reader is sent from a cursor on, until it has the last event of each of these agents. */
async function all(
  server: TestServer,
  after = "0",
  agents = ["a1", "b1", "c1"],
): Promise<{ seen: Seen; ids: string[] }> {
  const reading = await read(server, `/events?after=${encodeURIComponent(after)}`);
  for (const agent of agents) await reading.until(has(agent, (await logOf(server, agent)).length));
  reading.close();
  return { seen: reading.events(), ids: reading.ids() };
}

/** The same as pages, up to the present. */
async function pages(server: TestServer, after: string): Promise<Seen> {
  const seen: Seen = [];
  for (let next: string | null = after; next !== null; ) {
    const { body } = await server.ask(`GET /events?limit=1000&after=${encodeURIComponent(next)}`);
    seen.push(...body.items);
    next = body.next;
  }
  return seen;
}

/** After each of what was seen now, the rest is every event that was not seen yet, once. */
async function expectRests(server: TestServer, before: Seen, { seen, ids }: { seen: Seen; ids: string[] }) {
  expect(ids.length).toBeGreaterThan(0);
  for (const [index, id] of ids.entries()) {
    const whole = [...before, ...seen.slice(0, index + 1), ...(await pages(server, id))];
    for (const agent of ["a1", "b1", "c1"])
      expect({ id, [agent]: seqs(whole, agent) }).toEqual({ id, [agent]: upTo((await logOf(server, agent)).length) });
  }
}

const has =
  (agent: string, seq: number) =>
  (reading: Reading): boolean =>
    reading.events().some((event) => event.agent === agent && event.seq === seq);

const seqs = (seen: Seen, agent: string) => seen.flatMap((event) => (event.agent === agent ? [event.seq] : []));
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** The rest, after one more event of each agent: with what was seen before it is every event once. */
async function expectAll(server: TestServer, before: Seen, after: string): Promise<void> {
  for (const agent of ["a1", "b1", "c1"]) await post(server, agent);
  await rest(server, "a1", "b1", "c1");
  const { seen } = await all(server, after);
  for (const agent of ["a1", "b1", "c1"])
    expect({ [agent]: seqs([...before, ...seen], agent) }).toEqual({
      [agent]: upTo((await logOf(server, agent)).length),
    });
}

test("a reader that begins meanwhile is given its events when it resumes after it", async () => {
  const { server, restartWithout, mend } = await start();
  await restartWithout("b1");
  const { seen, ids } = await all(server, "0", ["a1", "c1"]);
  expect(seqs(seen, "b1")).toEqual([]);
  await mend("b1");
  await expectAll(server, seen, ids.at(-1)!);
});

test("a reader that is live meanwhile is given its events when it resumes after it", async () => {
  const { server, restartWithout, mend } = await start();
  await restartWithout("b1");
  const reading = await read(server, "/events");
  await reading.until(has("c1", (await logOf(server, "c1")).length));
  await post(server, "a1");
  await rest(server, "a1");
  await reading.until(has("a1", (await logOf(server, "a1")).length));
  reading.close();
  await mend("b1");
  await expectAll(server, reading.events(), reading.ids().at(-1)!);
});

test("a reader that is live meanwhile is given its events as soon as it is open", async () => {
  const { server, restartWithout, mend } = await start();
  await restartWithout("b1");
  const reading = await read(server, "/events");
  await reading.until(has("c1", (await logOf(server, "c1")).length));
  await mend("b1");
  await rest(server, "b1");
  await reading.until(has("b1", (await logOf(server, "b1")).length));
  reading.close();
  await expectAll(server, reading.events(), reading.ids().at(-1)!);
});

test("a reader that had its events before is not given them again, after any event that it is given meanwhile", async () => {
  const { server, last, restartWithout, mend } = await start();
  const before = await pages(server, "0");
  await restartWithout("b1");
  const reading = await read(server, `/events?after=${encodeURIComponent(last)}`);
  await post(server, "a1");
  await rest(server, "a1");
  await reading.until(has("a1", (await logOf(server, "a1")).length));
  await mend("b1");
  await post(server, "b1");
  await rest(server, "b1");
  await reading.until(has("b1", (await logOf(server, "b1")).length));
  reading.close();
  await expectRests(server, before, { seen: reading.events(), ids: reading.ids() });
});

test("a reader that is in the middle of the past is given its events when it resumes once more", async () => {
  const { server, restartWithout, mend } = await start();
  const { seen, ids } = await all(server);
  expect(seen[0]!.agent).toBe("a1");
  await restartWithout("b1");
  const second = await all(server, ids[0], ["a1", "c1"]);
  await mend("b1");
  await expectRests(server, seen.slice(0, 1), second);
});
