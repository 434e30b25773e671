/**
 * How much a text concerns a task: by words that both have, by links (the task names it), and by how new it is. Between 0 and about 2; meaning is
 * compared where there are vectors (memory-search.ts).
 */
import { wordsOf } from "../toolkit/tool-search.ts";

export interface Judged {
  /** The name under which a task would speak of it. */
  name: string;
  text: string;
  /** 0 for the oldest, 1 for the newest of its kind. */
  newness: number;
}

/** Of a long text its beginning says what it is about. */
const looked = 4_000;
/** Words of a task that are enough to agree in. */
const enough = 12;

export function relevance(task: string, { name, text, newness }: Judged): { score: number; why: string } {
  const wanted = new Set(wordsOf(task));
  const there = new Set(wordsOf(`${name} ${text.slice(0, looked)}`));
  const shared = [...wanted].filter((word) => there.has(word)).length;
  const byWords = shared / Math.max(1, Math.min(wanted.size, there.size, enough));
  const isNamed = task.toLowerCase().includes(name.toLowerCase());
  const score = Math.min(1, byWords) * 0.8 + (isNamed ? 1 : 0) + 0.2 * newness;
  return { score, why: isNamed ? "the task names it" : `${shared} words in common with the task` };
}

/** Less than this is chance. */
export const relevant = 0.4;
