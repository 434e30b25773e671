import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { files } from "../machine/files.ts";
import type { Files } from "../world.ts";
import { openRecent } from "./recent.ts";

let folder: string;
let now = 1_000_000;
const day = 86_400_000;
const clock = { now: () => now, mono: () => now, after: () => () => undefined };
const open = (more: { files?: Files; most?: number } = {}) =>
  openRecent<string>({ path: join(folder, "r.jsonl"), files, clock, keepMs: day, ...more });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agiraph-recent-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("what was set is there after a restart, what was forgotten is not", async () => {
  const one = await open();
  await Promise.all([one.set("a", "1"), one.set("b", "2"), one.set("a", "3")]);
  one.forget("b");
  one.note("c", "4");
  await one.close();
  const two = await open();
  expect([two.get("a"), two.get("b"), two.get("c")]).toEqual(["3", undefined, "4"]);
  await two.close();
});

test("what is older than it is kept is gone, also from the file", async () => {
  const one = await open();
  await one.set("old", "1");
  now += day - 1;
  expect(one.get("old")).toBe("1");
  now += 1;
  expect(one.get("old")).toBeUndefined();
  await one.set("new", "2");
  await one.close();
  const two = await open();
  await two.set("newer", "3");
  await two.close();
  expect(readFileSync(join(folder, "r.jsonl"), "utf8")).not.toContain("old");
});

test("a torn tail loses only what was torn, and what is set after it is whole", async () => {
  const one = await open();
  await one.set("a", "1");
  await one.close();
  writeFileSync(join(folder, "r.jsonl"), '[1000000,"b","x', { flag: "a" });
  const two = await open();
  expect(two.get("a")).toBe("1");
  await two.set("c", "2");
  await two.close();
  const three = await open();
  expect([three.get("a"), three.get("b"), three.get("c")]).toEqual(["1", undefined, "2"]);
  await three.close();
});

test("after a refused write the next one brings everything", async () => {
  let full = false;
  const failing: Files = {
    ...files,
    async open(path) {
      const file = await files.open(path);
      return {
        ...file,
        async append(bytes) {
          await file.append(full ? bytes.subarray(0, 5) : bytes);
          if (full) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
        },
      };
    },
  };
  const one = await open({ files: failing });
  await one.set("a", "1");
  full = true;
  const both = await Promise.allSettled([one.set("b", "2"), one.set("d", "4")]);
  expect(both[0]!.status).toBe("rejected");
  if (both[1]!.status === "fulfilled") expect(readFileSync(join(folder, "r.jsonl"), "utf8")).toContain('"d","4"');
  full = false;
  await one.set("c", "3");
  await one.close();
  const two = await open();
  expect([two.get("a"), two.get("b"), two.get("c")]).toEqual(["1", "2", "3"]);
  await two.close();
});

test("it holds no more than it may, and the file does not grow without end", async () => {
  const one = await open({ most: 10 });
  for (let n = 0; n < 3_000; n++) one.note(`k${n}`, "v");
  await one.set("last", "v");
  for (let n = 0; n < 30; n++) await one.set("last", String(n));
  expect(one.get("k0")).toBeUndefined();
  expect(one.get("last")).toBe("29");
  await one.close();
  expect(readFileSync(join(folder, "r.jsonl"), "utf8").split("\n").length).toBeLessThan(1_100);
});
