/** Which of some names was probably meant: for the "did you mean" of an error. */

/** The nearest name by typing mistakes (a letter too many, missing, wrong, or two swapped); undefined if none is near. */
export function closest(given: string, names: readonly string[]): string | undefined {
  const text = plain(given);
  const most = text.length <= 4 ? 1 : text.length <= 8 ? 2 : 3;
  let best: { name: string; mistakes: number } | undefined;
  for (const name of names) {
    const mistakes = distance(text, plain(name), most);
    if (mistakes <= most && (!best || mistakes < best.mistakes)) best = { name, mistakes };
  }
  return best?.name;
}

/** `; did you mean role?`, or nothing. */
export function didYouMean(given: string, names: readonly string[]): string {
  const name = closest(given, names);
  return name === undefined ? "" : `; did you mean ${name}?`;
}

const plain = (text: string): string => text.slice(0, 100).toLowerCase().replace(/[-_ ]/g, "");

/** Optimal string alignment distance; anything beyond `most` is `most + 1`. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let mistakes = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) mistakes = Math.min(mistakes, before[column - 2]! + 1);
      next.push(mistakes);
    }
    before = last;
    last = next;
  }
  return last[b.length]!;
}
