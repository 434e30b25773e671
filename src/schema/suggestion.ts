/** Further work that a worker suggests; it stays on the board until the coordinator accepts it as a node or dismisses it. */
import { z } from "zod";
import { NodeId, ParticipantId, SuggestionId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const shared = {
  id: SuggestionId,
  by: ParticipantId,
  node: NodeId.optional().describe("The node its author worked on"),
  text: z.string().min(1).max(20_000),
  at: Time,
};

export const Suggestion = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("open") }),
  z.object({ ...shared, status: z.literal("taken"), as: NodeId }),
  z.object({ ...shared, status: z.literal("dismissed"), reason: z.string() }),
]);
export type Suggestion = z.infer<typeof Suggestion>;

const suggestionEvents = {
  "suggestion.made": z.object({ suggestion: SuggestionId, by: ParticipantId, node: shared.node, text: shared.text }),
  "suggestion.dismissed": z.object({ suggestion: SuggestionId, reason: z.string() }),
};

export const suggestionCommands = {
  "suggestion.make": z.object({ by: z.string().min(1), text: shared.text }),
  "suggestion.dismiss": z.object({ suggestion: SuggestionId, reason: z.string().min(1).max(2_000) }),
};

export const suggestion = defineNoun({
  name: "suggestion",
  events: suggestionEvents,
  commands: suggestionCommands,
  state: () => ({ suggestions: new Map<string, Suggestion>() }),
});
