/**
 * Compaction. When a conversation is about to fill the model's context window, or the provider refused it as too large, the participant takes one
 * turn to save notes; then all but the last few turns are removed from its context. The log keeps everything.
 *
 * Promises, decisions and numbers in what is removed stay as statements (message/statement.ts).
 *
 * Always holds: what stays begins with mail or an answer, so no tool result loses its call; no context is compacted without the turn for notes;
 * repeated compaction without progress ends in a visible state.
 * Not here: what is measured and shown (guard).
 */

import { type EventOf, typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Statement } from "../../schema/statement.ts";
import type { Line, Thinker } from "../../schema/worker.ts";
import { isLive, requireRun } from "../lookup.ts";
import { statementsIn, withStatements } from "../message/statement.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { nextMover } from "../run/lead.ts";
import { requireThinker } from "../team/names.ts";
import { isStuck, isTooLargeForProvider } from "../team/stall.ts";
import { update } from "../team/worker.ts";
import { clipLine, clipResult, tokensOfLine } from "./line.ts";

/** Turns that stay in the context. */
const stay = 3;
/** Characters kept of one text, tried in turn until everything fits; longer text is in the log, in a file or can be fetched again. */
const lengths = [8_000, 4_000, 2_000, 1_000] as const;

const contextDecide: Deciders<"context.fill"> = {
  "context.fill": (state, { participant, why, tokens, window, frame }) => {
    requireRun(state);
    const one = requireThinker(state, participant);
    if (one.full && !(why === "overflow" && !isTooLargeForProvider(one)))
      throw new Problem("wrong_state", `${one.name} is already saving notes for compaction`);
    if (!isStuck(one)) return [{ type: "context.filled", data: { participant: one.id, why, tokens, window, frame } }];
    const message =
      frame !== undefined && roomOf(window, frame) <= window / 8
        ? `${one.name} has no room to work: instructions, tools and memory take ${frame} of the ${window} tokens of its context; give it fewer tools, a shorter memory or goal, or a model with a larger window`
        : `${one.name} filled its context of ${window} tokens again right after ${one.stall.compactions} compactions; resume it, or tell it to work in smaller pieces`;
    const node = one.node ? state.nodes.get(one.node) : undefined;
    return node && isLive(node)
      ? [
          {
            type: "node.failed",
            data: { node: node.id, reason: { code: "limit.context", message, next_mover: nextMover(state) } },
          },
        ]
      : state.agent?.status !== "active"
        ? []
        : [{ type: "agent.paused", data: { reason: { code: "limit.context", message, next_mover: "human" } } }];
  },
};

/** Ends of a turn that say nothing about it: it was not answered, and its participant will be asked again. */
const unheard = new Set(["interrupted", "provider"]);

/** After the turn for notes, if it was answered. */
const settleContext: Settle = (state) => {
  for (const one of state.participants.values()) {
    if (one.kind === "human" || !one.full || one.turn || one.turns < one.full.turn) continue;
    const { lines, longest } = cut(one.conversation, one.full.room ?? Number.POSITIVE_INFINITY);
    const turns = one.conversation.slice(0, lines).filter((line) => line.role === "assistant").length;
    return [{ type: "context.shortened", data: { participant: one.id, lines, turns, longest } }];
  }
  return [];
};

/** Tokens for the conversation beside the parts that compaction keeps, so that half of the window is free afterwards. */
const roomOf = (window: number, frame: number): number => Math.floor(Math.max(window / 8, window / 2 - frame));

/** How many lines go, and how long the rest may be: as many turns as fit, and as much as possible of each. */
function cut(conversation: readonly Line[], room: number): { lines: number; longest: number } {
  for (let turns = stay; ; turns--) {
    const lines = firstToStay(conversation, turns);
    for (const longest of lengths) {
      const rest = conversation.slice(lines).map((line) => clipLine(line, longest));
      const tokens = rest.reduce((sum, line) => sum + tokensOfLine(line), 0);
      if (tokens <= room || (turns === 1 && longest === lengths.at(-1))) return { lines, longest };
    }
  }
}

