/**
 * Messages to a participant that an agent CLI drives: each is read by the conversation that answers the turn that handles it, and is new in one
 * answered turn only.
 */
import type { Line } from "../history.ts";
import type { Start } from "./conversations.ts";
import { type Bearer, turnsIn } from "./logged.ts";

export interface Reading extends Bearer {
  /** The program that read it. */
  start: Start;
  conversation: string;
  seqs: number[];
}

export function checkReading(
  lines: readonly Line[],
  readings: readonly Reading[],
  starts: readonly Start[],
  violated: (invariant: string, what: string) => void,
): void {
  const turns = turnsIn(lines);
  const turnsOf = new Map<string, Set<string>>();
  for (const { run, participant, turn, seqs, start } of readings) {
    // One that died, or handed its work over and was ended, may have read what it did not live to confirm: that is told again, rather than lost.
    const last = starts.findLast((one) => one.run === run && one.turn === turn);
    const logged = turns.get(`${run} ${turn}`);
    if (!logged?.isAnswered || logged.isFinal || start !== last) continue;
    for (const seq of seqs) {
      const key = `${run} ${participant} ${seq}`;
      turnsOf.set(key, (turnsOf.get(key) ?? new Set()).add(turn));
    }
  }
  for (const [message, all] of turnsOf)
    if (all.size > 1) violated("I2", `${message} was new to its program in the turns ${[...all].join(", ")}`);

  const handled = new Map<string, number>();
  for (const { run, participant, turn, upto, isAnswered, endedAt } of turns.values()) {
    const who = `${run} ${participant}`;
    const before = handled.get(who) ?? 0;
    const isMine = (one: Bearer) => one.run === run && one.turn === turn;
    const conversation = starts.findLast((start) => isMine(start) && start.conversation)?.conversation;
    if (isAnswered && endedAt < Number.POSITIVE_INFINITY && conversation) {
      const known = new Set(readings.filter((one) => one.conversation === conversation).flatMap(({ seqs }) => seqs));
      for (const { seq, type, data, run: of } of lines) {
        if (type !== "message.posted" || of !== run || seq <= before || seq > upto) continue;
        if (!(data.to as string[]).includes(participant) || known.has(seq)) continue;
        violated("I2", `message ${seq} counts as handled by ${turn} of ${run}, whose program never read it`);
      }
    }
    if (endedAt < Number.POSITIVE_INFINITY && isAnswered) handled.set(who, Math.max(before, upto));
  }
}
