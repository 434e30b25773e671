import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import type { Program } from "../world.ts";
import { createProcesses, processes } from "./processes.ts";

const tag = `agiraph-test-${process.pid}/`;
let count = 0;

afterEach(async () => {
  vi.useRealTimers();
  expect(await processes.sweep(tag)).toBe(0);
});

/** A shell script to its end, with a tag of its own. */
function sh(script: string, given: Partial<Program> = {}) {
  const mine = { ...program(script), ...given };
  return { tag: mine.tag, ended: processes.run(mine) };
}

const program = (script: string): Program => ({
  command: ["sh", "-c", script],
  tag: `${tag}${++count}`,
  folder: "/",
  env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
  signal: new AbortController().signal,
  output: 10_000,
});

/** The commands of the living processes with this tag. */
function alive(tag: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (
        !/^\d+$/.test(pid) ||
        !readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`AGIRAPH_TAG=${tag}`)
      )
        return [];
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()];
    } catch {
      return []; // it ended meanwhile
    }
  });
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
}

test("a program's exit code and what it wrote come back", async () => {
  expect(await sh("echo out; echo err >&2; exit 3").ended).toEqual({ code: 3, output: "out\nerr\n" });
  expect(await sh("kill -9 $$").ended).toEqual({ code: null, output: "", signal: "SIGKILL" });
});

test("a program that is killed while the kernel kills for memory is told so, and no other is", async () => {
  let count = 7;
  const { run } = createProcesses({ kills: () => count++ });
  const ended = "the kernel killed it when memory ran out (OOM killer)";
  expect(await run(program("echo out; kill -9 $$"))).toEqual({ code: null, output: "out\n", signal: "SIGKILL", ended });
  expect(await run(program("exit 137"))).toEqual({ code: 137, output: "", ended }); // as bubblewrap and shells report it
  expect(await run(program("kill -15 $$"))).toEqual({ code: null, output: "", signal: "SIGTERM" });
  expect(await run(program("exit 1"))).toEqual({ code: 1, output: "" });
  expect(await createProcesses({ kills: () => count }).run(program("exit 137"))).toEqual({ code: 137, output: "" });
});

test("a program that does not exist is an error, and so is a folder that does not", async () => {
  await expect(sh("", { command: ["/no/such/program"] }).ended).rejects.toMatchObject({ code: "ENOENT" });
  await expect(sh("true", { folder: "/no/such/folder" }).ended).rejects.toMatchObject({ code: "ENOENT" });
});

test("a program gets its input, and may end without reading it", async () => {
  expect(await sh("tr a-z A-Z", { input: "hello" }).ended).toEqual({ code: 0, output: "HELLO" });
  expect(await sh("cat", {}).ended).toEqual({ code: 0, output: "" });
  expect(await sh("exit 0", { input: "x".repeat(5_000_000) }).ended).toMatchObject({ code: 0 });
});

test("a program sees what it is given and its tag, and nothing else of ours", async () => {
  const { tag, ended } = sh("", { command: ["/usr/bin/env"], env: { ONE: "1" } });
  expect((await ended).output.trim().split("\n").sort()).toEqual([`AGIRAPH_TAG=${tag}`, "ONE=1"]);
});

test("a program runs in its folder", async () => {
  expect((await sh("pwd", { folder: "/usr" }).ended).output).toBe("/usr\n");
});

test("of a long output the beginning and the end are kept", async () => {
  const { output } = await sh("echo begin; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end", { output: 100 })
    .ended;
  expect(output).toMatch(/^begin\nx{44}\n\[… \d+ characters left out …\]\nx{45}\nend\n$/);
  expect(output).toContain(`[… ${6 + 1_000_000 + 5 - 100} characters left out …]`);
  expect((await sh("printf 12345678", { output: 8 }).ended).output).toBe("12345678");
  expect((await sh("printf 123456789", { output: 8 }).ended).output).toBe("1234\n[… 1 characters left out …]\n6789");
});

test("a character that arrives in two pieces is one character", async () => {
  expect((await sh("printf '\\303'; sleep 0.05; printf '\\251'").ended).output).toBe("é");
});

test("aborting asks the whole group to end, and whoever does is not forced", async () => {
  const stop = new AbortController();
  const { tag, ended } = sh("trap 'echo bye; exit 7' TERM; sleep 1000 & wait", { signal: stop.signal });
  await until(() => alive(tag).length === 2);
  stop.abort();
  expect(await ended).toEqual({ code: 7, output: "bye\n" });
  expect(alive(tag)).toEqual([]);
});

test("a program that ignores the request is ended by force when its grace is over", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stop = new AbortController();
  const { tag, ended } = sh("trap '' TERM; while :; do sleep 1000; done", { signal: stop.signal });
  await until(() => alive(tag).includes("sleep 1000"));
  stop.abort();
  await vi.advanceTimersByTimeAsync(1_999);
  expect(alive(tag)).not.toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await ended).toMatchObject({ code: null });
  expect(alive(tag)).toEqual([]);
});

