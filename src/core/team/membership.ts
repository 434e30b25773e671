/**
 * The teams in which this agent takes part: what each sent it last, and how far it has handled that. The team is told once what is handled, so that
 * it knows when nobody works for it any more.
 *
 * Always holds: `handled` never passes `upto` and never goes backwards. It is handled when whoever reads it here has read it and rests, when the run
 * is over, or when the turns that the team allows for it are used up.
 * Not here: the team's side (guest.ts), how a report is sent (outbox.ts).
 */
import type { Membership } from "../../schema/membership.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import { requireRun } from "../lookup.ts";
import { agentIn } from "../message/address.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { lead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { isGuest } from "./guest.ts";

/** The oldest teams of which nothing is left to do are forgotten. */
const mostKept = 50;

const membershipDecide: Deciders<"membership.vote"> = {
  "membership.vote": (state, { type: _, ...ballot }) => {
    requireRun(state);
    if (!state.memberships.has(ballot.team)) {
      const teams = [...state.memberships.keys()].join(", ") || "none";
      throw new Problem("not_found", `you take part in no team of agent:${ballot.team}; teams: ${teams}`);
    }
    return [{ type: "membership.voted", data: ballot }];
  },
};

const reduceMemberships: Reduce = ({ memberships }, event) => {
  switch (event.type) {
    case "message.posted": {
      const { from, mail } = event.data;
      const team = agentIn(from);
      if (team === undefined || !mail?.origin || !mail.team) return;
      const before = memberships.get(team);
      const isOpen = before !== undefined && before.handled < before.upto;
      memberships.delete(team);
      const since = before?.run === mail.team.run ? before.since : event.ts;
      const turns = isOpen ? before.turns : 0;
      const place = { upto: mail.origin.seq, entry: event.seq, handled: before?.handled ?? 0 };
      memberships.set(team, { team, ...mail.team, since, turns, ...place });
      for (const old of [...memberships.values()].slice(0, -mostKept))
        if (old.handled === old.upto) memberships.delete(old.team);
      return;
    }
    case "turn.ended":
      for (const one of memberships.values())
        if (one.handled < one.upto) memberships.set(one.team, { ...one, turns: one.turns + 1 });
      return;
    case "membership.handled": {
      const one = memberships.get(event.data.team);
      if (one) memberships.set(one.team, { ...one, handled: Math.min(event.data.upto, one.upto) });
    }
  }
};

const settleReports: Settle = (state) => {
  for (const one of state.memberships.values())
    if (one.handled < one.upto && isHandled(state, one))
      return [{ type: "membership.handled", data: { team: one.team, upto: one.upto } }];
  return [];
};

function isHandled(state: State, { entry, turns, max_turns }: Membership): boolean {
  if (state.run?.status !== "open") return true;
  if (max_turns !== undefined && turns >= max_turns) return true;
  const boss = lead(state);
  const readers = boss ? [boss] : [...state.participants.values()].filter((one) => one.kind !== "human");
  return readers.every((one) => isGuest(one) || one.retired || (one.read >= entry && rests(one)));
}

/** Whoever waits for messages has nothing to do until somebody writes. */
const rests = ({ turn, next, wait, deferred }: Thinker): boolean =>
  !turn && next === "rest" && !deferred && (wait === undefined || wait.for === "mail");

export const membership = defineBehaviour({
  decide: membershipDecide,
  reduce: [
    { phase: "own", looksAt: ["message.posted", "turn.ended", "membership.handled"], reduce: reduceMemberships },
  ],
  settle: [{ phase: "answer", rule: settleReports }],
});
