/**
 * Turns the usage that programs report into differences: some report totals of a conversation, some the usage of a turn, some also of a step.
 *
 * A total that is smaller than before was reset, and counts whole, unless the difference is what sums of money lose by rounding. Steps and the turn that contains them are not counted twice. A protocol uses,
 * for each of the fields, either totals or turns with steps.
 */
import type { Activity, Counted } from "../driver.ts";

export interface Meter {
  /** Totals of the conversation. */
  total(totals: Partial<Counted>): Activity[];
  /** What one step of the turn used. */
  step(used: Partial<Counted>): Activity[];
  /** What the whole turn used, at its end. */
  turn(used: Partial<Counted>): Activity[];
}

const fields = ["input", "output", "cacheRead", "cacheWrite", "usd"] as const;
/** Less than the least that is charged. */
const rounding = 1e-9;
const nothing: Counted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, usd: 0 };

export function createMeter(before: Counted = nothing): Meter {
  const counted = { ...before };
  let steps = { ...nothing };

  function tell(used: Partial<Counted>): Activity[] {
    if (!fields.some((field) => used[field])) return [];
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, usd } = used;
    const money = usd === undefined ? {} : { usd };
    return [{ type: "usage", input, output, cacheRead, cacheWrite, ...money, counted: { ...counted } }];
  }

  function add(used: Partial<Counted>): Activity[] {
    for (const field of fields) counted[field] += used[field] ?? 0;
    return tell(used);
  }

  return {
    total(totals) {
      const used: Partial<Counted> = {};
      for (const [field, total] of amounts(totals)) {
        const before = total < counted[field] - rounding ? 0 : counted[field];
        used[field] = Math.max(0, total - before);
        // Not by adding the difference: that may come out a little more, and the same total would look like a reset.
        counted[field] = Math.max(total, before);
      }
      return tell(used);
    },
    step(used) {
      const given = Object.fromEntries(amounts(used));
      for (const [field, amount] of amounts(used)) steps[field] += amount;
      return add(given);
    },
    turn(used) {
      const before = steps;
      steps = { ...nothing };
      return add(Object.fromEntries(amounts(used).map(([field, all]) => [field, Math.max(0, all - before[field])])));
    },
  };
}

/** Reported values are untrusted. */
function amounts(given: Partial<Counted>): [field: (typeof fields)[number], amount: number][] {
  return fields.flatMap((field) => {
    const amount: unknown = given[field];
    return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? [[field, amount]] : [];
  });
}
