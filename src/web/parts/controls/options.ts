/** Lists of options whose focus stays in a text field (the palette, mentions, folders): which option is the active one after a key. */

/** Round and round; -1: none is active. Undefined: not a key of a list. */
export function optionAfter(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return at <= 0 ? count - 1 : at - 1;
  return undefined;
}
