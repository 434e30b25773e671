/**
 * Idempotency: a request with an `Idempotency-Key` runs once, and repeats within a day, also after a restart, get the stored response. The
 * same key for another request is refused (`key_reused`).
 *
 * A repeat that comes while the first request is still running waits for its response. A request that was refused did nothing, so it may be
 * sent again. A response may be lost in a crash; then the request runs again, and the idempotency keys in the agents' logs keep it from
 * having a second effect.
 */
import type { Recent } from "../lib/files/recent.ts";
import { Problem } from "../schema/problem.ts";

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** What is on the disk: what the key stands for, and the answer once there is one. */
export interface KeyedRequest {
  print: string;
  answer?: StoredAnswer;
}

export interface Asking<Answer> {
  key: string;
  /** What is asked, so that two can be told apart. */
  print: string;
  act(): Promise<Answer>;
  /** What is to be kept of the answer; null if it can be found again by asking again. */
  keep(answer: Answer): StoredAnswer | null;
}

export type Once = <Answer>(asking: Asking<Answer>) => Promise<{ answer: Answer } | { kept: StoredAnswer }>;

/** How long keys are remembered: as long as the agents remember those of their commands. */
export const rememberMs = 86_400_000;

export const keysRefused = (error: unknown): never => {
  if (error instanceof Problem) throw error;
  throw new Problem("storage_failed", `the idempotency keys cannot be stored: ${String(error)}`, undefined, {
    cause: error,
  });
};

/** Larger ones are found again by asking again. */
const mostKept = 10_000;

export function createOnce(asked: () => Promise<Recent<KeyedRequest>>): Once {
  const underWay = new Map<string, { print: string; end: Promise<unknown> }>();

  return async ({ key, print, act, keep }) => {
    const known = await asked();
    for (;;) {
      const now = underWay.get(key);
      const before = known.get(key);
      if ((now ?? before ?? { print }).print !== print)
        throw new Problem("key_reused", `the idempotency key ${key} was used for another request; use a new key`);
      if (before?.answer) return { kept: before.answer };
      if (!now) break;
      await now.end;
    }
    if (!known.get(key)) known.note(key, { print });
    const acting = act();
    const end = acting.then(
      (answer) => {
        const kept = keep(answer);
        if (kept && JSON.stringify(kept).length <= mostKept) known.note(key, { print, answer: kept });
      },
      () => known.forget(key),
    );
    const mine = { print, end: end.catch(() => undefined).then(() => void underWay.delete(key)) };
    underWay.set(key, mine);
    await mine.end;
    return { answer: await acting };
  };
}
