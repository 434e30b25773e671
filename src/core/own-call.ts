/**
 * Tool calls that a program makes by itself while its turn is calling. They are not in the transcript, because no model asked for
 * them; but they are in the log, count as made (stall.ts), and each ends once.
 */
import { Problem } from "../schema/problem.ts";
import { isProgram } from "./driver.ts";
import { requireAgent, requireRun } from "./lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "./noun.ts";
import { callKey } from "./tool-call.ts";
import { inTurn, updateDuringTurn } from "./turn.ts";

/** How many concurrent calls of its own a program may have. */
const mostOwn = 8;

const ownCallDecide: Deciders<"tool.call"> = {
  /** Only a program makes calls by itself: everyone else asks for them in an answer. */
  "tool.call": (state, { turn: id, participant, tool, input }) => {
    requireAgent(state, "active");
    requireRun(state);
    const { one, turn } = inTurn(state, participant, id, "calling");
    if (!isProgram(state, one))
      throw new Problem("wrong_state", `${one.name} is not a program; it calls tools in its answers`);
    const { count, open } = turn.own ?? { count: 0, open: [] };
    if (open.filter((call) => !isReported(call)).length >= mostOwn)
      throw new Problem("limit_reached", `${one.name} has ${mostOwn} tool calls in progress; wait for one to end`);
    const call = `own${count + 1}`;
    const key = callKey(state, id, call);
    return [{ type: "tool.called", data: { turn: id, participant: one.id, call, tool, input, key } }];
  },
};

/** A tool of the program itself. */
export const isReported = ({ id }: { id: string }): boolean => id.startsWith("act");

/** The call of a tool of the program itself, of which we only hear. */
export const reportedCall = (count: number): string => `act${count}`;

const reduceOwnCalls: Reduce = (state, event) => {
  switch (event.type) {
    case "tool.called":
      return updateDuringTurn(state, event, (_one, turn) => {
        if (turn.status !== "calling") return;
        const { call: id, tool, input } = event.data;
        const { count = 0, open = [], ...own } = turn.own ?? {};
        return { turn: { ...turn, own: { ...own, count: count + 1, open: [...open, { id, tool, input }] } } };
      });
    case "tool.ended":
      return updateDuringTurn(state, event, (_one, turn) => {
        if (turn.status !== "calling") return;
        const { own } = turn;
        const asked = own?.open.find(({ id }) => id === event.data.call);
        if (!own || !asked) return;
        const open = own.open.filter((call) => call !== asked);
        const upto = Math.max(turn.upto, event.data.upto ?? 0);
        const { wait = own.wait, final } = event.data;
        return { turn: { ...turn, upto, own: { ...own, open, wait, final: final || own.final } } };
      });
    case "turn.resumed":
      // The program that waited for the results is gone with the process.
      return updateDuringTurn(state, event, (_one, turn) =>
        turn.status === "calling" && turn.own
          ? { turn: { ...turn, own: { count: turn.own.count, open: [] } } }
          : undefined,
      );
  }
};

export const ownCall = defineBehaviour({
  decide: ownCallDecide,
  reduce: [{ phase: "own", looksAt: ["tool.called", "tool.ended", "turn.resumed"], reduce: reduceOwnCalls }],
});
