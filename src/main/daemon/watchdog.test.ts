import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWatchdog } from "./watchdog.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "agiraph-watchdog-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Holds the loop until so many stalls are in the log. A hold counts for nothing where the watchdog's thread is starved, so it is repeated. */
async function hold(lines: string[], count: number): Promise<void> {
  const stalls = () => lines.filter((line) => line.startsWith("the event loop was blocked")).length;
  for (let time = 0; stalls() < count && time < 5; time++) {
    const until = performance.now() + 1_500;
    while (performance.now() < until);
    await vi.waitFor(() => expect(stalls()).toBeGreaterThanOrEqual(count), 2_000).catch(() => undefined);
  }
  // On a busy machine the loop may have stood once more, by itself.
  expect(stalls()).toBeGreaterThanOrEqual(count);
}

function watch() {
  const lines: string[] = [];
  const paused: [agent: string, words: string][] = [];
  const watchdog = createWatchdog({
    home: folder(),
    log: { line: (text) => lines.push(text), hide: () => undefined },
    pause: async (agent, words) => void paused.push([agent, words]),
    limits: { lookMs: 50, stallMs: 400 },
  });
  onTestFinished(() => watchdog.close());
  return { watchdog, lines, paused };
}

/** Time for the thread to begin, and to see that the loop turns. */
const rest = (ms = 800) => new Promise((resolve) => setTimeout(resolve, ms));

test("what was under way when the loop stood is in the log, and an agent that did it twice is paused", async () => {
  const { watchdog, lines, paused } = watch();
  const others = watchdog.working({ agent: "b2", what: "bash", bytes: 10 });
  for (let time = 1; time <= 2; time++) {
    const over = watchdog.working({ agent: "a1", what: "memory_write", bytes: 20_000 });
    await rest();
    await hold(lines, time);
    over();
  }
  others();
  expect(lines[0]).toMatch(
    /^the event loop was blocked for \d+ ms; in progress: agent a1: memory_write \(20,000 bytes\); agent b2: bash \(10 bytes\)$/,
  );
  await expect.poll(() => paused.length).toBeGreaterThan(0);
  expect(paused[0]).toEqual([
    "a1",
    expect.stringMatching(/^it blocked the daemon 2 times, most recently for \d+ ms: agent a1/),
  ]);
});

test("a request that holds the loop is named, and nobody is paused for it", async () => {
  const { watchdog, lines, paused } = watch();
  for (let time = 1; time <= 2; time++) {
    const over = watchdog.working({ what: "POST /agents/a1/send", bytes: 100 });
    await rest();
    await hold(lines, time);
    over();
  }
  expect(lines[1]).toContain("POST /agents/a1/send (100 bytes)");
  expect(paused).toEqual([]);
});

test("thousands that are under way at once cost next to nothing, and the newest are named", async () => {
  const { watchdog, lines } = watch();
  const before = process.threadCpuUsage();
  const overs = Array.from({ length: 5_000 }, (_, n) => watchdog.working({ what: `POST /session ${n}`, bytes: n }));
  for (const over of overs.splice(100, 4_800)) over();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000, "ms").toBeLessThan(400);
  for (const over of overs.splice(100)) over();
  await rest();
  await hold(lines, 1);
  expect(lines[0]).toMatch(
    /in progress: POST \/session 99 \(99 bytes\); POST \/session 98 .*; POST \/session 80 \(80 bytes\)$/,
  );
});

/** A process with a watchdog and something under way; `then` is what it does. */
function child(then: string) {
  const home = folder();
  const module = fileURLToPath(new URL("./watchdog.ts", import.meta.url));
  const program = `
    const { createWatchdog } = await import(${JSON.stringify(module)});
    const watchdog = createWatchdog({
      home: ${JSON.stringify(home)},
      log: { line: (text) => console.log(text), hide() {} },
      pause: async () => undefined,
      limits: { lookMs: 50, stallMs: 400, deadMs: 1500 },
    });
    watchdog.working({ agent: "a1", what: "bash" });
    setTimeout(() => { console.log("begun"); ${then} }, 800);`;
  const started = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void started.kill("SIGKILL"));
  let said = "";
  started.stdout!.on("data", (bytes) => {
    said += bytes;
  });
  const ended = new Promise((resolve) => started.on("exit", (code, signal) => resolve(signal ?? code)));
  return {
    started,
    ended,
    said: () => said,
    log: () => (existsSync(join(home, "daemon.log")) ? readFileSync(join(home, "daemon.log"), "utf8") : ""),
  };
}

test("a loop that is dead ends the process, and the log says of what", async () => {
  const { ended, log } = child("for (;;);");
  expect(await ended).toBe("SIGKILL");
  expect(log()).toMatch(
    /^\S+Z the event loop was blocked for \d+ s; in progress: agent a1: bash\. Exiting for a restart\n$/,
  );
});

test("a process that was stopped and goes on, as when a laptop slept, has not stalled", async () => {
  const { started, ended, said, log } = child("setTimeout(() => { console.log('alive'); process.exit(0); }, 5_000);");
  await expect.poll(said).toContain("begun");
  started.kill("SIGSTOP");
  await rest(3_000);
  started.kill("SIGCONT");
  expect(await ended).toBe(0);
  expect([said(), log()]).toEqual(["begun\nalive\n", ""]);
});

test("while nothing is under way neither thread does anything", async () => {
  const { watchdog } = watch();
  const over = watchdog.working({ what: "something" });
  await rest(300);
  over();
  await rest(2_600); // it looks a little longer
  // Other tests of this process may have left something to do: one quiet second is enough.
  const used = async () => {
    const before = process.cpuUsage();
    await rest(1_000);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 20 && least >= 100; round++) least = Math.min(least, await used());
  expect(least).toBeLessThan(100); // of a thousand, and most of that is the test
});
