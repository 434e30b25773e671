import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryOf, watchCrowd } from "./crowd.ts";

test("whoever is not in a sandbox of its own yet is not counted with the rest of the machine", async () => {
  const why: string[] = [];
  const stop = watchCrowd(process.pid, (text) => why.push(text), { processes: 0, bytes: 1 });
  await sleep(120);
  stop();
  expect(why).toEqual([]);
});

const status = "RssAnon:\t  100 kB\nRssFile:\t 9000 kB\nRssShmem:\t  900 kB\nVmSwap:\t    0 kB\n";
const shares = "Rss: 10000 kB\nPss_Anon: 100 kB\nPss_File: 9 kB\nPss_Shmem: 300 kB\nSwapPss: 0 kB\n";

/** A /proc in which each file says one thing after the other, and the last for ever. */
const createProc = (files: Record<string, string[]>) => async (path: string) => {
  const words = files[path] ?? [];
  return (words.length > 1 ? words.shift() : words[0]) ?? "";
};

test("what is shared counts once, and who hides it counts in full", async () => {
  const proc = createProc({ "1/status": [status], "1/smaps_rollup": [shares], "2/status": [status] });
  expect(await memoryOf(proc, ["1", "2"], 3e6), "not too much, so not read exactly").toBe(2_000 * 1024);
  expect(await memoryOf(proc, ["1", "2"], 1e5)).toBe((400 + 1_000) * 1024);
});

test("who ends while it is read does not count with what it had before", async () => {
  const ended = ["zombie", "gone"].flatMap((pid) => [
    [`${pid}/status`, [status, pid === "gone" ? "" : "State:\tZ (zombie)\n"]],
    [`${pid}/smaps_rollup`, [""]],
  ]);
  const proc = createProc({ "1/status": [status], "1/smaps_rollup": [shares], ...Object.fromEntries(ended) });
  expect(await memoryOf(proc, ["1", "zombie", "gone"], 1e5)).toBe(400 * 1024);
});
