import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { seal } from "./checksum.ts";
import { createFilesStore } from "./file-store.ts";
import type { Store } from "./store.ts";
import { tempFolder } from "./temp.test-help.ts";

let store: Store | undefined;
afterEach(() => store?.close());

const plan = (seq: number, plan: string): Event => ({
  seq,
  id: `ann/${seq}`,
  ts: "2026-01-01T00:00:00.000Z",
  type: "run.planned",
  actor: "coordinator",
  data: { run: "r1", plan },
});

async function open(home: string, fence: number) {
  await store?.close();
  store = createFilesStore({ home, files });
  return await store.open("ann", { fence, ...(fence === 1 ? { create: true } : {}) });
}

const all = async (log: { read(after: number): AsyncIterable<Event[]> }) => (await Array.fromAsync(log.read(0))).flat();

test("the data of a large event lies in a blob, the line stays short, and readers get it whole", async () => {
  const home = await tempFolder();
  const large = plan(2, `"\n${"ä".repeat(300_000)}`);
  const log = await open(home, 1);
  await Promise.all([log.append([plan(1, "a")]), log.append([large]), log.append([plan(3, "c")])]);
  const text = await readFile(join(home, "agents/ann/events.jsonl"), "utf8");
  expect(text.split("\n").map((line) => line.length < 300)).toEqual([true, true, true, true]);
  expect(await readdir(join(home, "agents/ann/blobs"))).toHaveLength(1);
  expect(await all(await open(home, 1 + 1))).toEqual([plan(1, "a"), large, plan(3, "c")]);
});

test("an event just below the limit stays in its line", async () => {
  const home = await tempFolder();
  const log = await open(home, 1);
  await log.append([plan(1, "x".repeat(256 * 1024 - 10))]);
  expect(await files.list(join(home, "agents/ann/blobs"))).toEqual([]);
});

test("a large event whose blob is gone is named, not skipped", async () => {
  const home = await tempFolder();
  const log = await open(home, 1);
  await log.append([plan(1, "x".repeat(300_000))]);
  await rm(join(home, "agents/ann/blobs"), { recursive: true });
  const problem = await all(await open(home, 2)).catch((error) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem.code).toBe("log_corrupt");
  expect(problem.message).toMatch(/event 1 needs the blob [0-9a-f]{64}, which is gone/);
});

test("a large event of an older shape is read as one of the newest, once it is got from its blob", async () => {
  const home = await tempFolder();
  const hash = "a".repeat(64);
  const words = "ä".repeat(300_000);
  const text = `${words}\n[attached: a.csv (text/csv, 3 bytes); the whole is resource ${hash}, also readable as _resources/a.csv]`;
  const data = { message: "m1", from: "human", to: ["coordinator"], text, priority: "normal" as const };
  const said: Event = { ...plan(1, ""), type: "message.posted", data };
  await (await open(home, 1)).append([said]);
  const path = join(home, "agents/ann/events.jsonl");
  expect(await all(await open(home, 2))).toEqual([said]);
  const { sum: _sum, v, ...rest } = JSON.parse(await readFile(path, "utf8"));
  expect(v).toBe(2);
  await store?.close();
  await writeFile(path, `${seal(JSON.stringify(rest))}\n`); // as version 1 wrote it
  const attachments = [{ id: hash, title: "a.csv", type: "text/csv", size: 3 }];
  expect(await all(await open(home, 3))).toEqual([{ ...said, data: { ...data, text: words, attachments } }]);
});
