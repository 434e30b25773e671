/** The filter of the graph by people, states and text. The graph dims other nodes; the board and the list leave them out. */
import type { CardView } from "./cards.ts";

export interface Filter {
  words: string;
  people: ReadonlySet<string>;
  states: ReadonlySet<StateName>;
}

export const noFilter: Filter = { words: "", people: new Set(), states: new Set() };

/** As the lanes of the board; an empty choice is everything. */
export const stateNames = ["Waits for you", "Pending", "Working", "Done", "Failed"] as const;
export type StateName = (typeof stateNames)[number];

export function stateOf({ status, asks }: Pick<CardView, "status" | "asks">): StateName {
  if (asks) return "Waits for you";
  if (status === "completed") return "Done";
  if (status === "failed" || status === "cancelled") return "Failed";
  return status === "pending" || status === "assigned" ? "Pending" : "Working";
}

export const filters = ({ words, people, states }: Filter): number =>
  (words.trim() ? 1 : 0) + people.size + states.size;

export function fits({ words, people, states }: Filter, view: CardView): boolean {
  if (people.size && !(view.who && people.has(view.who.id))) return false;
  if (states.size && !states.has(stateOf(view))) return false;
  const text = `${view.id} ${view.name} ${view.line} ${view.who?.name ?? ""}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
