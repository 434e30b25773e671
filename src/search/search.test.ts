import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Event } from "../schema/event.ts";
import { sumOf } from "../store/log-line.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import { created, posted, problemOf, trickyTexts } from "../store/sample.test-help.ts";
import type { Log } from "../store/store.ts";
import { tempFolder } from "../store/temp.test-help.ts";
import { catchUp, type FoundMessage, type FoundNode, type Index, openIndex } from "./search.ts";

// Thousands of cases: a busy machine needs its time.

async function open(path?: string): Promise<Index> {
  const index = await (path ? openIndex({ path, files }) : openIndex({ path: ":memory:" }));
  let isOpen = true;
  const close = () => {
    if (isOpen) index.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...index, close };
}

/** A history with some of everything the index knows, and some it does not. */
function history(count: number): Event[] {
  const base = { ts: "2026-01-02T03:04:05.006Z", run: "r1", actor: "coordinator" };
  const reason = { code: "human", message: "no", next_mover: "human" };
  return Array.from({ length: count }, (_, i): Event => {
    const seq = i + 1;
    const node = `n${1 + Math.floor(i / 12)}`;
    const envelope = { ...base, seq, id: `e${seq}` };
    switch (i % 12) {
      case 1:
        return {
          ...envelope,
          type: "node.created",
          data: {
            node,
            task: `Task of ${node}`,
            name: node,
            depends_on: [],
            refs: {},
            max_turns: 20,
            timeout_seconds: 600,
          },
        };
      case 3:
        return { ...envelope, type: "node.assigned", data: { node, worker: "alice" } };
      case 5:
        return { ...envelope, type: "node.started", data: { node, worker: i % 24 === 5 ? "alice" : "bob" } };
      case 8:
        return { ...envelope, type: "node.failed", data: { node, reason } };
      case 10:
        return { ...envelope, type: "agent.resumed", data: {} };
      default:
        return seq === 1 ? created() : { ...posted(seq, `Hello ${seq % 7 === 0 ? "seven" : "other"} ${seq}`), ...base };
    }
  });
}

function foldMessages(agent: string, list: Event[]): FoundMessage[] {
  return list.flatMap((event) => {
    if (event.type !== "message.posted") return [];
    const { message: id, from, to, text } = event.data;
    return [{ agent, run: event.run ?? null, id, seq: event.seq, from, to, text, ts: event.ts }];
  });
}

function foldNodes(agent: string, list: Event[]): FoundNode[] {
  const nodes = new Map<string, FoundNode>();
  const move = (id: string, change: Partial<FoundNode>) => nodes.set(id, { ...nodes.get(id)!, ...change });
  for (const event of list) {
    const { type, data } = event;
    if (type === "node.created") {
      nodes.set(data.node, { agent, run: "r1", id: data.node, status: "pending", task: data.task, worker: null });
    }
    if (type === "node.assigned") move(data.node, { status: "assigned", worker: data.worker });
    if (type === "node.started") move(data.node, { status: "running", worker: data.worker });
    if (type === "node.failed") move(data.node, { status: "failed" });
  }
  return [...nodes.values()];
}

async function logOf(agent: string, list: Event[]): Promise<Log> {
  const log = await createMemoryStore().open(agent, { fence: 1, create: true });
  await log.append(list);
  return log;
}

const bySeq = (found: FoundMessage[]) => found.toSorted((a, b) => a.seq - b.seq);

function expectFold(index: Index, agent: string, list: Event[]): void {
  expect(bySeq(index.messages("hello", { agent, limit: 1e6 }))).toEqual(foldMessages(agent, list));
  expect(index.nodes({ agent })).toEqual(foldNodes(agent, list));
  const last = list.at(-1);
  expect(index.position(agent)).toEqual(last ? { seq: last.seq, sum: sumOf(last) } : null);
}

