/** The file tools and publishing on a real disk, against links, pipes, hard links and someone who swaps folders meanwhile. */
import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { type Call, type DeskOptions, newHome, removeHome, told } from "./desk.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await removeHome(home);
});
async function ran(calls: Call[], options: DeskOptions = {}) {
  const done = await told(calls, options);
  homes.push(done.home);
  return done;
}

const read = (path: string): Call => ({ tool: "read_file", input: { path } });
const write = (path: string, content: string): Call => ({ tool: "write_file", input: { path, content } });
const finish: Call = { tool: "finish", input: { summary: "s" } };

/** A folder with a secret beside the home. */
function secret(): string {
  const folder = newHome();
  homes.push(folder);
  writeFileSync(join(folder, "file"), "the secret");
  return folder;
}

test("links out of scratch are neither read, written, listed nor searched through", async () => {
  const outside = secret();
  const { results } = await ran(
    [
      write("a.md", "x"),
      { tool: "meddle" },
      read("dir/file"),
      read("file"),
      write("dir/file", "changed"),
      write("file", "changed"),
      write("dir/new", "changed"),
      { tool: "edit_file", input: { path: "file", old: "secret", new: "changed" } },
      { tool: "list_files", input: { path: "dir" } },
      { tool: "list_files" },
      { tool: "search_files", input: { query: "secret" } },
      finish,
    ],
    {
      meddle(scratch) {
        symlinkSync(outside, join(scratch, "dir"));
        symlinkSync(join(outside, "file"), join(scratch, "file"));
      },
    },
  );
  for (const { outcome, result } of results.slice(2, 9)) {
    expect(outcome).toBe("error");
    expect(result).toContain("contains a link, and links are not followed. Allowed: ");
    expect(result).not.toContain(outside);
  }
  expect(results[9]!.result).toMatch(/^a\.md {2}1 bytes\ndir {2}a link, pipe.*\nfile {2}a link, pipe/);
  expect(results[10]!.result).toBe("No line matches secret.");
  expect(results[11]).toMatchObject({
    outcome: "error",
    result: expect.stringMatching(/^scratch\/dir is a link, .*can be published/),
  });
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("the secret");
  expect(readdirSync(outside)).toEqual(["file"]);
});

test("hard links and pipes are refused at once, in words, and stop a publication", async () => {
  const outside = secret();
  const { results, run } = await ran(
    [
      write("a.md", "x"),
      { tool: "meddle" },
      read("hard"),
      write("hard", "x"),
      read("pipe"),
      write("pipe", "x"),
      finish,
    ],
    {
      meddle(scratch) {
        linkSync(join(outside, "file"), join(scratch, "hard"));
        execFileSync("mkfifo", [join(scratch, "pipe")]);
      },
    },
  );
  expect(results.slice(2).map((one) => one.outcome)).toEqual(Array(5).fill("error"));
  for (const { result } of results.slice(2, 4)) expect(result).toContain("is a hard link");
  for (const { result } of results.slice(4, 6)) expect(result).toContain("is a pipe, a socket or a device");
  expect(results[6]!.result).toContain("scratch/hard has 2 names (hard links)");
  expect(existsSync(`${run}/published`)).toBe(false);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("the secret");
});

test("a scratch that is itself a link is neither used nor published", async () => {
  const outside = secret();
  const { results } = await ran(
    [{ tool: "meddle" }, read("file"), write("new", "x"), { tool: "bash", input: { command: "ls" } }, finish],
    {
      sandbox: { bash: "off" },
      meddle(scratch) {
        mkdirSync(join(scratch, ".."), { recursive: true });
        symlinkSync(outside, scratch);
      },
    },
  );
  expect(results.slice(1).map((one) => one.outcome)).toEqual(Array(4).fill("error"));
  expect(results.map((one) => one.result).join()).not.toContain("the secret");
  expect(readdirSync(outside)).toEqual(["file"]);
});

test("names that cannot be shown stop a publication and are told; the disk's own errors name no path of this machine", async () => {
  const { results, home } = await ran([write("a", "x"), write("a/b", "x"), { tool: "meddle" }, finish], {
    meddle: (scratch) => writeFileSync(join(scratch, "new\nline"), "x"),
  });
  expect(results[1]!.result).toBe('"a/b" uses a file as a folder');
  expect(results[3]!.result).toContain('"scratch/new\\nline" contains an invisible character');
  for (const { result } of results) expect(result).not.toContain(home);
});

test("someone who swaps a folder for a link while it is published never gets a secret copied", async () => {
  const outside = secret();
  const stop = new Int32Array(new SharedArrayBuffer(8));
  let gone: Promise<unknown> | undefined;
  const copies: string[] = [];
  const again: Call[] = [{ tool: "meddle" }, finish];
  const { results, run } = await ran([write("dir/file", "mine"), ...Array<Call[]>(80).fill(again).flat()], {
    async meddle(scratch) {
      if (gone) return;
      // It comes last and cannot be published, so every attempt copies all the rest; the racer sees what is copied meanwhile.
      for (let n = 0; n < 10; n++) writeFileSync(join(scratch, `more${n}`), "more");
      execFileSync("mkfifo", [join(scratch, "zzz")]);
      const racer = new Worker(swapper, { eval: true, workerData: { folder: scratch, out: outside, stop } });
      racer.on("message", (copy) => copies.push(copy));
      gone = new Promise((resolve) => racer.once("exit", resolve));
      await new Promise((resolve) => racer.once("online", resolve));
    },
  }).finally(async () => {
    Atomics.store(stop, 0, 1);
    await gone;
  });
  expect(results.filter((one) => one.outcome === "ok")).toHaveLength(81); // the file and the meddling
  expect(Atomics.load(stop, 1)).toBeGreaterThan(50);
  expect(copies.length).toBeGreaterThan(0);
  expect(new Set(copies)).toEqual(new Set(["mine"]));
  expect(() => execFileSync("grep", ["-rl", "the secret", run], { stdio: "pipe" })).toThrow(); // it is nowhere
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("the secret");
  expect(readdirSync(outside)).toEqual(["file"]);
});

const swapper = `
const { readFileSync, renameSync, rmSync, symlinkSync } = require("node:fs");
const { parentPort, workerData: { folder, out, stop } } = require("node:worker_threads");
const attempt = (act) => { try { act(); return true; } catch { return false; } };
const look = () => attempt(() => parentPort.postMessage(readFileSync(folder + "/../publishing/dir/file", "utf8")));
const pause = () => { look(); for (const end = performance.now() + Math.random(); performance.now() < end; ); };
while (!Atomics.load(stop, 0)) {
  attempt(() => renameSync(folder + "/dir", folder + "/aside"));
  if (attempt(() => symlinkSync(out, folder + "/dir"))) Atomics.add(stop, 1, 1);
  pause();
  attempt(() => rmSync(folder + "/dir", { recursive: true, force: true }));
  attempt(() => renameSync(folder + "/aside", folder + "/dir"));
  pause();
}
`;
