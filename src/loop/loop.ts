/**
 * The one loop of every participant: as long as there is something to do, take a turn. It ends when there is not, and is started again by
 * the next event that gives it something: the runtime looks at the state after every change, so no wake-up can be lost.
 */
import { canRun } from "../core/team/worker.ts";
import { Problem } from "../schema/problem.ts";
import { type InTurn, knownLoss } from "./call.ts";
import type { ParticipantContext } from "./participant-context.ts";
import { turn } from "./turn.ts";

/** Never rejects for what the agent itself can cause: a closed agent simply ends its loops. */
export async function loop(seat: ParticipantContext): Promise<void> {
  try {
    for (let one = seat.me(); one && canRun(one); one = seat.me()) {
      if (!one.turn && !seat.open()) return;
      if (!one.turn && !seat.guard.isLoaded()) {
        const over = seat.world.working?.({ agent: seat.state().agent?.id, what: `what ${one.id} is shown` });
        // If the disk refuses, the turn finds out and is tried again later.
        const loaded = await seat.guard.load().then(
          () => true,
          () => false,
        );
        over?.();
        if (loaded) continue;
      }
      if ((await turn(seat)) === "later") return;
    }
  } catch (problem) {
    if (seat.closed()) return;
    if (seat.signal.aborted) return abandon(seat);
    if (problem instanceof Problem && quiet.has(problem.code)) return;
    throw problem;
  }
}

/** Stopped in the middle of a turn: the log says so, and the turn is over. */
function abandon(seat: ParticipantContext): void {
  const one = seat.me();
  if (!one?.turn) return;
  const reason = {
    code: "interrupted",
    message: String(seat.signal.reason),
    next_mover: "nobody",
  };
  seat.record({ type: "turn.fail", turn: one.turn.id, participant: one.id, reason, ...knownLoss(one as InTurn) });
}

/** The log was closed under us, or the turn was given up while we were away: nothing to add. */
const quiet = new Set(["closed", "fenced", "stale"]);
