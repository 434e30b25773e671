/**
 * The length of a conversation. When it is about to fill the model's window, or the provider refused it, the participant takes one turn to
 * write down what must survive; then all but the last few turns go out of sight. The log keeps everything.
 *
 * Always holds: what stays begins with mail or an answer, so no result loses its call; nobody is shortened without the turn for writing down;
 * shortening again and again without getting on ends in a visible state.
 * Not here: what is measured and shown (guard).
 */
import { Problem } from "../schema/problem.ts";
import type { Line, Thinker } from "../schema/worker.ts";
import { isLive, requireRun } from "./lookup.ts";
import { thinker } from "./names.ts";
import type { Deciders, Reduce, Settle } from "./noun.ts";
import { update } from "./worker.ts";

/** Turns that stay in sight. */
const stay = 3;
/** Shortening twice with no more than this many turns between is no progress. */
const near = stay + 1;
const mostInARow = 2;
/** Of one result that stays; a result longer than this is in a file or can be had again. */
const longest = 8_000;

export const contextDecide: Deciders<"context.fill"> = {
  "context.fill": (state, { participant, why, tokens, window }) => {
    requireRun(state);
    const one = thinker(state, participant);
    if (one.full && !(why === "overflow" && one.full.tries < mostInARow))
      throw new Problem("wrong_state", `${one.name} is already writing down what must survive`);
    if (!isStuck(one)) return [{ type: "context.filled", data: { participant: one.id, why, tokens, window } }];
    const message = `${one.name} filled its context of ${window} tokens again right after it was shortened ${one.shortened?.close} times`;
    const node = one.node ? state.nodes.get(one.node) : undefined;
    return node && isLive(node)
      ? [
          {
            type: "node.failed",
            data: { node: node.id, reason: { code: "limit.context", message, next_mover: "coordinator" } },
          },
        ]
      : state.agent?.status !== "active"
        ? []
        : [{ type: "agent.paused", data: { reason: { code: "limit.context", message, next_mover: "human" } } }];
  },
};

/** Shortening does not help any more: filling up again ends the node. */
export const isStuck = ({ shortened, turns }: Thinker): boolean =>
  shortened !== undefined && shortened.close >= mostInARow && turns - shortened.turn <= near;

/** Ends of a turn that say nothing about it: it was not answered, and its participant will be asked again. */
const unheard = new Set(["interrupted", "provider"]);

/** After the turn for writing down, if it was heard at all. */
export const settleContext: Settle = (state) => {
  for (const one of state.participants.values()) {
    if (one.kind === "human" || !one.full || one.turn || one.turns < one.full.turn) continue;
    const lines = firstToStay(one.conversation);
    const turns = one.conversation.slice(0, lines).filter((line) => line.role === "assistant").length;
    return [{ type: "context.shortened", data: { participant: one.id, lines, turns } }];
  }
  return [];
};

function firstToStay(conversation: readonly Line[]): number {
  let left = stay;
  let first = conversation.length;
  for (let index = conversation.length - 1; index >= 0 && left > 0; index--) {
    if (conversation[index]!.role !== "assistant") continue;
    left--;
    first = index;
  }
  if (left > 0) return 0;
  return conversation[first - 1]?.role === "inbox" ? first - 1 : first;
}

export const reduceContext: Reduce = (state, event) => {
  switch (event.type) {
    case "context.filled":
      return update(state, event.data.participant, (one) => ({
        full: {
          why: event.data.why,
          turn: one.full?.turn ?? (one.turn ? one.turns : one.turns + 1),
          tries: (one.full?.tries ?? 0) + 1,
        },
      }));
    case "turn.failed":
      if (!unheard.has(event.data.reason.code)) return;
      return update(state, event.data.participant, ({ full, turn, turns }) => {
        if (!full || turn?.status !== "calling") return {};
        // What was too large is tried again as it is: its mail is still to be shown.
        return { full: full.why === "overflow" ? undefined : { ...full, turn: Math.max(full.turn, turns + 1) } };
      });
    case "context.shortened":
      return update(state, event.data.participant, (one) => {
        const { shortened: before, turns } = one;
        one.conversation.splice(0, event.data.lines);
        for (const [index, line] of one.conversation.entries())
          if (line.role === "tool") one.conversation[index] = { ...line, result: clip(line.result) };
        return {
          full: undefined,
          tokens: undefined,
          next: one.retired || one.wait ? one.next : "continue",
          shortened: {
            times: (before?.times ?? 0) + 1,
            turn: turns,
            dropped: (before?.dropped ?? 0) + event.data.turns,
            close: before && turns - before.turn <= near ? before.close + 1 : 1,
          },
        };
      });
  }
};

function clip(text: string): string {
  if (text.length <= longest) return text;
  const half = longest / 2;
  return `${text.slice(0, half)}\n[… ${text.length - longest} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}
