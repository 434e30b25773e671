/** Which stretches of two versions of a line differ, by words; nothing where the two have too little in common to be versions of one line. */

/** From (inclusive) and to (exclusive), in characters. */
export type Stretch = readonly [from: number, to: number];

export interface Emphasis {
  before: Stretch[];
  after: Stretch[];
}

const none: Emphasis = { before: [], after: [] };
const longest = 1_000;
/** Of the longer line: below this the whole line is simply another one. */
const leastInCommon = 0.35;

export function emphasisOf(before: string, after: string): Emphasis {
  if (before === after || before.length > longest || after.length > longest) return none;
  const a = wordsOf(before);
  const b = wordsOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const kept = commonOf(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = [a.slice(0, head), a.slice(a.length - tail), kept.map(([at]) => a[head + at]!)];
  const letters = same.flat().join("").replace(/\s/g, "").length;
  const most = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (letters < most * leastInCommon) return none;
  return {
    before: stretchesOf(a, head, tail, new Set(kept.map(([at]) => head + at))),
    after: stretchesOf(b, head, tail, new Set(kept.map(([, at]) => head + at))),
  };
}

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** The longest common subsequence, as pairs of places. */
function commonOf(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      length[i * width + j] =
        a[i] === b[j]
          ? length[(i + 1) * width + j + 1]! + 1
          : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

/** What is not kept, neighbours joined; a blank between two of them belongs to them. */
function stretchesOf(words: readonly string[], head: number, tail: number, kept: ReadonlySet<number>): Stretch[] {
  const found: [number, number][] = [];
  let at = 0;
  words.forEach((word, index) => {
    const to = at + word.length;
    const last = found.at(-1);
    const differs = index >= head && index < words.length - tail && !kept.has(index);
    if (differs && last && (last[1] === at || /^\s+$/.test(words.slice(0, index).join("").slice(last[1], at))))
      last[1] = to;
    else if (differs) found.push([at, to]);
    at = to;
  });
  return found;
}
