/**
 * How much one call may use. What it is allowed is reserved before the call and sent with it as its limit, so the reservation is never more
 * than the call can cost, and the call never costs more than the reservation.
 *
 * It is what such turns needed before; more where that is cheap, measured by what is left and who else works; less where less is left, as
 * long as it is useful. Whoever was cut off needs twice as much the next time (core/turn/turn.ts).
 *
 * Not here: whether there is room for it (core/agent/budget.ts), and who waits until there is (core/turn/queue.ts).
 */
import type { Backend, Request } from "../../backend/backend.ts";
import type { Room } from "../../core/turn/queue.ts";
import type { Allowance, Amount } from "../../schema/budget.ts";

/** Tokens for somebody of whom nothing is known yet, and the least that is planned for anybody: the next answer may be a file. */
const firstNeed = 8_000;
const leastNeed = 4_000;
/** An answer shorter than this is not worth its question. */
const leastUseful = 1_000;
/** Of one's share of what is left: beyond its need a call takes so much, and searches take so much. */
const spare = 1 / 4;
const forSearches = 1 / 8;
/** Few steps: a provider's cache is lost whenever the number changes. */
const searchSteps = [5, 2, 0];

export interface Need {
  /** Tokens, by the answers of this participant; nothing if it gave none. */
  own: number | undefined;
  /** Tokens of an answer of this model so far, on average. */
  usual: number | undefined;
}

/** The smallest useful one if not even that fits: the budget then says that it is used up. Nothing if the backend has no limit to set. */
export function allowance(backend: Backend, request: Request, room: Room, need: Need): Allowance | undefined {
  const most = backend.most?.(request);
  if (!most) return undefined;
  const useful = Math.min(leastUseful, most.output);
  const price = (allowed: Allowance) => backend.worst({ ...request, allowed });
  const fits = (searches: number, within: Amount) => longest(price, searches, most.output, within);
  const searches = searchesWithin(price, most.searches, times(room.share, forSearches), useful);
  const affordable = fits(searches, room.left);
  if (affordable < useful)
    return searches
      ? allowance({ ...backend, most: () => ({ ...most, searches: 0 }) }, request, room, need)
      : { output: useful, searches };
  const wanted = Math.min(most.output, affordable, needed(need));
  const ample = Math.max(wanted, Math.min(affordable, fits(searches, times(room.share, spare))));
  const now = fits(searches, room.free);
  return { output: now >= wanted ? Math.min(ample, now) : wanted, searches };
}

const needed = ({ own, usual }: Need): number =>
  own === undefined ? Math.max(leastNeed, usual === undefined ? firstNeed : 4 * usual) : Math.max(leastNeed, own);

/** The longest answer whose price is within this; 0 if not even the question is. Prices grow evenly with the answer. */
function longest(price: (allowed: Allowance) => Amount, searches: number, most: number, within: Amount): number {
  const least = price({ output: 0, searches });
  const all = price({ output: most, searches });
  let output = most;
  for (const unit of ["usd", "tokens"] as const) {
    const room = within[unit] - margin[unit];
    if (all[unit] <= room) continue;
    if (least[unit] > room) return 0;
    output = Math.min(output, Math.floor(((room - least[unit]) / (all[unit] - least[unit])) * most));
  }
  return output;
}

/** Money is kept in millionths of a cent: what is rounded must fit as well. */
const margin: Amount = { usd: 1e-7, tokens: 0 };

function searchesWithin(price: (allowed: Allowance) => Amount, most: number, within: Amount, output: number): number {
  const { usd: without } = price({ output, searches: 0 });
  const steps = searchSteps.filter((searches) => searches <= most);
  return steps.find((searches) => price({ output, searches }).usd - without <= within.usd) ?? 0;
}

const times = ({ usd, tokens }: Amount, part: number): Amount => ({ usd: usd * part, tokens: tokens * part });
