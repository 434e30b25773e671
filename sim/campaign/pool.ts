/**
 * Processes that play worlds, as many as there are cores. Processes and not threads: a planted bug patches files as they are loaded, a world may
 * loop without an end or take all memory, and only a process can be ended in any state without harm to the others.
 *
 * Always holds: every world that is played has a result. One that does not end in time, or takes its process with it, is played once more, alone
 * in a new process; if it does so again that is its violation (`hang`, `died`), if not it was the machine.
 * Not here: which worlds (main.ts), and what playing is (worker.ts).
 */
import { type ChildProcess, fork } from "node:child_process";
import type { Overrides } from "./override.ts";
import type { Played } from "./worker.ts";

export interface Task {
  seed: number;
  with: Overrides;
}

export interface Pool {
  play(task: Task, options?: { patienceMs?: number }): Promise<Played>;
  /** Ends all processes; what was under way never resolves. */
  close(): void;
  /** Worlds that lost their process once and not again. */
  readonly lost: Task[];
}

interface Job {
  id: number;
  task: Task;
  patienceMs: number;
  /** Why it is played alone, for the second time. */
  suspect?: string;
  resolve(played: Played): void;
}

interface Worker {
  child: ChildProcess;
  /** Under way is the first, the others wait in its process. */
  jobs: Job[];
  watchdog: NodeJS.Timeout | undefined;
  words: string;
  /** Why it was ended. */
  ended?: string;
}

/** A second world lies ready in each process, so that none waits for us. */
const depth = 2;

export interface PoolOptions {
  jobs: number;
  args: readonly string[];
  /** How long a world may take before it counts as endless. */
  patienceMs: number;
  program?: URL;
}

const program = new URL("./worker.ts", import.meta.url);

export function createPool(options: PoolOptions): Pool {
  const waiting: Job[] = [];
  const workers = new Set<Worker>();
  const lost: Task[] = [];
  let ids = 0;
  let closed = false;

  function start(): Worker {
    const child = fork(options.program ?? program, options.args, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
    });
    const worker: Worker = { child, jobs: [], watchdog: undefined, words: "" };
    workers.add(worker);
    child.stderr!.on("data", (chunk) => {
      worker.words = (worker.words + chunk).slice(-4_000);
    });
    child.on("message", ({ id, played }: { id: number; played: Played }) => {
      const job = worker.jobs.find((each) => each.id === id);
      if (!job) return;
      worker.jobs = worker.jobs.filter((each) => each !== job);
      if (job.suspect) lost.push(job.task);
      watch(worker);
      job.resolve(played);
      hand();
    });
    child.on("error", () => undefined); // it exits, too
    child.on("close", (code, signal) =>
      gone(worker, worker.ended ?? `${signal ?? `exit code ${code}`}: ${lastWords(worker)}`),
    );
    return worker;
  }

  function gone(worker: Worker, why: string): void {
    clearTimeout(worker.watchdog);
    workers.delete(worker);
    if (closed) return;
    const [guilty, ...others] = worker.jobs;
    waiting.unshift(...others);
    if (guilty?.suspect) {
      const invariant = worker.ended ? "hang" : "died";
      guilty.resolve({
        violations: [{ invariant, what: why }],
        events: 0,
        steps: 0,
        ms: 0,
        news: { pairs: [], files: {} },
      });
    } else if (guilty) waiting.unshift({ ...guilty, suspect: why });
    hand();
  }

  /** The time of the job under way begins now. */
  function watch(worker: Worker): void {
    clearTimeout(worker.watchdog);
    const [job] = worker.jobs;
    if (!job) return;
    worker.watchdog = setTimeout(() => {
      worker.ended = `did not end within ${job.patienceMs / 1000} s`;
      worker.child.kill("SIGKILL");
    }, job.patienceMs);
  }

  function hand(): void {
    for (let round = 0; round < depth; round++) {
      while (workers.size < options.jobs && waiting.length > workers.size * depth - count()) start();
      for (const worker of workers) {
        const job = waiting[0];
        if (!job) return;
        const alone = worker.jobs.some(({ suspect }) => suspect);
        if (worker.ended || alone || worker.jobs.length > round || (job.suspect && worker.jobs.length > 0)) continue;
        waiting.shift();
        worker.jobs.push(job);
        worker.child.send({ id: job.id, ...job.task });
        if (worker.jobs.length === 1) watch(worker);
      }
    }
  }
  const count = () => [...workers].reduce((sum, { jobs }) => sum + jobs.length, 0);

  return {
    lost,
    play(task, { patienceMs = options.patienceMs } = {}) {
      const { promise, resolve } = Promise.withResolvers<Played>();
      waiting.push({ id: ++ids, task, patienceMs, resolve });
      hand();
      return promise;
    },
    close() {
      closed = true;
      for (const { child, watchdog } of workers) {
        clearTimeout(watchdog);
        child.kill("SIGKILL");
      }
    },
  };
}

/** What names the reason in what Node writes when it dies. */
function lastWords({ words }: Worker): string {
  const lines = words.split("\n").filter((line) => line.trim());
  return lines.find((line) => /^\w*(Error|Problem)\b|FATAL ERROR/.test(line)) ?? lines.at(-1) ?? "no word";
}
