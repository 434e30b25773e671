/**
 * The tool calls of a turn: asked → started → ended. A call is started once and has one result, whatever crashes; its idempotency key identifies it
 * for ever.
 *
 * Not here: calls that wait for approval (approval.ts), calls that a program makes by itself (own-call.ts).
 */
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Call, Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { countCall } from "../team/repeat.ts";
import { thresholds } from "../team/stall.ts";
import { callKey } from "./call-key.ts";
import { forgetInput, say } from "./conversation.ts";
import { inTurn, updateDuringTurn } from "./turn.ts";

const toolCallDecide: Deciders<"tool.start" | "tool.end"> = {
  "tool.start": (state, { turn: id, participant, call: callId }) => {
    const { turn } = inTurn(state, participant, id, "acting");
    const call = requireCall(turn, callId);
    if (call.status !== "asked")
      throw new Problem("wrong_state", `tool call ${callId} of ${id} is already ${call.status}`);
    return [
      {
        type: "tool.started",
        data: { turn: id, participant, call: callId, tool: call.tool, key: callKey(state, id, callId) },
      },
    ];
  },

  "tool.end": (state, { type: _, ...ended }, { limits }) => {
    const { turn: id, participant, call: callId } = ended;
    const { one, turn } = inTurn(state, participant, id);
    if (turn.status === "calling" && !turn.own) inTurn(state, participant, id, "acting");
    const call = requireCall(turn, callId);
    if ("status" in call && call.status === "ended")
      throw new Problem("wrong_state", `tool call ${callId} of ${id} already has a result`);
    const upto = ended.upto && Math.min(ended.upto, state.seq);
    const data = { ...ended, tool: call.tool, upto };
    const { times } = countCall(one.stall, data, call.input);
    const nudge = `You made this same call ${times} times; the result will not change. Do something else: try another way, publish what you have, or ask.`;
    return [{ type: "tool.ended", data: times < thresholds.repeatNudge(limits) ? data : { ...data, nudge } }];
  },
};

const reduceToolCalls: Reduce = (state, event) => {
  switch (event.type) {
    case "tool.started":
      return updateDuringTurn(state, event, (_one, turn) =>
        turn.status === "acting"
          ? { turn: withCall(turn, event.data.call, (call) => ({ ...call, status: "started" })) }
          : {},
      );
    case "tool.ended":
      return updateDuringTurn(state, event, (one, turn) => toolEnded(one, turn, event.data));
  }
};

function toolEnded(one: Thinker, turn: Turn, data: (Event & { type: "tool.ended" })["data"]): Partial<Thinker> {
  const { call, tool, outcome, wait, final, upto = 0, nudge } = data;
  const asked = turn.status === "acting" && turn.calls.find(({ id, status }) => id === call && status !== "ended");
  if (!asked) return {};
  if (outcome !== "ok") forgetInput(one, turn.id, call);
  const result = nudge ? `${data.result}\n\n[${nudge}]` : data.result;
  say(one, { role: "tool", turn: turn.id, call, tool, outcome, result });
  const next = withCall(turn, call, ({ id, tool, input }) => ({ id, tool, input, status: "ended", outcome }));
  next.upto = Math.max(turn.upto, upto);
  next.wait = wait ?? turn.wait;
  next.final = final || turn.final;
  const lasts = (outcome === "ok" && data.progress !== "none") || upto > 0 || wait !== undefined;
  const found = data.offers?.filter((name) => !one.offered?.includes(name));
  return {
    turn: next,
    quiet: lasts ? undefined : one.quiet,
    ...(found?.length ? { found: [...new Set([...(one.found ?? []), ...found])] } : {}),
  };
}

type Acting = Extract<Turn, { status: "acting" }>;
type CallState = Acting["calls"][number];

/** It makes progress, so it is not what kills the process, however often it is interrupted: the count starts over. */
function withCall(turn: Acting, id: string, next: (call: CallState) => CallState): Acting {
  const calls = turn.calls.map((call) => (call.id === id && call.status !== "ended" ? next(call) : call));
  return { ...turn, resumed: 0, calls };
}

export function requireCall(turn: Acting, id: string): CallState;
export function requireCall(turn: Turn, id: string): CallState | Call;
export function requireCall(turn: Turn, id: string): CallState | Call {
  const calls: readonly (CallState | Call)[] = turn.status === "acting" ? turn.calls : (turn.own?.open ?? []);
  const call = calls.find((one) => one.id === id);
  if (call) return call;
  throw new Problem("not_found", `${turn.id} has no tool call ${id}`);
}

export const toolCall = defineBehaviour({
  decide: toolCallDecide,
  reduce: [{ phase: "own", looksAt: ["tool.started", "tool.ended"], reduce: reduceToolCalls }],
});
