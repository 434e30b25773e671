/** A diff of two texts by lines. Exact for ordinary lengths; very long texts are compared only at the beginning and the end of the difference. */
export interface DiffLine {
  look: "same" | "add" | "del";
  text: string;
}

/** Above this many pairs of lines the middle is shown as replaced. */
const mostPairs = 4_000_000;

export const diffLines = (before: string, after: string): DiffLine[] =>
  diffSequences(before.split("\n"), after.split("\n"));

export function diffSequences(a: readonly string[], b: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const as = (look: DiffLine["look"]) => (text: string) => ({ look, text });
  return [
    ...a.slice(0, head).map(as("same")),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(as("same")),
  ];
}

/** By the longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = () => a.map((text) => ({ look: "del" as const, text }));
  const added = () => b.map((text) => ({ look: "add" as const, text }));
  if (a.length === 0 || b.length === 0 || a.length * b.length > mostPairs) return [...removed(), ...added()];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ look: "same", text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!))
      lines.push({ look: "del", text: a[i++]! });
    else lines.push({ look: "add", text: b[j++]! });
  }
  return lines;
}
