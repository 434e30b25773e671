/** Runs long work, or work on untrusted input, in a worker thread that can be terminated at any moment. */
import { Worker } from "node:worker_threads";
import type { Threads } from "../world.ts";

/** What the thread runs: nothing of ours but the module it is given. */
const body = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(workerData.module)
    .then(({ default: work }) => work(workerData.input))
    .then((value) => parentPort.postMessage({ value }), (error) => parentPort.postMessage({ error: String(error?.message ?? error) }));
`;

export const threads: Threads = {
  run({ module, input, signal, timeoutMs, memoryMb }) {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error("it was stopped"));
      const worker = new Worker(body, {
        eval: true,
        env: {},
        execArgv: [],
        stdout: true,
        stderr: true,
        workerData: { module: module.href, input },
        resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      });
      const timer = setTimeout(
        () => end(() => reject(new Error(`it took longer than ${timeoutMs / 1000} s`))),
        timeoutMs,
      );
      const abort = () => end(() => reject(new Error("it was stopped")));
      function end(settle: () => void): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        worker.removeAllListeners("exit"); // it exits now because it was told to
        void worker.terminate().then(settle, settle);
      }
      signal.addEventListener("abort", abort, { once: true });
      worker.once("message", ({ value, error }) =>
        end(() => (error === undefined ? resolve(value) : reject(new Error(error)))),
      );
      worker.once("error", (error) => end(() => reject(error)));
      worker.once("exit", () => end(() => reject(new Error("it ended without a result"))));
    });
  },
};
