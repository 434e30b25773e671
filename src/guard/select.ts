/**
 * Parts compete for a budget of tokens by their declared value.
 *
 * Always holds: a part of value `always` is shown. Of those the task needs, the highest scores get the room; one that does not fit is replaced by its
 * brief if that fits. Nothing disappears silently: what is left out is returned with the reason. The same parts and the same budget give the same choice.
 */
import { estimateTokens } from "../lib/text/tokens.ts";
import { type Part, type PartName, partNames } from "./parts.ts";

export interface Choice {
  part: Part;
  /** What is shown of it; empty if it is left out. */
  text: string;
  /** Of what is shown, or of the whole if it is left out. */
  tokens: number;
  shown: "whole" | "brief" | "no";
}

/** Tokens for what the task needs, where the window is large enough. */
export const usualBudget = 16_000;

/** A small window keeps most of its room for the work itself. */
export const budgetFor = (window: number | undefined): number =>
  Math.min(usualBudget, Math.floor((window ?? Number.POSITIVE_INFINITY) / 5));

/** All parts with text, in the order in which they are shown. */
export function selectParts(parts: readonly Part[], budget: number): Choice[] {
  const given = parts.filter(({ text, brief }) => text.trim() || brief?.trim());
  const choices = new Map<Part, Choice>();
  let left = budget;
  for (const part of given) if (part.value === "always") choices.set(part, whole(part));
  const rest = given.filter(({ value }) => value !== "always");
  for (const part of rest.toSorted((a, b) => (b.score ?? 1) - (a.score ?? 1))) {
    const choice = fitting(part, left);
    if (choice.shown !== "no") left -= choice.tokens;
    choices.set(part, choice);
  }
  return given.map((part) => choices.get(part)!).toSorted((a, b) => placeOf(a.part.name) - placeOf(b.part.name));
}

const placeOf = (name: PartName): number => partNames.indexOf(name);

const whole = (part: Part): Choice => ({ part, text: part.text.trim(), tokens: countOnce(part.text), shown: "whole" });

function fitting(part: Part, left: number): Choice {
  const all = whole(part);
  if (part.value === "task" && all.tokens <= left) return all;
  const brief = part.brief?.trim() ?? "";
  const tokens = brief ? countOnce(brief) : 0;
  if (brief && tokens <= left) return { part, text: brief, tokens, shown: "brief" };
  return { part, text: "", tokens: all.tokens, shown: "no" };
}

/** Parts of one name and title stand together below the title. */
export function textOf(choices: readonly Choice[]): string {
  const texts: string[] = [];
  let above: string | undefined;
  for (const { part, text } of choices) {
    if (!text) continue;
    const heading = part.title === undefined ? undefined : `${part.name} ${part.title}`;
    texts.push(heading !== undefined && heading !== above ? `# ${part.title}\n${text}` : text);
    above = heading;
  }
  return texts.join("\n\n");
}

/** Most parts are the same for everyone, and are cached. */
const counts = new Map<string, number>();

export function countOnce(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  const tokens = estimateTokens(text);
  if (counts.size >= 512) counts.clear();
  counts.set(text, tokens);
  return tokens;
}
