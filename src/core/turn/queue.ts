/**
 * A turn that waits for money that other calls have reserved. Running calls give back what they reserved minus their cost, so a participant without
 * room only because of them is queued and begins when there is room; the pause is for a budget that is used up.
 *
 * Always holds: a queued participant waits for a running call, and every such call is settled in the end, so nobody waits for ever. Whether a
 * participant is still queued is derived from the state, so no wake-up can be lost, not even by a crash.
 * Not here: how much a call is allowed (loop/features/allowance.ts), what a budget allows (budget.ts).
 */
import type { Amount } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import type { Participant, Thinker } from "../../schema/worker.ts";
import { accountFor, accountsOf } from "../agent/budget.ts";
import { requireAgent, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, iso, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { requireThinker } from "../team/names.ts";
import { canRun, update } from "../team/worker.ts";
import { isProgram } from "./driver.ts";

/** What one participant may still spend: now, and once all reservations of others are released. Without a limit: infinite. */
export interface Room {
  free: Amount;
  left: Amount;
  /** Its share of the rest, if all working participants get the same. */
  share: Amount;
}

export function roomFor(state: State, one: Thinker, now: number): Room {
  const room: Room = { free: { ...endless }, left: { ...endless }, share: { ...endless } };
  const others = [...state.participants.values()].filter(
    (other) => other.id !== one.id && !isProgram(state, other) && canRun(other),
  ).length;
  for (const key of accountsOf(one.id, one.node, iso(now))) {
    const { limit, spent, reserved } = accountFor(state, key);
    const among = /^(node|worker):/.test(key) ? 1 : 1 + others;
    for (const unit of ["usd", "tokens"] as const) {
      const most = limit[unit];
      if (most === undefined) continue;
      const left = most - spent[unit];
      room.left[unit] = Math.min(room.left[unit], left);
      room.free[unit] = Math.min(room.free[unit], left - reserved[unit]);
      room.share[unit] = Math.min(room.share[unit], left / among);
    }
  }
  return room;
}

const endless: Amount = { usd: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY };

/** The budget in which this amount does not fit only because running calls have reserved it; undefined if it fits, or never will. */
export function blockingAccount(
  state: State,
  accounts: readonly string[],
  { usd, tokens }: Amount,
): string | undefined {
  let tight: string | undefined;
  for (const key of accounts) {
    const { limit, spent, reserved } = accountFor(state, key);
    for (const [unit, wanted] of [
      ["usd", usd],
      ["tokens", tokens],
    ] as const) {
      const most = limit[unit];
      if (most === undefined || spent[unit] + reserved[unit] + wanted <= most) continue;
      if (reserved[unit] <= 0 || spent[unit] + wanted > most) return undefined;
      tight ??= key;
    }
  }
  return tight;
}

/** Whether its next turn still waits; once it does not, its need is computed again. */
export function isQueued(state: State, one: Participant): boolean {
  if (one.kind === "human" || !one.queued || one.turn) return false;
  return blockingAccount(state, accountsOf(one.id, one.node, one.queued.at), one.queued.wanted) !== undefined;
}

/** The participants whose calls have reservations in a budget. */
export function holders(state: State, account: string): Thinker[] {
  return [...state.participants.values()].filter(
    (one): one is Thinker =>
      one.kind !== "human" &&
      one.turn?.status === "calling" &&
      one.turn.reserved.usd + one.turn.reserved.tokens > 0 &&
      accountsOf(one.id, one.turn.node, one.turn.reserved_at).includes(account),
  );
}

const queueDecide: Deciders<"turn.queue"> = {
  "turn.queue": (state, { participant, reserve }, { now }) => {
    requireAgent(state, "active");
    requireRun(state);
    const one = requireThinker(state, participant);
    const account = blockingAccount(state, accountsOf(one.id, one.node, iso(now)), reserve);
    if (one.turn || !canRun(one)) throw new Problem("wrong_state", `${one.name} has no turn to start`);
    if (account === undefined) return []; // settled meanwhile
    const by = holders(state, account).map(({ id }) => id);
    const { reserved: held } = accountFor(state, account);
    const turn = `${one.id}.${one.turns + 1}`;
    return [{ type: "turn.queued", data: { turn, participant: one.id, wanted: reserve, account, held, by } }];
  },
};

const reduceQueue: Reduce = (state, event) => {
  if (event.type !== "turn.queued") return;
  const { participant, wanted, account } = event.data;
  update(state, participant, ({ queued }) => ({
    queued: { wanted, account, at: event.ts, since: queued?.since ?? event.ts },
  }));
};

export const queue = defineBehaviour({
  decide: queueDecide,
  reduce: [{ phase: "own", looksAt: ["turn.queued"], reduce: reduceQueue }],
});
