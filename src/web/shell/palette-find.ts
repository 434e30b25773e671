/** Matches of the palette, best first, in groups. `@` people, `#` nodes, `>` commands; an empty query shows recent items. */
import type { Item } from "./palette-items.ts";

export interface Match {
  title: string;
  items: Item[];
}

/** What is found in texts comes after them (palette-search.ts). */
const order = ["person", "node", "page", "agent", "command"] as const;
const kinds: Record<string, (typeof order)[number]> = { "@": "person", "#": "node", ">": "command" };
const titles: Record<(typeof order)[number], string> = {
  person: "People",
  node: "Nodes",
  page: "Go to",
  agent: "Agents",
  command: "Do",
};
const mostOfKind = 5;
const mostOfOne = 40;

export function find(items: readonly Item[], text: string, recent: readonly string[]): Match[] {
  const kind = kinds[text[0] ?? ""];
  const words = wordsOf(text);
  if (words.length === 0 && !kind) return unasked(items, recent);
  const fitting = items
    .filter((item) => !kind || item.kind === kind)
    .flatMap((item, index) => {
      const score = scoreOf(item, words);
      return score > 0 ? [{ item, score: score + (item.near ? 2 : 0), index }] : [];
    })
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ item }) => item);
  if (kind) return some([{ title: titles[kind], items: fitting.slice(0, mostOfOne) }]);
  const [best, ...rest] = fitting;
  return some([
    { title: "Best match", items: best ? [best] : [] },
    ...order.map((one) => ({
      title: titles[one],
      items: rest.filter((item) => item.kind === one).slice(0, mostOfKind),
    })),
  ]);
}

/** As they are written, without the sign before them. */
export const wordsOf = (text: string): string[] =>
  (kinds[text[0] ?? ""] ? text.slice(1) : text).toLowerCase().split(/\s+/).filter(Boolean);

function unasked(items: readonly Item[], recent: readonly string[]): Match[] {
  const last = recent.flatMap((id) => items.find((item) => item.id === id) ?? []).slice(0, mostOfKind);
  const others = items.filter((item) => !last.includes(item));
  const of = (kind: Item["kind"], most: number) => others.filter((item) => item.kind === kind).slice(0, most);
  return some([
    { title: "Recent", items: last },
    { title: titles.page, items: of("page", 8) },
    { title: titles.agent, items: of("agent", 5) },
    { title: titles.command, items: of("command", 8) },
  ]);
}

const some = (groups: Match[]): Match[] => groups.filter(({ items }) => items.length > 0);

/** Every word must be there; where a name begins with it counts most. */
function scoreOf({ name, about }: Item, words: readonly string[]): number {
  const [title, rest] = [name.toLowerCase(), about.toLowerCase()];
  let score = 1;
  for (const word of words) {
    const at = title.indexOf(word);
    if (at === 0) score += 20;
    else if (at > 0) score += /[\s\-_/.:]/.test(title[at - 1]!) ? 12 : 6;
    else if (rest.includes(word)) score += 2;
    else return 0;
  }
  return score;
}
