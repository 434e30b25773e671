/**
 * Tool calls that a program makes by itself while its turn is calling. They are not in the transcript, because no model asked for
 * them; but they are in the log, count as made (stall.ts), and each ends once.
 *
 * A program that is killed may not have seen, or saved, the results of its last calls. When it resumes and makes one of them again, the call has the
 * key of the first one, so it is not done twice.
 */
import type { EventOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Call, Turn } from "../../schema/turn.ts";
import { requireAgent, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { callKey } from "./call-key.ts";
import { sayDuringTurn } from "./conversation.ts";
import { isProgram } from "./driver.ts";
import { inTurn, updateDuringTurn } from "./turn.ts";

/** How many concurrent calls of its own a program may have. */
const mostOwn = 8;
/** Characters of the input of a call that is remembered for a crash. */
const longestRemembered = 20_000;

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
    const again = turn.own?.lost?.find((before) => isSame(before, { tool, input }))?.id;
    const key = callKey(state, id, again ?? call);
    return [{ type: "tool.called", data: { turn: id, participant: one.id, call, tool, input, key, again } }];
  },
};

const isSame = (before: Pick<Call, "tool" | "input">, { tool, input }: Pick<Call, "tool" | "input">): boolean =>
  before.tool === tool && JSON.stringify(before.input) === JSON.stringify(input);

/** A tool of the program itself. */
export const isReported = ({ id }: { id: string }): boolean => id.startsWith("act");

/** The call of a tool of the program itself, of which we only hear. */
export const reportedCall = (count: number): string => `act${count}`;
export const isReportedCall = (call: string): boolean => call.startsWith("act");

const reduceOwnCalls: Reduce = (state, event) => {
  switch (event.type) {
    case "tool.called":
      return updateDuringTurn(state, event, (_one, turn) => {
        if (turn.status !== "calling") return;
        const { call: id, tool, input, again } = event.data;
        const { count = 0, open = [], ...own } = turn.own ?? {};
        const asked = { id, tool, input, ...(again ? { again } : {}) };
        const lost = again ? { lost: turn.own?.lost?.filter((before) => before.id !== again) } : {};
        return { turn: { ...turn, own: { ...own, ...lost, count: count + 1, open: [...open, asked] } } };
      });
    case "tool.ended":
      return updateDuringTurn(state, event, (one, turn) => {
        if (turn.status !== "calling") return;
        const { own } = turn;
        const asked = own?.open.find(({ id }) => id === event.data.call);
        if (!own || !asked) return;
        const open = own.open.filter((call) => call !== asked);
        sayDuringTurn(one, turn, event.data.upto ?? 0);
        const upto = Math.max(turn.upto, event.data.upto ?? 0);
        const { wait = own.wait, final } = event.data;
        const recent = hadEffect(event.data) ? [...(own.recent ?? []), asked].slice(-mostOwn) : own.recent;
        return { turn: { ...turn, upto, own: { ...own, open, recent, wait, final: final || own.final } } };
      });
    case "turn.resumed":
      // The program that waited for the results is gone with the process.
      return updateDuringTurn(state, event, (_one, turn) =>
        turn.status === "calling" && turn.own
          ? { turn: { ...turn, own: { count: turn.own.count, open: [], lost: lostOf(turn.own) } } }
          : undefined,
      );
  }
};

type Own = NonNullable<Extract<Turn, { status: "calling" }>["own"]>;

const hadEffect = ({ call, outcome, effect }: EventOf<"tool.ended">["data"]): boolean =>
  outcome === "ok" && effect !== undefined && effect !== "reads" && !isReportedCall(call);

/** Also what an earlier crash left, if it was not called again. A call that was one again stands for the first, whose key it has. */
const lostOf = ({ open, recent = [], lost = [] }: Own): Call[] =>
  [...lost, ...recent, ...open.filter((call) => !isReported(call))]
    .filter(({ input }) => JSON.stringify(input).length <= longestRemembered)
    .map(({ again, ...call }: Own["open"][number]) => ({ ...call, id: again ?? call.id }))
    .slice(-mostOwn);

export const ownCall = defineBehaviour({
  decide: ownCallDecide,
  reduce: [{ phase: "own", looksAt: ["tool.called", "tool.ended", "turn.resumed"], reduce: reduceOwnCalls }],
});
