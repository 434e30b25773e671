/**
 * Suggestions of workers. A suggestion is open until the coordinator or the human decides: a node is created with it, or it is dismissed. It is
 * decided once. Its author is told when it is dismissed, without being woken.
 */

import { typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Suggestion } from "../../schema/suggestion.ts";
import { requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { requireParticipant } from "../team/names.ts";

/** Open ones of a run. */
const most = 100;

export const openSuggestions = ({ suggestions }: State): Suggestion[] =>
  [...suggestions.values()].filter(({ status }) => status === "open");

/** The open suggestion of this id, or a Problem that says what became of it or which are open. */
export function requireSuggestion(state: State, id: string): Suggestion {
  const found = state.suggestions.get(id);
  if (found?.status === "open") return found;
  const open = openSuggestions(state).map((one) => one.id);
  throw found
    ? new Problem("wrong_state", `${id} was ${found.status === "taken" ? `accepted as ${found.as}` : "dismissed"}`)
    : new Problem("not_found", `there is no suggestion ${id}; open suggestions: ${open.join(", ") || "none"}`);
}

const suggestionDecide: Deciders<"suggestion.make" | "suggestion.dismiss"> = {
  "suggestion.make": (state, { by, text }) => {
    requireRun(state);
    const one = requireParticipant(state, by);
    if (openSuggestions(state).length >= most)
      throw new Problem("limit_reached", `${most} suggestions are open; no more are accepted until some are decided`);
    const suggestion = `sg${state.suggestions.size + 1}`;
    const node = "node" in one ? one.node : undefined;
    return [{ type: "suggestion.made", data: { suggestion, by: one.id, node, text } }];
  },
  "suggestion.dismiss": (state, { suggestion, reason }, { actor }) => {
    requireRun(state);
    if (!leads(state, actor) && actor !== "human")
      throw new Problem("forbidden", `${actor} cannot dismiss ${suggestion}; only the coordinator or the human can`);
    if (state.suggestions.get(suggestion)?.status === "dismissed") return [];
    return [{ type: "suggestion.dismissed", data: { suggestion: requireSuggestion(state, suggestion).id, reason } }];
  },
};

const reduceSuggestions: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      return state.suggestions.clear();
    case "suggestion.made": {
      const { suggestion: id, by, node, text } = event.data;
      const about = { id, by, ...(node ? { node } : {}), text, at: event.ts };
      state.suggestions.set(id, { ...about, status: "open" });
      return;
    }
    case "suggestion.dismissed":
      return decided(state, event.data.suggestion, { status: "dismissed", reason: event.data.reason });
    case "node.created":
      if (event.data.suggestion !== undefined)
        decided(state, event.data.suggestion, { status: "taken", as: event.data.node });
  }
};

type Decision = { status: "taken"; as: string } | { status: "dismissed"; reason: string };

function decided(state: State, id: string, decision: Decision): void {
  const before = state.suggestions.get(id);
  if (before?.status === "open") state.suggestions.set(id, { ...before, ...decision });
}

export const suggestion = defineBehaviour({
  decide: suggestionDecide,
  reduce: [
    { phase: "own", looksAt: [...typesOf("suggestion"), "run.started", "node.created"], reduce: reduceSuggestions },
  ],
});
