/**
 * Tool calls that a program makes by itself while its turn is calling. They are not in the transcript, because no model asked for
 * them; but they are in the log, count as made (stall.ts), and each ends once.
 */
import { Problem } from "../schema/problem.ts";
import { requireAgent, requireRun } from "./lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "./noun.ts";
import { callKey } from "./tool-call.ts";
import { inTurn, updateDuringTurn } from "./turn.ts";
import { isProgram } from "./worker.ts";

/** How many concurrent calls of its own a program may have. */
const mostOwn = 8;

const ownCallDecide: Deciders<"tool.call"> = {
  /** Only a program makes calls by itself: everyone else asks for them in an answer. */
  "tool.call": (state, { turn: id, participant, tool, input }) => {
    requireAgent(state, "active");
    requireRun(state);
    const { one, turn } = inTurn(state, participant, id, "calling");
    if (!isProgram(one))
      throw new Problem("wrong_state", `${one.name} is not an autonomous worker; it calls tools in its answers`);
    const { count, open } = turn.own ?? { count: 0, open: [] };
    if (open.length >= mostOwn)
      throw new Problem("limit_reached", `${one.name} has ${mostOwn} tool calls in progress; wait for one to end`);
    const call = `own${count + 1}`;
    const key = callKey(state, id, call);
    return [{ type: "tool.called", data: { turn: id, participant: one.id, call, tool, input, key } }];
  },
};

const reduceOwnCalls: Reduce = (state, event) => {
  switch (event.type) {
    case "tool.called":
      return updateDuringTurn(state, event, (_one, turn) => {
        if (turn.status !== "calling") return;
        const { call: id, tool, input } = event.data;
        const { count = 0, open = [] } = turn.own ?? {};
        return { turn: { ...turn, own: { count: count + 1, open: [...open, { id, tool, input }] } } };
      });
    case "tool.ended":
      return updateDuringTurn(state, event, (_one, turn) => {
        if (turn.status !== "calling") return;
        const { own } = turn;
        const asked = own?.open.find(({ id }) => id === event.data.call);
        if (!own || !asked) return;
        const open = own.open.filter((call) => call !== asked);
        const upto = Math.max(turn.upto, event.data.upto ?? 0);
        return { turn: { ...turn, upto, own: { ...own, open } } };
      });
    case "turn.resumed":
      // The program that waited for the results is gone with the process.
      return updateDuringTurn(state, event, (_one, turn) =>
        turn.status === "calling" && turn.own ? { turn: { ...turn, own: { ...turn.own, open: [] } } } : undefined,
      );
  }
};

export const ownCall = defineBehaviour({
  decide: ownCallDecide,
  reduce: [{ phase: "own", looksAt: ["tool.called", "tool.ended", "turn.resumed"], reduce: reduceOwnCalls }],
});
