/**
 * Embeddings without a network and without a key: the Universal Sentence Encoder (lite, English, 512 dimensions) that comes as a package.
 *
 * Computing blocks a thread for tens of milliseconds, so it has a worker thread, started with the first text and ended when idle for a while. If
 * the thread dies, its running jobs are rejected and the next call starts another. It has no secrets and no files.
 */
import { Worker } from "node:worker_threads";
import type { Embedder } from "../embedder.ts";

export interface OfflineEmbedder extends Embedder {
  /** Rejects running jobs and ends the thread. */
  close(): Promise<void>;
}

export interface OfflineOptions {
  /** Milliseconds without work after which the thread ends. */
  idleMs?: number;
  /** The thread's program, for tests of what happens when it fails. */
  program?: URL;
}

interface Job {
  texts: readonly string[];
  urgent: boolean;
  resolve(vectors: Float32Array[]): void;
  reject(error: Error): void;
}

/** Longer texts are truncated: time grows with the length, and meaning hardly does. */
const longest = 1000;
/** Per batch, so that an urgent text never waits long behind the others. */
const batch = 4;
const patienceMs = 30_000;

export function createOfflineEmbedder({
  idleMs = 60_000,
  program = ownProgram(),
}: OfflineOptions = {}): OfflineEmbedder {
  const jobs: Job[] = [];
  let thread: Worker | undefined;
  let current: Job | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function next(): void {
    clearTimeout(timer);
    if (current) return;
    const at = Math.max(
      0,
      jobs.findIndex((job) => job.urgent),
    );
    [current] = jobs.splice(at, 1);
    if (!current) {
      timer = setTimeout(() => void end(), idleMs).unref();
      return;
    }
    timer = setTimeout(() => fail(new Error(`no vectors after ${patienceMs} ms`)), patienceMs).unref();
    thread ??= start();
    thread.postMessage(current.texts);
  }

  function start(): Worker {
    // No environment and no output: it only computes.
    const started = new Worker(program, { env: {}, stdout: true, stderr: true });
    started.unref();
    started.on("message", (vectors: Float32Array[]) => {
      const job = current;
      current = undefined;
      job?.resolve(vectors);
      next();
    });
    started.on("error", (error) => thread === started && fail(error as Error));
    started.on("exit", (code) => thread === started && fail(new Error(`the thread ended with ${code}`)));
    return started;
  }

  function fail(error: Error): void {
    const job = current;
    current = undefined;
    void end();
    job?.reject(new Error(`the offline embedding model failed: ${error.message}`, { cause: error }));
    next();
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  }

  function ask(texts: readonly string[], signal: AbortSignal, urgent: boolean): Promise<Float32Array[]> {
    return new Promise<Float32Array[]>((resolve, reject) => {
      signal.throwIfAborted();
      if (closed) throw new Error("the offline embedding model is closed");
      const leave = () => {
        // What the thread has already begun it finishes; the result is dropped.
        if (job !== current) jobs.splice(jobs.indexOf(job), 1);
        reject(signal.reason);
      };
      const job: Job = {
        texts: texts.map((text) => text.slice(0, longest)),
        urgent,
        resolve(vectors) {
          signal.removeEventListener("abort", leave);
          resolve(vectors);
        },
        reject(error) {
          signal.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      jobs.push(job);
      next();
    });
  }

  return {
    id: "use-lite-en-512",
    async embed(texts, signal, urgent = false) {
      const parts: Promise<Float32Array[]>[] = [];
      for (let at = 0; at < texts.length; at += batch) parts.push(ask(texts.slice(at, at + batch), signal, urgent));
      return (await Promise.all(parts)).flat();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      for (const job of jobs.splice(0)) job.reject(new Error("the offline embedding model is closed"));
      current?.reject(new Error("the offline embedding model is closed"));
      current = undefined;
      await end();
    },
  };
}

/** Beside this file: its source here, the built one in the published program (tsdown.config.ts). */
const ownProgram = (): URL =>
  new URL(`./offline-model.${import.meta.url.endsWith(".ts") ? "ts" : "mjs"}`, import.meta.url);
