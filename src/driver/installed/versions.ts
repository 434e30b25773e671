/**
 * Versions of programs, remembered, because printing one takes up to seconds.
 *
 * A version that is known is returned at once; if it is older than a minute it is asked again meanwhile, for the next time. Concurrent questions
 * share one process. A failure is not remembered.
 */
import type { Clock } from "../../lib/world.ts";

export type Version = { version: string; why?: undefined } | { version?: undefined; why: string };

export interface Versions {
  /** `mark` stands for the file as it is. `ask` never throws. */
  of(mark: string, ask: () => Promise<Version>): Promise<Version>;
}

const freshMs = 60_000;

export function createVersions(clock: Clock): Versions {
  const known = new Map<string, { version: string; at: number }>();
  const asked = new Map<string, Promise<Version>>();

  function askOnce(mark: string, ask: () => Promise<Version>): Promise<Version> {
    const pending = asked.get(mark);
    if (pending) return pending;
    const answer = ask().then((result) => {
      asked.delete(mark);
      if (result.version === undefined) known.delete(mark);
      else known.set(mark, { version: result.version, at: clock.mono() });
      return result;
    });
    asked.set(mark, answer);
    return answer;
  }

  return {
    async of(mark, ask) {
      const found = known.get(mark);
      if (!found) return await askOnce(mark, ask);
      if (clock.mono() - found.at > freshMs) void askOnce(mark, ask);
      return { version: found.version };
    },
  };
}