describe("the index", () => {
  test("is the fold of the log", async () => {
    const index = await open();
    await catchUp(index, "ann", await logOf("ann", history(200)));
    expectFold(index, "ann", history(200));
  });

  test("is the same however the events came in", async () => {
    const list = history(120);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 10 }), async (sizes) => {
        const index = await openIndex({ path: ":memory:" });
        let at = 0;
        for (const size of [...sizes, list.length]) {
          const part = list.slice(at, at + size);
          if (part.length > 0) index.apply("ann", part, sumOf(part.at(-1)!));
          at += part.length;
        }
        expectFold(index, "ann", list);
        index.close();
      }),
      { numRuns: 30 },
    );
  });

  test("takes in nothing twice and leaves no gap", async () => {
    const index = await open();
    const list = history(50);
    index.apply("ann", list.slice(0, 30), sumOf(list[29]!));
    index.apply("ann", list.slice(0, 30), sumOf(list[29]!));
    index.apply("ann", list.slice(20, 40), sumOf(list[39]!));
    expectFold(index, "ann", list.slice(0, 40));
    await expect(async () => index.apply("ann", list.slice(45), "00000000")).rejects.toMatchObject({
      code: "conflict",
    });
    expectFold(index, "ann", list.slice(0, 40));
  });

  test("keeps agents apart, and forgets one without touching the others", async () => {
    const index = await open();
    await catchUp(index, "ann", await logOf("ann", history(60)));
    await catchUp(index, "ben", await logOf("ben", history(90)));
    expectFold(index, "ann", history(60));
    expect(index.messages("hello", { limit: 1e6 }).length).toBe(
      foldMessages("ann", history(60)).length + foldMessages("ben", history(90)).length,
    );
    index.drop("ann");
    expectFold(index, "ann", []);
    expectFold(index, "ben", history(90));
  });

  test("finds nodes by their state", async () => {
    const index = await open();
    await catchUp(index, "ann", await logOf("ann", history(100)));
    for (const status of ["pending", "assigned", "running", "failed", "completed"]) {
      expect(index.nodes({ agent: "ann", status })).toEqual(
        foldNodes("ann", history(100)).filter((n) => n.status === status),
      );
    }
  });
});

describe("searching", () => {
  async function withTexts(...texts: string[]) {
    const index = await open();
    const list = texts.map((text, i) => posted(i + 1, text));
    index.apply("ann", list, sumOf(list.at(-1)!));
    return (query: string, limit = 100) => index.messages(query, { limit }).map(({ text }) => text);
  }

  test("finds what has all the words, in any order and case, without accents, the last one unfinished", async () => {
    const search = await withTexts("The quick Fox", "a quick dog", "Crème brûlée, quickly");
    expect(search("fox quick")).toEqual(["The quick Fox"]);
    expect(search("QUICK").length).toBe(3);
    expect(search("creme brul")).toEqual(["Crème brûlée, quickly"]);
    expect(search("cat")).toEqual([]);
  });

  test("gives no more than asked for, the best first", async () => {
    const search = await withTexts("one apple among many many other words here", "apple apple apple", "no fruit");
    expect(search("apple")).toEqual(["apple apple apple", "one apple among many many other words here"]);
    expect(search("apple", 1)).toEqual(["apple apple apple"]);
    expect(search("apple", 0)).toEqual([]);
    expect(search("apple", -5)).toEqual([]);
  });

  test.each([
    '"',
    "'",
    "AND",
    "NOT x",
    "a OR",
    "*",
    "^x",
    "text:x",
    "(",
    "NEAR(a b)",
    "-",
    "a-b",
    "{a}",
    "",
    "  ",
    "\0",
    "\ud800",
    "日本",
    "; DROP TABLE messages",
  ])("takes %j as text, never as syntax", async (query) => {
    const search = await withTexts("some text", "x and or not near a b");
    expect(Array.isArray(search(query))).toBe(true);
  });

  test("never throws, whatever is asked for", async () => {
    const search = await withTexts("some text");
    fc.assert(fc.property(fc.string({ unit: "binary" }), (query) => Array.isArray(search(query))));
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "*", "(", ")", " ", "a", "OR", "-", ":", "^", "+", "{", "}") }),
        (query) => Array.isArray(search(query)),
      ),
    );
  });

  test("gives back the text as it was, lone surrogates aside", async () => {
    for (const text of Object.values(trickyTexts)) {
      const search = await withTexts(`findme ${text}`);
      expect(search("findme")[0] === `findme ${text.toWellFormed()}`).toBe(true);
    }
  });
});

