import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Clock } from "../lib/world.ts";
import { createFaulty } from "../store/faulty.test-help.ts";
import { problemOf } from "../store/sample.test-help.ts";
import { tempFolder } from "../store/temp.test-help.ts";
import { type HomeOptions, openHome, readHolder } from "./lock.ts";

/** Waits pass at once. */
const clock: Clock = {
  now: () => 1_000,
  mono: () => 1,
  after(_, call) {
    queueMicrotask(call);
    return () => undefined;
  },
};

async function take(path: string, more: Partial<HomeOptions> = {}) {
  const home = await openHome({ path, files, clock, pid: 4711, startedAt: "2026-01-02T03:04:05.006Z", ...more });
  onTestFinished(() => home.release());
  return home;
}

/** Another process that opens the home when told "go", says how it went, and then holds it until its input ends. */
async function otherProcess(path: string) {
  const code = `
    import { createInterface } from "node:readline";
    import { clock } from ${JSON.stringify(new URL("../lib/machine/clock.ts", import.meta.url).href)};
    import { files } from ${JSON.stringify(new URL("../lib/machine/files.ts", import.meta.url).href)};
    import { openHome } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)};
    const input = createInterface({ input: process.stdin });
    input.once("line", () =>
      openHome({ path: ${JSON.stringify(path)}, files, clock, pid: process.pid, startedAt: "then" }).then(
        () => console.log("won"),
        (error) => console.log(error.code + " " + error.message),
      ),
    );
    input.once("close", () => process.exit());
    console.log("ready");
  `;
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const say = async () => String((await lines.next()).value);
  expect(await say()).toBe("ready");
  return {
    pid: child.pid,
    async go() {
      child.stdin!.write("go\n");
      return await say();
    },
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("a home", () => {
  test("is made if it is not there, for its owner only", async () => {
    const path = join(await tempFolder(), "deep", "home");
    await take(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, "holder.json"))).mode & 0o777).toBe(0o600);
  });

  test("says who holds it", async () => {
    const path = await tempFolder();
    const { nonce } = await take(path);
    expect(await readHolder(files, join(path, "holder.json"))).toEqual({
      pid: 4711,
      started_at: "2026-01-02T03:04:05.006Z",
      nonce,
    });
    expect(nonce).toMatch(/^[0-9a-f]{64}$/);
  });

  test("that is held is refused, naming the holder and since when", async () => {
    const path = await tempFolder();
    await take(path);
    const problem = await problemOf(take(path, { pid: 4712 }));
    expect(problem.code).toBe("home_locked");
    expect(problem.message).toBe(
      `${path} is in use by process 4711, running since 2026-01-02T03:04:05.006Z; stop it first, or choose another home`,
    );
    expect((await readHolder(files, join(path, "holder.json")))?.pid).toBe(4711);
  });

  test.each(["", "{", "null", "[]", '{"pid":"x"}', '{"pid":1}', "\0\0\0"])(
    "that is held is refused even if its holder is written as %j",
    async (text) => {
      const path = await tempFolder();
      await take(path);
      await writeFile(join(path, "holder.json"), text);
      const problem = await problemOf(take(path));
      expect(problem.code).toBe("home_locked");
      expect(problem.message).toContain("another process");
    },
  );

  test("can be taken again after its release; the lock file stays", async () => {
    const path = await tempFolder();
    const first = await take(path);
    await first.release();
    expect(await readdir(path)).toContain("lock");
    const second = await take(path, { pid: 4712 });
    expect(second.nonce).not.toBe(first.nonce);
  });

  test("that cannot name its holder is not held", async () => {
    const path = await tempFolder();
    const faulty = createFaulty(files);
    faulty.fail({ on: "write", code: "ENOSPC" });
    expect((await problemOf(take(path, { files: faulty }))).code).toBe("storage_failed");
    await take(path);
  });

  test("does not believe one busy answer: processes that try at once can block each other", async () => {
    const path = await tempFolder();
    let busy = 2;
    const home = await take(path, {
      files: { ...files, lock: async (at) => (busy-- > 0 ? null : await files.lock(at)) },
    });
    expect(home.path).toBe(path);
  });
});

describe("between processes", () => {
  test("of twenty that race for a home exactly one wins, and the others can name it", async () => {
    const path = await tempFolder();
    const racers = await Promise.all(Array.from({ length: 20 }, () => otherProcess(path)));
    const answers = await Promise.all(racers.map((racer) => racer.go()));
    expect(answers.filter((answer) => answer === "won").length).toBe(1);
    expect(answers.filter((answer) => answer.startsWith("home_locked")).length).toBe(19);
    const winner = racers[answers.indexOf("won")]!;
    const problem = await problemOf(take(path));
    expect(problem.message).toContain(`process ${winner.pid}, running since then`);
    expect(JSON.parse(await readFile(join(path, "holder.json"), "utf8")).pid).toBe(winner.pid);
  });

  test("a home is free at once when its holder is killed", async () => {
    const path = await tempFolder();
    const other = await otherProcess(path);
    expect(await other.go()).toBe("won");
    expect((await problemOf(take(path))).code).toBe("home_locked");
    await other.kill();
    await take(path);
    expect((await readHolder(files, join(path, "holder.json")))?.pid).toBe(4711);
  });
});
