/**
 * Timeouts of one call: no byte for too long, or too long in total, ends it; so does the caller's signal, at once.
 *
 * Bytes are watched, not parts: a provider that sends keep-alives while it thinks is alive. Time is the clock's, so a simulation can advance it.
 */
import { anySignal } from "../lib/time/abort.ts";
import type { Clock } from "../lib/world.ts";

export type Fetch = typeof globalThis.fetch;

export interface Patience {
  /** Milliseconds without a byte. */
  silent: number;
  /** Milliseconds in all. */
  whole: number;
}

export interface Watch {
  /** Aborts with the caller's signal or on a timeout. */
  signal: AbortSignal;
  /** To be passed to the caller of the provider. */
  fetch: Fetch;
  /** Which timeout ended it, if one did. */
  ended(): "silent" | "whole" | undefined;
  release(): void;
}

export function watch(clock: Clock, patience: Patience, signal: AbortSignal, send: Fetch): Watch {
  const own = new AbortController();
  const both = anySignal(signal, own.signal);
  let why: "silent" | "whole" | undefined;
  const end = (reason: "silent" | "whole") => () => {
    why ??= reason;
    own.abort(new Error("it took too long"));
  };
  const cancelWhole = clock.after(patience.whole, end("whole"));
  let cancelSilent = clock.after(patience.silent, end("silent"));
  let heard = clock.mono();
  /** Setting a timer for every byte would cost more than the answer: it is re-armed when it fires early. */
  const sound = () => {
    heard = clock.mono();
  };
  const listen = () => {
    cancelSilent();
    const check = () => {
      const left = heard + patience.silent - clock.mono();
      if (left <= 0) end("silent")();
      else cancelSilent = clock.after(left, check);
    };
    cancelSilent = clock.after(patience.silent, check);
  };
  const watched: Fetch = async (input, init) => {
    sound();
    listen();
    const response = await orAbort(send(input, { ...init, signal: both.signal }), both.signal);
    sound();
    if (!response.body) return response;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          sound();
          controller.enqueue(bytes);
        },
      }),
      { signal: both.signal },
    );
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
  return {
    signal: both.signal,
    fetch: watched,
    ended: () => why,
    release() {
      cancelWhole();
      cancelSilent();
      // A consumer that stops early also closes the connection.
      own.abort(new Error("nobody listens any more"));
      both.release();
    },
  };
}

/** Reads a stream; ends at once when the signal aborts, whether the stream notices or not. */
export async function* readAll<T>(stream: ReadableStream<T>, signal: AbortSignal): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await orAbort(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Stops waiting for a promise that ignores the signal. */
async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let letGo: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    letGo = () => signal.removeEventListener("abort", abort);
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    letGo?.();
  }
}
