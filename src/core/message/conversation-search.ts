/**
 * Ranks what was said by how well it matches a question: words that few others have count most (BM25), in any order and form; not all must be there.
 * Of two that match equally well the newer one comes first.
 */
import { wordsIn } from "./statement.ts";

export interface Searchable {
  seq: number;
  text: string;
}

const saturation = 1.2;
const lengthShare = 0.6;

/** Collects what is searched one by one, so that only words are kept of what does not match. */
export function createRanking<T extends Searchable>(query: string, limit: number) {
  const wanted = wordsIn(query);
  const counts = new Map<string, number>();
  const matches: { one: T; words: Map<string, number>; length: number }[] = [];
  let [texts, length] = [0, 0];
  return {
    add(one: T): void {
      const all = wordList(one.text);
      texts++;
      length += all.length;
      const words = new Map<string, number>();
      for (const word of all) if (wanted.has(word)) words.set(word, (words.get(word) ?? 0) + 1);
      for (const word of words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
      if (words.size) matches.push({ one, words, length: all.length });
    },
    best(): T[] {
      const mean = length / Math.max(1, texts);
      const rarity = (word: string) => Math.log(1 + (texts - counts.get(word)! + 0.5) / (counts.get(word)! + 0.5));
      const scoreOf = (words: ReadonlyMap<string, number>, size: number) => {
        let score = 0;
        for (const [word, times] of words)
          score +=
            (rarity(word) * times * (saturation + 1)) /
            (times + saturation * (1 - lengthShare + (lengthShare * size) / Math.max(1, mean)));
        return score;
      };
      return matches
        .map(({ one, words, length: size }) => ({ one, score: scoreOf(words, size) }))
        .sort((a, b) => b.score - a.score || b.one.seq - a.one.seq)
        .slice(0, limit)
        .map(({ one }) => one);
    },
  };
}

const wordList = (text: string): string[] => text.split(/\s+/).flatMap((piece) => [...wordsIn(piece)]);