test("a child that left the group is ended with it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stop = new AbortController();
  const { tag, ended } = sh("setsid sleep 1000 & setsid sleep 1000 >/dev/null 2>&1 </dev/null & sleep 1000", {
    signal: stop.signal,
  });
  await until(() => alive(tag).filter((command) => command === "sleep 1000").length === 3);
  stop.abort();
  await vi.advanceTimersByTimeAsync(2_000);
  await ended;
  await until(() => alive(tag).length === 0);
});

test("a child that left the group without a trace is ended, although everyone else ended kindly", async () => {
  const stop = new AbortController();
  const { tag, ended } = sh("setsid sleep 1000 >/dev/null 2>&1 </dev/null & sleep 1000; :", { signal: stop.signal });
  await until(() => alive(tag).filter((command) => command === "sleep 1000").length === 2);
  stop.abort();
  await ended;
  await until(() => alive(tag).length === 0);
});

test("a program whose signal was aborted before it began is ended at once", async () => {
  const { tag, ended } = sh("sleep 1000", { signal: AbortSignal.abort() });
  expect(await ended).toMatchObject({ code: null });
  expect(alive(tag)).toEqual([]);
});

test("ending one program leaves another alone whose tag only begins the same", async () => {
  const stop = new AbortController();
  const one = sh("sleep 1000", { signal: stop.signal, tag: `${tag}call-1` });
  const other = sh("sleep 1000", { tag: `${tag}call-10` });
  await until(() => alive(one.tag).length > 0 && alive(other.tag).length > 0);
  stop.abort();
  await one.ended;
  expect(alive(other.tag)).not.toEqual([]);
  expect(await processes.sweep(other.tag)).toBeGreaterThan(0);
  await other.ended;
});

test("a sweep ends what carries a tag beginning so, wherever it went, and nothing else", async () => {
  const mine = sh("setsid sleep 1000 & sleep 1000; :", { tag: `${tag}mine/1` });
  const yours = sh("sleep 1000", { tag: `${tag}yours/1` });
  await until(
    () => alive(mine.tag).includes("sleep 1000") && alive(mine.tag).length === 3 && alive(yours.tag).length > 0,
  );
  expect(await processes.sweep(`${tag}mine/`)).toBe(3);
  expect(await mine.ended).toMatchObject({ code: null });
  expect(alive(mine.tag)).toEqual([]);
  expect(alive(yours.tag)).not.toEqual([]);
  expect(await processes.sweep(`${tag}yours/`)).toBeGreaterThan(0);
  await yours.ended;
});

/** All that is left of its output. */
async function rest(output: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of output) text += piece;
  return text;
}

test("a program that is talked with answers line by line, and ends when its input does", async () => {
  const running = await processes.start(
    program('while read -r line; do echo "got $line"; echo aside >&2; done; exit 4'),
  );
  const pieces = running.output[Symbol.asyncIterator]();
  running.write("one\n");
  expect(await pieces.next()).toEqual({ done: false, value: "got one\n" });
  running.write("two\n");
  expect(await pieces.next()).toEqual({ done: false, value: "got two\n" });
  running.close();
  expect(await pieces.next()).toMatchObject({ done: true });
  expect(await running.exit).toEqual({ code: 4, output: "aside\naside\n" });
  running.write("nobody hears it\n");
});

test("a program that is talked with waits while nobody reads, and its output is never held whole", async () => {
  const running = await processes.start(program("yes | head -c 30000000; echo end"));
  const before = process.memoryUsage.rss();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(process.memoryUsage.rss() - before).toBeLessThan(15e6);
  expect((await rest(running.output)).slice(-6)).toBe("y\nend\n");
  expect(await running.exit).toMatchObject({ code: 0 });
});

test("a program whose output nobody reads any more learns of it, and aborting ends all of it", async () => {
  const loud = await processes.start(program("yes"));
  for await (const piece of loud.output) if (piece) break;
  expect((await loud.exit).code).not.toBe(0); // by a signal, or by its own words

  const stop = new AbortController();
  const mine = { ...program("setsid sleep 60 & echo up; sleep 60"), signal: stop.signal, alone: true };
  const running = await processes.start(mine);
  const pieces = running.output[Symbol.asyncIterator]();
  expect(await pieces.next()).toMatchObject({ value: "up\n" });
  stop.abort();
  expect(await pieces.next()).toMatchObject({ done: true });
  await running.exit;
  expect(alive(mine.tag)).toEqual([]);
  await expect(processes.start({ ...program(""), command: ["/no/such/program"] })).rejects.toMatchObject({
    code: "ENOENT",
  });
});
