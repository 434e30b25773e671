/**
 * The processes that do the work. One that is silent for longer than its test may take, or that dies (out of memory, process.exit), is
 * replaced, and the mutant it had counts as killed: an endless loop is noticed by everyone.
 */
import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Form } from "./instrument.ts";
import type { Order, Word } from "./worker.ts";

export type Answer = Exclude<Word, { say: "ready" | "test" }> | { say: "died"; id: string; why: string };

export interface Worker {
  /** True until it has been given a mutant. */
  fresh: boolean;
  ask(order: Order): Promise<Answer>;
  end(): Promise<void>;
}

/** Of processor time, beyond what the test itself may take: the worker ends most late tests itself. */
const grace = 1_000;
const loading = 60_000;

/** A mutant that is on from the start of a process. */
export interface Lone {
  file: string;
  /** The number of the file's first mutant, and its own. */
  first: number;
  mutant: number;
}

export function startWorker(form: Form, lone?: Lone): Worker {
  const path = fileURLToPath(new URL("./worker.ts", import.meta.url));
  const args = [form, ...(lone ? [lone.file, String(lone.first), String(lone.mutant)] : [])];
  const child: ChildProcess = fork(path, args, {
    execArgv: ["--max-old-space-size=1500", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let said = "";
  child.stderr!.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));

  return {
    fresh: true,
    ask(order) {
      return new Promise((resolve) => {
        let test = "loading";
        let timer: NodeJS.Timeout;
        const watch = (ms: number) => {
          clearInterval(timer);
          const late = watchOver(child.pid!, ms);
          timer = setInterval(() => late() && done({ say: "died", id: test, why: "no end" }), 500);
        };
        const hear = (word: Word) => {
          if (word.say === "ready") return;
          if (word.say !== "test") return done(word);
          test = word.id;
          watch(word.limit + grace);
        };
        const died = () => done({ say: "died", id: test, why: lastWords(said) });
        function done(answer: Answer): void {
          clearInterval(timer);
          child.off("message", hear);
          child.off("exit", died);
          if (answer.say === "died") child.kill("SIGKILL");
          resolve(answer);
        }
        watch(order.do === "cover" ? 1_800_000 : loading);
        child.on("message", hear);
        child.on("exit", died);
        if (child.exitCode !== null || child.signalCode !== null) died();
        else child.send(order);
      });
    },
    async end() {
      if (child.connected) child.send({ do: "end" } satisfies Order);
      const timer = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** Says when a process has worked for so long, or idled; on a busy machine that is much later than by the clock. */
function watchOver(pid: number, ms: number): () => boolean {
  const began = performance.now();
  const used = cpuOf(pid);
  return () => {
    const wall = performance.now() - began;
    const cpu = used === undefined ? wall : (cpuOf(pid) ?? 0) - used;
    return cpu > ms || (wall > 2 * ms && cpu < wall / 100) || wall > 100 * ms;
  };
}

/** Milliseconds; undefined where the system does not tell. */
function cpuOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}

const lastWords = (text: string): string =>
  text
    .trim()
    .split("\n")
    .find((line) => /Error/.test(line))
    ?.slice(0, 200) ?? "the process ended";