describe("an index file", () => {
  const list = history(300);

  async function withFile() {
    const path = join(await tempFolder(), "index.sqlite");
    const index = await open(path);
    const log = await logOf("ann", list);
    await catchUp(index, "ann", log);
    index.close();
    return { path, log };
  }

  async function expectRebuilt(path: string, log: Log, known: number) {
    const index = await open(path);
    expect(index.position("ann")?.seq ?? 0).toBe(known);
    await catchUp(index, "ann", log);
    expectFold(index, "ann", list);
    index.close();
  }

  test("is found again as it was", async () => {
    const { path, log } = await withFile();
    await expectRebuilt(path, log, 300);
  });

  test("that was deleted is made anew", async () => {
    const { path, log } = await withFile();
    await rm(path);
    await expectRebuilt(path, log, 0);
  });

  test.each(["", "garbage", "SQLite format 3\0 but not really", "x".repeat(10_000)])(
    "that holds %j is made anew",
    async (content) => {
      const { path, log } = await withFile();
      await writeFile(path, content);
      await expectRebuilt(path, log, 0);
    },
  );

  test("that was cut is made anew", async () => {
    const { path, log } = await withFile();
    const { length } = await readFile(path);
    for (const share of [0.1, 0.5, 0.9]) {
      await truncate(path, Math.floor(length * share));
      await expectRebuilt(path, log, 0);
    }
  });

  test("with overwritten pages is made anew", async () => {
    const { path, log } = await withFile();
    const bytes = await readFile(path);
    for (const page of [1, 2, 3]) {
      const damaged = Buffer.from(bytes);
      damaged.fill(0xa5, page * 4096, (page + 1) * 4096);
      await writeFile(path, damaged);
      await expectRebuilt(path, log, 0);
    }
  });

  test("of another schema is made anew", async () => {
    const { path, log } = await withFile();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    await expectRebuilt(path, log, 0);
  });

  test("that is a stranger's database is made anew", async () => {
    const { path, log } = await withFile();
    await rm(path);
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE positions (x); PRAGMA user_version = 1");
    database.close();
    await expectRebuilt(path, log, 0);
  });

  test("with leftovers of another one's journal is not confused by them", async () => {
    const { path, log } = await withFile();
    await rm(path);
    await writeFile(`${path}-wal`, "left over");
    await expectRebuilt(path, log, 0);
  });
});

describe("catching up", () => {
  const list = history(300);

  test("goes on from where the index is, without reading what lies before", async () => {
    const index = await open();
    index.apply("ann", list.slice(0, 200), sumOf(list[199]!));
    const log = await logOf("ann", list);
    const asked: number[] = [];
    await catchUp(index, "ann", {
      seq: log.seq,
      read(after) {
        asked.push(after);
        return log.read(after);
      },
    });
    expectFold(index, "ann", list);
    expect(Math.min(...asked)).toBe(199);
  });

  test("of an index that is ahead of the log starts over", async () => {
    const index = await open();
    index.apply("ann", list, sumOf(list.at(-1)!));
    await catchUp(index, "ann", await logOf("ann", list.slice(0, 250)));
    expectFold(index, "ann", list.slice(0, 250));
  });

  test("of an index made from another log starts over, even at the same seq", async () => {
    const index = await open();
    const other = list.map((event) => ({ ...event, actor: "somebody" }));
    index.apply("ann", other, sumOf(other.at(-1)!));
    await catchUp(index, "ann", await logOf("ann", list));
    expectFold(index, "ann", list);
  });

  test("of a complete index changes nothing", async () => {
    const index = await open();
    const log = await logOf("ann", list);
    await catchUp(index, "ann", log);
    await catchUp(index, "ann", log);
    expectFold(index, "ann", list);
  });

  test("that is interrupted goes on later", async () => {
    const index = await open();
    const log = await logOf("ann", history(2_500));
    const stopping = {
      seq: log.seq,
      async *read(after: number) {
        let batches = 0;
        for await (const batch of log.read(after)) {
          if (++batches === 2) throw new Error("killed");
          yield batch;
        }
      },
    };
    await expect(catchUp(index, "ann", stopping)).rejects.toThrow("killed");
    expect(index.position("ann")?.seq).toBe(1_000);
    await catchUp(index, "ann", log);
    expectFold(index, "ann", history(2_500));
  });

  test("names the index and what to do when SQLite fails", async () => {
    const index = await open();
    index.close();
    const problem = await problemOf((async () => index.position("ann"))());
    expect(problem.code).toBe("storage_failed");
    expect(problem.message).toContain("delete it and start again to rebuild it");
  });
});
