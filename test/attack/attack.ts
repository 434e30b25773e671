/**
 * One attack of the corpus. It is a test that plays the very attack and fails if it gets anywhere, so `npm test` runs each; `npm run attack` runs them
 * with more tries and prints how many held and the longest stall.
 *
 * To add a hole, add a row to the table of the file that tries such holes.
 */
import { expect, test } from "vitest";

export type Area =
  | "sandbox"
  | "home"
  | "import"
  | "web"
  | "http"
  | "sessions"
  | "mcp"
  | "terminal"
  | "page"
  | "injection"
  | "stall";

export interface Score {
  area: Area;
  held: number;
  /** The longest time in ms in which the event loop stood. */
  stallMs: number;
}

export interface Attempt {
  /** So many tries went nowhere. */
  held(tries?: number): void;
  /** The loop stood this long; more than `most` is a break. */
  stalled(ms: number, most?: number): void;
  /** How many tries to make: few in `npm test`, many in `npm run attack`. */
  tries(few: number, many: number): number;
}

const isLong = process.env.AGIRAPH_ATTACK === "long";
/** No input within the documented sizes may stop the loop for longer. Beside other tests the machine itself stands now and then: there ten times as much. */
export const mostStallMs = isLong ? 100 : 1_000;

/** `what` begins with the number of the finding, if it was one: "B1 /proc/sys is read-only". */
export function attack(area: Area, what: string, run: (attempt: Attempt) => Promise<void> | void, ms?: number): void {
  test(
    `${area}: ${what}`,
    async ({ task }) => {
      const score: Score = { area, held: 0, stallMs: 0 };
      Object.assign(task.meta, { attack: score });
      await run({
        held(tries = 1) {
          score.held += tries;
        },
        stalled(ms, most = mostStallMs) {
          score.stallMs = Math.max(score.stallMs, ms);
          expect(ms, "ms in which the loop stood").toBeLessThanOrEqual(most);
        },
        tries: (few, many) => (isLong ? many : few),
      });
      if (score.held === 0) score.held = 1;
    },
    ms,
  );
}
