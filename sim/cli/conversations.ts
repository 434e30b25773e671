/** An agent CLI resumes the conversation that the log knows for its driver; it begins another only if there is none, or it is lost. */
import type { Line } from "../history.ts";
import type { Bearer } from "./logged.ts";

/** One start of a program. */
export interface Start extends Bearer {
  driver: string;
  resume: string | undefined;
  /** The conversation that it was told to resume is not there any more. */
  isLost: boolean;
  /** What was durable of the log then; unknown while the process comes up. */
  durable: number | undefined;
  /** The one that it read something in. */
  conversation?: string;
}

export function checkConversations(
  lines: readonly Line[],
  starts: readonly Start[],
  violated: (invariant: string, what: string) => void,
): void {
  const opened = lines.filter(({ type }) => type === "program.opened");
  for (const [index, { run, participant, turn, driver, resume, durable }] of starts.entries()) {
    if (durable === undefined) continue;
    const last = opened.findLast(
      ({ seq, run: of, data }) => seq <= durable && of === run && data.participant === participant,
    );
    const expected = last?.data.driver === driver ? (last.data.session as string) : undefined;
    if (resume === expected) continue;
    const isKnownLost = starts
      .slice(0, index)
      .some((one) => one.run === run && one.turn === turn && one.isLost && one.resume === expected);
    if (resume !== undefined || !isKnownLost)
      violated(
        "conversation",
        `the program of ${turn} in ${run} was started with ${resume ?? "a new conversation"}, and the log has ${expected ?? "none"} for it`,
      );
  }
}
