/**
 * Finds tools by plain words: the words of a query against a tool's name, the words people use for it, what it is about and how it is used.
 *
 * Rare words count more than frequent ones, a name more than a text. A query that matches nothing finds nothing.
 */
import type { Tool } from "./tool.ts";

/** The best first, at most `limit`. A query that is the name of a tool finds that tool alone. */
export function findTools(tools: readonly Tool[], query: string, limit: number): Tool[] {
  const exact = tools.filter(({ name, alias }) => name === query.trim() || alias === query.trim());
  if (exact.length) return exact;
  const wanted = [...new Set(wordsOf(query))];
  const known = tools.map((tool) => ({ tool, fields: fieldsOf(tool) }));
  const rarity = new Map(
    wanted.map((word) => {
      const holders = known.filter(({ fields }) => fields.some(({ words }) => words.has(word))).length;
      return [word, Math.log(1 + tools.length / (1 + holders))];
    }),
  );
  const scored = known.map(({ tool, fields }) => {
    let score = 0;
    for (const word of wanted)
      for (const { words, weight } of fields) if (words.has(word)) score += weight * rarity.get(word)!;
    return { tool, score };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return scored
    .filter(({ score }) => score > 0 && score >= best * share)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** Less than this of the best score is chance. */
const share = 0.35;

interface Field {
  words: ReadonlySet<string>;
  weight: number;
}

const kept = new WeakMap<Tool, Field[]>();

function fieldsOf(tool: Tool): Field[] {
  const known = kept.get(tool);
  if (known) return known;
  const { name, alias = "", about, guidance, offer } = tool;
  const texts: [string, number][] = [
    [`${name} ${alias}`, 4],
    [`${offer?.words ?? ""} ${offer?.cues ?? ""}`, 3],
    [about, 2],
    [guidance, 0.5],
  ];
  const fields = texts.map(([text, weight]) => ({ words: new Set(wordsOf(text)), weight }));
  kept.set(tool, fields);
  return fields;
}

/** In lower case, without endings and without the words that every text has. */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  const compounds = lower
    .split(/\s/)
    .flatMap((word) => (word.includes("-") ? [word.replace(/[^\p{L}\p{N}]/gu, "")] : []));
  const words = [...(lower.match(/[\p{L}\p{N}]+/gu) ?? []), ...compounds];
  return words.filter((word) => word.length > 1 && !empty.has(word)).map(stem);
}

function stem(word: string): string {
  if (word.length < 5) return word.replace(/s$/, "");
  const short = word.replace(/(?:ings?|ers?|ed|es|s|e)$/, "");
  return short.at(-1) === short.at(-2) ? short.slice(0, -1) : short;
}

const empty = new Set(
  "a an the and or of to in on at is are be it its this that for with by as from i my me you your we our how what when which do does can could would should want need tool tools please one some something".split(
    " ",
  ),
);
