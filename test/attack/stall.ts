import { Worker } from "node:worker_threads";

/**
 * How long the one thread of a process stands, by the processor's clock and not the wall's. A busy machine slows that clock too (caches, cores
 * that are two in one), so what seems long is measured again, and the least counts: what is wrong is wrong every time.
 */
export function cpuMs(work: () => unknown): number {
  const once = () => {
    const before = process.threadCpuUsage();
    work();
    return since(before);
  };
  let least = once();
  for (let again = 0; again < 3 && isDoubtful(least); again++) least = Math.min(least, once());
  return least;
}

/** The longest piece of this thread's time in which nobody else had a turn while the work was under way, and what it came to. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  let least = await oneTurn(work);
  for (let again = 0; again < 3 && isDoubtful(least.ms); again++) {
    const next = await oneTurn(work);
    if (next.ms < least.ms) least = next;
  }
  return least;
}

async function oneTurn<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  let [ms, over] = [0, false];
  let before = process.threadCpuUsage();
  const look = () => {
    ms = Math.max(ms, since(before));
    before = process.threadCpuUsage();
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  try {
    const value = await work();
    await new Promise((resolve) => setImmediate(resolve));
    return { ms, value };
  } finally {
    over = true;
  }
}

const isDoubtful = (ms: number): boolean => ms > 80 && ms < 500;

const since = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

/**
 * The most that another process worked between our asking it and its answer: what we waited behind. Asked every 10 ms from a thread of its own,
 * while the work is under way; counted by the clock of that process's main thread. Again if it seems long, as above.
 */
export async function longestWait(
  daemon: { port: number; pid: number },
  work: () => Promise<unknown>,
): Promise<number> {
  let least = await oneWait(daemon, work);
  for (let again = 0; again < 3 && isDoubtful(least); again++) least = Math.min(least, await oneWait(daemon, work));
  return least;
}

async function oneWait({ port, pid }: { port: number; pid: number }, work: () => Promise<unknown>): Promise<number> {
  const thread = new Worker(prober, { eval: true, workerData: { port, pid } });
  const answers: Promise<number> = new Promise((resolve, reject) => {
    thread.once("message", resolve).once("error", reject);
  });
  await work();
  thread.postMessage("enough");
  return await answers;
}

const prober = `
  const { parentPort, workerData: { port, pid } } = require("node:worker_threads");
  const { readFileSync } = require("node:fs");
  const { get, Agent } = require("node:http");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const worked = () => Number(readFileSync("/proc/" + pid + "/task/" + pid + "/schedstat", "utf8").split(" ")[0]) / 1e6;
  let [longest, over] = [0, false];
  parentPort.once("message", () => { over = true; });
  function ask() {
    const before = worked();
    const again = () => {
      longest = Math.max(longest, worked() - before);
      if (over) { parentPort.postMessage(longest); agent.destroy(); }
      else setTimeout(ask, 10);
    };
    get({ port, host: "127.0.0.1", path: "/health", agent }, (answer) => answer.resume().on("end", again)).on("error", again);
  }
  ask();
`;
