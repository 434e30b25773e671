/**
 * All mutants of a file in one text, each behind a question, so that a process loads the code once and then goes from mutant to mutant.
 *
 * To run: `__mutant(7)` says whether number 7 is wanted. To cover: the original runs, and `__differs(7, value, () => other)` notes where the
 * mutant would have given another value; a test in which it never does cannot notice it and need not run. Where evaluating both might change
 * something, reaching the place counts.
 */
import type { Mutant } from "./mutants.ts";

export type Form = "run" | "cover";

/** `first` is the number of the first mutant of this file. */
export function instrument(source: string, mutants: readonly Mutant[], first: number, form: Form): string {
  const groups = new Map<string, { start: number; end: number; open: string; close: string }>();
  for (const [index, { kind, start, end, code, compare }] of mutants.entries()) {
    const number = first + index;
    const key = `${kind} ${start} ${end}`;
    const group = groups.get(key) ?? { start, end, open: "", close: "" };
    groups.set(key, group);
    if (kind === "replace" && form === "cover" && compare) {
      group.open = `__differs(${number},${compare === "truth"},()=>(${code}\n),${group.open}`;
      group.close += ")";
    } else if (kind === "replace") {
      group.open = `(__mutant(${number})?(${code}\n):${group.open}`;
      group.close += ")";
    } else if (kind === "skip") {
      group.open = `if(!__mutant(${number})){`;
      group.close = "}";
    } else group.open = `if(__mutant(${number}))${kind};`;
  }
  const inserts: { at: number; text: string; closes: boolean; width: number }[] = [];
  for (const [key, { start, end, open, close }] of groups) {
    const isExpression = key.startsWith("replace");
    inserts.push({ at: start, text: isExpression ? `${open}(` : open, closes: false, width: end - start });
    inserts.push({ at: end, text: isExpression ? `)${close}` : close, closes: true, width: end - start });
  }
  // At one place what ends comes before what begins, and the outer begins first.
  inserts.sort((a, b) => a.at - b.at || Number(b.closes) - Number(a.closes) || b.width - a.width);
  let text = "";
  let from = 0;
  for (const { at, text: insert } of inserts) {
    text += source.slice(from, at) + insert;
    from = at;
  }
  return text + source.slice(from);
}
