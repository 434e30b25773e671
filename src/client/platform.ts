/** What the client needs from its platform, the browser or Node: the one place where it reaches the real thing. Tests pass others. */
export interface Platform {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Calls back once, after `ms`. Returns a function that cancels. */
  after(ms: number, call: () => void): () => void;
  /** In [0, 1). */
  random(): number;
  /** A unique id. */
  unique(): string;
}

export const platform: Platform = {
  fetch: (url, init) => fetch(url, init),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  unique: () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
};

/** Resolves after `ms`, or at once when the signal aborts. */
export function pause({ after }: Platform, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = after(ms, done);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}

/** Exponential backoff with jitter, so that clients of the same daemon do not reconnect at once. */
export const backoff = ({ random }: Platform, attempt: number): number =>
  Math.min(10_000, 100 * 2 ** attempt) * (0.5 + random() / 2);
