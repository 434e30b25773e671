/**
 * Budgets. A call is paid for before it is made: its worst-case price is reserved in every account above it, and no reservation is granted that
 * would take spent plus reserved over any limit. The actual cost replaces the reservation; a call that was lost in a crash is charged what is known
 * of it.
 *
 * Not here: prices (backend), how much a call is allowed (loop/features/allowance.ts), queueing for reserved money (queue.ts).
 */

import type { Reason } from "../../schema/agent.ts";
import type { Account, Amount, BudgetLimit, BudgetScope, BudgetWish } from "../../schema/budget.ts";
import type { CommandInput } from "../../schema/command.ts";
import { typesOf } from "../../schema/event.ts";
import type { NodeId, ParticipantId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";
import type { Turn, Usage } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { requireNode } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { isLead, nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { requireParticipant } from "../team/names.ts";

/** The last value given wins, for each unit. */
export const limitOf = (...wishes: (BudgetWish | undefined)[]): BudgetLimit =>
  Object.fromEntries(
    Object.entries(Object.assign({}, ...wishes) as BudgetWish).filter(([, most]) => typeof most === "number"),
  );

export const noAmount: Amount = { usd: 0, tokens: 0 };
const fresh: Account = { limit: {}, spent: { ...noAmount, turns: 0, seconds: 0 }, reserved: noAmount };

/** Every account that a call of this participant on this node counts against now. */
export function accountsOf(participant: ParticipantId, node: NodeId | undefined, at: string): string[] {
  return ["agent", "run", `day:${at.slice(0, 10)}`, `worker:${participant}`, ...(node ? [`node:${node}`] : [])];
}

/** Throws `budget_exhausted` and names the account if a limit of turns or time is reached: no further turn begins. */
export function assertTurnsLeft(state: State, accounts: string[]): void {
  for (const key of accounts) {
    const { limit, spent } = accountFor(state, key);
    for (const unit of ["turns", "seconds"] as const) {
      const most = limit[unit];
      if (most !== undefined && spent[unit] >= most)
        throw new Problem(
          "budget_exhausted",
          `the budget of ${key} allows ${most} ${unit}, and ${Math.round(spent[unit])} are used`,
          { account: key, unit, limit: most, spent: spent[unit] },
        );
    }
  }
}

/** Why the amount does not fit under every limit above it: `budget_exhausted`, with the account. Undefined if it fits. */
export function overdraftProblem(state: State, accounts: string[], amount: Amount): Problem | undefined {
  for (const key of accounts) {
    const { limit, spent, reserved } = accountFor(state, key);
    for (const unit of ["usd", "tokens"] as const) {
      const most = limit[unit];
      const wanted = spent[unit] + reserved[unit] + amount[unit];
      if (most !== undefined && wanted > most) {
        return new Problem(
          "budget_exhausted",
          `the budget of ${key} allows ${most} ${unit}; ${spent[unit]} are spent, ${reserved[unit]} reserved, and this call may need ${amount[unit]}`,
          { account: key, unit, limit: most, spent: spent[unit], reserved: reserved[unit], wanted: amount[unit] },
        );
      }
    }
  }
  return undefined;
}

export function assertAffordable(state: State, accounts: string[], amount: Amount): void {
  const problem = overdraftProblem(state, accounts, amount);
  if (problem) throw problem;
}

/** Whether the scope that `assertAffordable` refused concerns only this worker or its node. */
export const isOwnBudget = ({ details }: Problem): boolean => /^(node|worker):/.test(String(details?.account));

/** The limit that a `budget_exhausted` names, as the reason of what follows from it. */
function reachedLimit({ details = {} }: Problem): Pick<Reason, "limit"> {
  const { account, unit } = details as Partial<NonNullable<Reason["limit"]>>;
  return account === undefined || unit === undefined ? {} : { limit: { account, unit } };
}

/** Why a turn ends that a budget does not allow to continue. */
export function budgetReason(state: State, one: Thinker, problem: Problem): Reason {
  const { message } = problem;
  const limit = reachedLimit(problem);
  return isLead(one) || !isOwnBudget(problem)
    ? { code: "budget", message, next_mover: "human", ...limit }
    : { code: "limit.budget", message, next_mover: nextMover(state), ...limit };
}

/** What an unaffordable call leads to: with a worker's own budget its node ends, or it is retired; with any other everyone stops. */
export function overdraftCommand(state: State, one: Thinker, problem: Problem): CommandInput {
  const reason = budgetReason(state, one, problem);
  if (reason.code === "budget") return { type: "agent.pause", reason };
  return one.node
    ? { type: "node.fail", node: one.node, reason }
    : { type: "worker.retire", worker: one.id, reason: reason.message };
}

const budgetDecide: Deciders<"budget.set"> = {
  "budget.set": (state, { scope, limit }) => {
    if (scope.of === "node") requireNode(state, scope.node);
    if (scope.of === "worker") scope = { of: "worker", worker: requireParticipant(state, scope.worker).id };
    return [{ type: "budget.set", data: { scope, limit } }];
  },
};

/** A day's limit is kept under `day` and applies to each day. */
const reduceBudget: Reduce = (state, event) => {
  switch (event.type) {
    case "agent.created": {
      const { budget: limit } = event.data;
      return limit && change(state, "agent", (account) => ({ ...account, limit }));
    }
    case "budget.set":
      return change(state, keyOf(event.data.scope), (account) => ({ ...account, limit: event.data.limit }));
    case "turn.started": {
      const { participant, node, reserved } = event.data;
      for (const key of accountsOf(participant, node, event.ts))
        change(state, key, ({ limit, spent: { usd, tokens, turns, seconds }, reserved: before }) => ({
          limit,
          spent: { usd, tokens, turns: turns + 1, seconds },
          reserved: plus(before, reserved),
        }));
      return;
    }
    case "turn.answered":
      return event.data.usage && countUsage(state, event.data.usage, event.data.cost.usd);
    case "turn.ended":
    case "turn.failed": {
      // Before the turn is taken out of the state, which the next reducer does.
      const one = state.participants.get(event.data.participant);
      if (!one || one.kind === "human" || one.turn?.id !== event.data.turn) return;
      const { node, reserved_at } = one.turn;
      const seconds = Math.max(0, Date.parse(event.ts) - Date.parse(reserved_at)) / 1000;
      for (const key of seconds ? accountsOf(one.id, node, reserved_at) : [])
        change(state, key, ({ limit, spent: { usd, tokens, turns, seconds: before }, reserved }) => ({
          limit,
          spent: { usd, tokens, turns, seconds: Math.round((before + seconds) * 1000) / 1000 },
          reserved,
        }));
      return;
    }
    case "run.started":
      for (const key of state.accounts.keys())
        if (key === "run" || /^(node|worker):/.test(key)) state.accounts.delete(key);
      if (event.data.budget) change(state, "run", (account) => ({ ...account, limit: event.data.budget! }));
  }
};

export function countUsage(state: State, { model, priced, ...tokens }: Usage, usd: number): void {
  const before = state.usage.get(model);
  const sum = (unit: keyof typeof tokens) => (before?.[unit] ?? 0) + tokens[unit];
  state.usage.set(model, {
    calls: (before?.calls ?? 0) + 1,
    unpriced: (before?.unpriced ?? 0) + (priced ? 0 : 1),
    input: sum("input"),
    output: sum("output"),
    cache_read: sum("cache_read"),
    cache_write: sum("cache_write"),
    usd: exact((before?.usd ?? 0) + usd),
  });
}

/** Moves an amount: `spent` is added to what is spent, `reserved` to what is reserved (negative to release it). */
export function charge(
  state: State,
  participant: ParticipantId,
  node: NodeId | undefined,
  at: string,
  spent: Amount,
  reserved: Amount,
): void {
  for (const key of accountsOf(participant, node, at)) {
    change(state, key, ({ limit, spent: before, reserved: promised }) => ({
      limit,
      spent: {
        usd: exact(before.usd + exact(spent.usd)),
        tokens: before.tokens + spent.tokens,
        turns: before.turns,
        seconds: before.seconds,
      },
      reserved: plus(promised, reserved),
    }));
  }
}

/** Releases the reservation of a call and books the actual cost. */
export const settleCall = (state: State, participant: ParticipantId, turn: Turn, cost: Amount): void =>
  charge(state, participant, turn.node, turn.reserved_at, cost, negate(turn.reserved));

/** A lost call is never charged more than was reserved for it, so it cannot exceed a budget. */
export const capAmount = (lost: Amount, { usd, tokens }: Amount): Amount => ({
  usd: Math.min(lost.usd, usd),
  tokens: Math.min(lost.tokens, tokens),
});

export const negate = (amount: Amount): Amount => ({ usd: -amount.usd, tokens: -amount.tokens });
const plus = (a: Amount, b: Amount): Amount => ({ usd: exact(a.usd + exact(b.usd)), tokens: a.tokens + b.tokens });
/** Adding and subtracting the same money, in any order, must give zero: amounts are whole millionths of a cent. */
const exact = (usd: number): number => (Math.sign(usd) * Math.round(Math.abs(usd) * 1e8)) / 1e8;

const keyOf = (scope: BudgetScope): string =>
  scope.of === "node" ? `node:${scope.node}` : scope.of === "worker" ? `worker:${scope.worker}` : scope.of;

export function accountFor(state: State, key: string): Account {
  const account = state.accounts.get(key) ?? fresh;
  const daily = key.startsWith("day:") ? state.accounts.get("day")?.limit : undefined;
  return daily ? { ...account, limit: daily } : account;
}

function change(state: State, key: string, next: (account: Account) => Account): void {
  state.accounts.set(key, next(state.accounts.get(key) ?? fresh));
}

export const budget = defineBehaviour({
  decide: budgetDecide,
  reduce: [
    {
      phase: "before",
      looksAt: ["agent.created", "run.started", "budget.set", ...typesOf("turn")],
      reduce: reduceBudget,
    },
  ],
});
