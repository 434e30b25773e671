/** What of the work somebody wants to see: some people, some states, some words. The graph dims the rest, the board and the list leave it out. */
import type { CardView } from "./cards.ts";

export interface Filter {
  words: string;
  people: ReadonlySet<string>;
  states: ReadonlySet<StateName>;
}

export const noFilter: Filter = { words: "", people: new Set(), states: new Set() };

/** As the lanes of the board; an empty choice is everything. */
export const stateNames = ["Waits for you", "Pending", "Working", "Done", "Did not work"] as const;
export type StateName = (typeof stateNames)[number];

export function stateOf({ status, asks }: Pick<CardView, "status" | "asks">): StateName {
  if (asks) return "Waits for you";
  if (status === "completed") return "Done";
  if (status === "failed" || status === "cancelled") return "Did not work";
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
