/**
 * What an agent loses when it is imported into another home: everything that was allowed, armed or running there. A log from elsewhere can claim
 * that its human agreed to anything, so nothing of that applies until a person here says so again.
 *
 * Its folder and its approvals are removed, its triggers are disarmed, pending deliveries are dropped, running turns end as interrupted, and its
 * budget is at most that of a new agent of this home. Not here: the files of the bundle (runtime/bundle/bundle.ts).
 */
import type { BudgetLimit } from "../../schema/budget.ts";
import type { Fact } from "../../schema/event.ts";
import { needsWord } from "../human/question.ts";
import type { State } from "../state.ts";

const message = "it came from another home";

/** In this order; afterwards nothing pending runs by itself. `most` is the budget of a new agent of this home. */
export function factsOfMove(state: State, most: BudgetLimit): Fact[] {
  const facts: Fact[] = [{ type: "agent.moved", data: { inert: true } }];
  if (state.channels.size) facts.push({ type: "delivery.routed", data: { channels: {} } });
  for (const question of state.questions.values())
    if (needsWord(question) && question.status === "open")
      facts.push({ type: "question.expired", data: { question: question.id, over: message } });
  for (const one of state.participants.values())
    if (one.kind !== "human" && one.turn) {
      const reason = { code: "interrupted", message, next_mover: "nobody" };
      const lost = { usd: 0, tokens: 0 };
      facts.push({ type: "turn.failed", data: { turn: one.turn.id, participant: one.id, reason, lost } });
    }
  const before = state.accounts.get("agent")?.limit ?? {};
  const limit = smaller(before, most);
  if (JSON.stringify(limit) !== JSON.stringify(before))
    facts.push({ type: "budget.set", data: { scope: { of: "agent" }, limit } });
  return facts.map((fact) => ({ ...fact, actor: "system" }));
}

/** The smaller limit of each unit; missing means unlimited. */
export function smaller(one: BudgetLimit, other: BudgetLimit): BudgetLimit {
  const limit: BudgetLimit = { ...one };
  for (const unit of ["usd", "tokens", "turns", "seconds"] as const)
    if (other[unit] !== undefined) limit[unit] = Math.min(one[unit] ?? Number.POSITIVE_INFINITY, other[unit]);
  return limit;
}
