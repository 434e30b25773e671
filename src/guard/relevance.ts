/**
 * How much a text concerns a task: by words that both have or by meaning (meaning.ts), whichever says more, by links (the task names it), and by how
 * new it is. Between 0 and 2.
 */
import { wordsOf } from "../toolkit/tool-search.ts";

export interface Judged {
  /** The name under which a task would speak of it. */
  name: string;
  text: string;
  /** 0 for the oldest, 1 for the newest of its kind. */
  newness: number;
  /** How near it is in meaning, if that is known: a cosine. */
  nearness?: number;
}

/** Of a long text its beginning says what it is about. */
const looked = 4_000;
/** Words of a task that are enough to agree in. */
const enough = 12;
/** A cosine up to the first is chance; from the second on it is the same matter. */
const near = { chance: 0.25, same: 0.65 };

export function relevance(task: string, { name, text, newness, nearness = 0 }: Judged): { score: number; why: string } {
  const wanted = new Set(wordsOf(task));
  const there = new Set(wordsOf(`${name} ${text.slice(0, looked)}`));
  const shared = [...wanted].filter((word) => there.has(word)).length;
  const byWords = shared / Math.max(1, Math.min(wanted.size, there.size, enough));
  const isNamed = task.toLowerCase().includes(name.toLowerCase());
  const byMeaning = (nearness - near.chance) / (near.same - near.chance);
  const score = Math.max(0, Math.min(1, Math.max(byWords, byMeaning))) * 0.8 + (isNamed ? 1 : 0) + 0.2 * newness;
  if (isNamed) return { score, why: "the task names it" };
  return {
    score,
    why: byMeaning > byWords ? "near to the task in meaning" : `${shared} words in common with the task`,
  };
}

/** Less than this is chance. */
export const relevant = 0.4;
