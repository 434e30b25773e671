/** Whether two values are the same JSON, with their fields in the same order; without writing it down, which takes most of judging a world. */
export const sameJson = (a: unknown, b: unknown): boolean => same(a, b) || JSON.stringify(a) === JSON.stringify(b);

/** Never true for what JSON would tell apart; false for some that it would not, as a field without a value. */
function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  const others = Object.keys(b);
  if (names.length !== others.length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!;
    if (name !== others[at] || !same(left[name], right[name])) return false;
  }
  return true;
}