function firstToStay(conversation: readonly Line[], turns: number): number {
  let left = turns;
  let first = conversation.length;
  for (let index = conversation.length - 1; index >= 0 && left > 0; index--) {
    if (conversation[index]!.role !== "assistant") continue;
    left--;
    first = index;
  }
  if (left > 0) return 0;
  return conversation[first - 1]?.role === "inbox" ? first - 1 : first;
}

const reduceContext: Reduce = (state, event) => {
  switch (event.type) {
    case "context.filled":
      return update(state, event.data.participant, (one) => ({
        full: {
          why: event.data.why,
          turn: one.full?.turn ?? (one.turn ? one.turns : one.turns + 1),
          tries: (one.full?.tries ?? 0) + 1,
          room: roomBy(event.data),
        },
      }));
    case "turn.failed":
      if (!unheard.has(event.data.reason.code)) return;
      return update(state, event.data.participant, ({ full, turn, turns }) => {
        if (!full || turn?.status !== "calling") return {};
        // After an overflow the same mail is tried again: it has not been shown yet.
        return { full: full.why === "overflow" ? undefined : { ...full, turn: Math.max(full.turn, turns + 1) } };
      });
    case "context.shortened":
      return update(state, event.data.participant, (one) => {
        const { shortened: before, turns } = one;
        const { longest } = event.data;
        const open = withStatements(
          before?.open ?? [],
          saidIn(one, event.data.lines, longest ?? lengths[0], event.run),
        );
        one.conversation.splice(0, event.data.lines);
        for (const [index, line] of one.conversation.entries())
          one.conversation[index] = longest === undefined ? clipResult(line, lengths[0]) : clipLine(line, longest);
        return {
          full: undefined,
          tokens: undefined,
          next: one.retired || one.wait ? one.next : "continue",
          shortened: {
            times: (before?.times ?? 0) + 1,
            turn: turns,
            dropped: (before?.dropped ?? 0) + event.data.turns,
            ...(open.length ? { open } : {}),
          },
        };
      });
  }
};

/** What is said in the lines that go, and in texts that are too long to stay. Results of tools are not talk: they can be had again. */
function saidIn({ id, conversation }: Thinker, lines: number, longest: number, run: string | undefined): Statement[] {
  return conversation.flatMap((line, at) => {
    const goes = (text: string) => at < lines || text.length > longest;
    if (line.role === "inbox")
      return line.entries.flatMap(({ from, text, seq }) => (goes(text) ? statementsIn({ from, text, seq, run }) : []));
    if (line.role !== "assistant") return [];
    return [line.text, ...line.calls.flatMap(textIn)].flatMap((text) =>
      goes(text) ? statementsIn({ from: id, text, seq: 0, run }, { all: true }) : [],
    );
  });
}

/** What a call tells somebody. */
function textIn({ tool, input }: { tool: string; input: unknown }): string[] {
  if (typeof input !== "object" || input === null) return [];
  const { content, summary, question } = input as Record<string, unknown>;
  return [tool === "send_message" ? content : undefined, summary, question].filter((one) => typeof one === "string");
}

/** A prompt that a provider refused as too large is at least as large as its window. Older logs do not record how its tokens were divided. */
function roomBy({ why, tokens, window, frame }: EventOf<"context.filled">["data"]): number | undefined {
  if (frame === undefined) return undefined;
  return roomOf(why === "overflow" ? Math.min(window, Math.max(tokens, frame)) : window, frame);
}

export const context = defineBehaviour({
  decide: contextDecide,
  reduce: [{ phase: "before", looksAt: [...typesOf("context"), "turn.failed"], reduce: reduceContext }],
  settle: [{ phase: "limit", rule: settleContext }],
});
