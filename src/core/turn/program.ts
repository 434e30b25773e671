/**
 * What a program that drives a participant does while its turn is calling: opens a session, reports, and calls models by itself.
 *
 * Always holds: a call through our gateway is reserved before it is made, as a turn's call is (budget.ts), and settled once. One that has not ended
 * when its turn does, or when the process dies, is charged what was reserved. Usage that a program only reports is charged when it does, so one
 * report may exceed a budget; the loop then ends its turn.
 */
import { Problem } from "../../schema/problem.ts";
import type { Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { accountsOf, assertAffordable, charge, countUsage, negate, noAmount } from "../agent/budget.ts";
import { askOnce } from "../human/approval.ts";
import { requireAgent, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { update } from "../team/worker.ts";
import { callKey } from "./call-key.ts";
import { sayDuringTurn } from "./conversation.ts";
import { isProgram } from "./driver.ts";
import { reportedCall } from "./own-call.ts";
import { inTurn, updateDuringTurn } from "./turn.ts";

type Calling = Extract<Turn, { status: "calling" }>;

function programIn(state: State, participant: string, id: string): { one: Thinker; turn: Calling } {
  requireAgent(state, "active", "paused");
  requireRun(state);
  const { one, turn } = inTurn(state, participant, id, "calling");
  if (!isProgram(state, one)) throw new Problem("wrong_state", `${one.name} is not driven by a program`);
  return { one, turn };
}

const programDecide: Deciders<
  | "program.open"
  | "program.report"
  | "program.tell"
  | "program.reserve"
  | "program.settle"
  | "program.act"
  | "program.ask"
> = {
  "program.open": (state, { type: _, ...data }) => {
    const { one, turn } = programIn(state, data.participant, data.turn);
    const { driver, id, node } = one.session ?? {};
    return driver === data.driver && id === data.session && node === turn.node
      ? []
      : [{ type: "program.opened", data }];
  },
  "program.report": (state, { type: _, ...data }) => {
    programIn(state, data.participant, data.turn);
    return [{ type: "program.reported", data }];
  },
  "program.tell": (state, { type: _, ...data }) => {
    const { turn } = programIn(state, data.participant, data.turn);
    return data.upto > turn.upto
      ? [{ type: "program.told", data: { ...data, upto: Math.min(data.upto, state.seq) } }]
      : [];
  },
  "program.reserve": (state, { turn: id, participant, model, reserve: reserved }) => {
    requireAgent(state, "active");
    const { one, turn } = programIn(state, participant, id);
    assertAffordable(state, accountsOf(one.id, turn.node, turn.reserved_at), reserved);
    const call = `call${state.seq + 1}`;
    return [{ type: "program.reserved", data: { turn: id, participant: one.id, call, model, reserved } }];
  },
  /** Of a call that was charged already, because its turn has ended, nothing is left to say. */
  "program.settle": (state, { type: _, ...data }) => {
    const { turn } = programIn(state, data.participant, data.turn);
    if (data.call !== undefined && !turn.uses?.some(({ call }) => call === data.call)) return [];
    return [{ type: "program.settled", data }];
  },
  "program.act": (state, { turn: id, participant, tool, input }) => {
    const { one, turn } = programIn(state, participant, id);
    const call = reportedCall((turn.own?.count ?? 0) + 1);
    const key = callKey(state, id, call);
    return [{ type: "tool.called", data: { turn: id, participant: one.id, call, tool, input, key, reported: true } }];
  },
  "program.ask": (state, { turn, participant, call, tool, text, target }) => {
    const { one } = programIn(state, participant, turn);
    return askOnce(state, one.id, text, { turn, call, tool, target });
  },
};

const reducePrograms: Reduce = (state, event) => {
  switch (event.type) {
    case "program.opened": {
      const { participant, driver, session: id } = event.data;
      return update(state, participant, ({ turn, session }) => {
        const isSame = session?.driver === driver && session.id === id;
        return { session: { ...(isSame ? session : {}), driver, id, node: turn?.node } };
      });
    }
    case "program.told":
      return updateDuringTurn(state, event, (one, turn) => {
        sayDuringTurn(one, turn, event.data.upto);
        return { turn: { ...turn, upto: Math.max(turn.upto, event.data.upto) } };
      });
    case "program.reserved":
      return updateDuringTurn(state, event, (one, turn) => {
        if (turn.status !== "calling") return;
        const { call, reserved } = event.data;
        charge(state, one.id, turn.node, turn.reserved_at, noAmount, reserved);
        return { turn: { ...turn, uses: [...(turn.uses ?? []), { call, reserved }] } };
      });
    case "program.settled":
      return updateDuringTurn(state, event, (one, turn) => {
        if (turn.status !== "calling") return;
        const { call, cost, usage, counted } = event.data;
        const use = turn.uses?.find((open) => open.call === call);
        charge(state, one.id, turn.node, turn.reserved_at, cost, use ? negate(use.reserved) : noAmount);
        if (usage) countUsage(state, usage, cost.usd);
        const uses = use ? turn.uses?.filter((open) => open !== use) : turn.uses;
        const session = counted && one.session ? { session: { ...one.session, counted } } : {};
        return { ...session, turn: { ...turn, uses: uses?.length ? uses : undefined } };
      });
    case "turn.answered":
    case "turn.failed":
    case "turn.retried":
    case "turn.resumed":
      return updateDuringTurn(state, event, (one, turn) => {
        if (turn.status !== "calling" || !turn.uses) return;
        for (const { reserved } of turn.uses)
          charge(state, one.id, turn.node, turn.reserved_at, reserved, negate(reserved));
        return { turn: { ...turn, uses: undefined } };
      });
  }
};

export const program = defineBehaviour({
  decide: programDecide,
  reduce: [
    {
      phase: "before",
      looksAt: [
        "program.opened",
        "program.told",
        "program.reserved",
        "program.settled",
        "turn.answered",
        "turn.failed",
        "turn.retried",
        "turn.resumed",
      ],
      reduce: reducePrograms,
    },
  ],
});
