/** The items, in their order, that fit into an allowance together; one that does not fit is skipped. */
export function takeWithin<T>(items: readonly T[], allowance: number, costOf: (item: T) => number): T[] {
  let left = allowance;
  return items.filter((item) => {
    const cost = costOf(item);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}
