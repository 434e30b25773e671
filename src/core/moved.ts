/**
 * What an agent loses when it comes into another home: everything that was allowed, armed or under way there. A log that comes from elsewhere can
 * say that its human agreed to anything, so nothing of that holds before a person here says it anew.
 *
 * Its folder and its approvals go, its triggers are disarmed, what waited for channels is dropped, turns under way end as interrupted, and it
 * may not spend more than a new agent of this home could. Not here: files that come along (runtime/bundle/bundle.ts).
 */
import type { BudgetLimit } from "../schema/budget.ts";
import type { Fact } from "../schema/event.ts";
import type { State } from "./state.ts";

const message = "it came from another home";

/** In this order; afterwards nothing that is pending runs by itself. `most` is what a new agent of this home may spend. */
export function factsOfMove(state: State, most: BudgetLimit): Fact[] {
  const facts: Fact[] = [{ type: "agent.moved", data: { inert: true } }];
  if (state.channels.size) facts.push({ type: "delivery.routed", data: { channels: {} } });
  for (const { id, status, approves } of state.questions.values())
    if (approves && status === "open") facts.push({ type: "question.expired", data: { question: id, over: message } });
  for (const one of state.participants.values())
    if (one.kind !== "human" && one.turn) {
      const reason = { code: "interrupted", message: `${one.turn.id} was given up: ${message}`, next_mover: "nobody" };
      const lost = { usd: 0, tokens: 0 };
      facts.push({ type: "turn.failed", data: { turn: one.turn.id, participant: one.id, reason, lost } });
    }
  const before = state.accounts.get("agent")?.limit ?? {};
  const limit = smaller(before, most);
  if (JSON.stringify(limit) !== JSON.stringify(before))
    facts.push({ type: "budget.set", data: { scope: { of: "agent" }, limit } });
  return facts.map((fact) => ({ ...fact, actor: "system" }));
}

/** In each unit the smaller of the two; a missing one is no limit. */
export function smaller(one: BudgetLimit, other: BudgetLimit): BudgetLimit {
  const limit: BudgetLimit = { ...one };
  for (const unit of ["usd", "tokens", "turns", "seconds"] as const)
    if (other[unit] !== undefined) limit[unit] = Math.min(one[unit] ?? Number.POSITIVE_INFINITY, other[unit]);
  return limit;
}
