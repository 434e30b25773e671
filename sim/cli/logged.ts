/** Whose program it is, and what the raw log says of the turns that programs drive. */
import type { Line } from "../history.ts";

/** Which program it is: from the tag of its process. */
export interface Bearer {
  agent: string;
  run: string;
  participant: string;
  turn: string;
}

/** By turn: what the log says of turns that programs drive. */
export interface LoggedTurn {
  run: string;
  participant: string;
  turn: string;
  node: string | undefined;
  /** Where its messages begin and end. */
  from: number;
  upto: number;
  isAnswered: boolean;
  isFinal: boolean;
  endedAt: number;
}

/** All turns of the log, by run and turn. */
export function turnsIn(lines: readonly Line[]): Map<string, LoggedTurn> {
  const turns = new Map<string, LoggedTurn>();
  for (const { seq, type, data, run = "" } of lines) {
    const turn = data.turn as string;
    const known = turns.get(`${run} ${turn}`);
    if (type === "turn.started")
      turns.set(`${run} ${turn}`, {
        run,
        turn,
        participant: data.participant as string,
        node: data.node as string | undefined,
        from: seq,
        upto: data.upto as number,
        isAnswered: false,
        isFinal: false,
        endedAt: Number.POSITIVE_INFINITY,
      });
    if (!known) continue;
    if (type === "program.told" || type === "tool.ended")
      known.upto = Math.max(known.upto, (data.upto as number | undefined) ?? 0);
    if (type === "tool.ended" && data.final) known.isFinal = true;
    if (type === "turn.answered") known.isAnswered = true;
    if (type === "turn.ended" || type === "turn.failed") known.endedAt = seq;
  }
  return turns;
}
