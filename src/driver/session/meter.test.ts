import fc from "fast-check";
import { expect, test } from "vitest";
import type { Activity, Counted } from "../driver.ts";
import { createMeter } from "./meter.ts";

const sum = (all: Activity[], field: "input" | "output" | "usd"): number =>
  all.reduce((total, activity) => total + (activity.type === "usage" ? (activity[field] ?? 0) : 0), 0);

test("totals become differences, also over a restart, and a total that begins anew counts whole", () => {
  const first = createMeter();
  const before = [...first.total({ usd: 0.5 }), ...first.total({ usd: 0.5 }), ...first.total({ usd: 0.75 })];
  expect(sum(before, "usd")).toBe(0.75);
  const { counted } = before.at(-1) as { counted: Counted };
  expect(sum(createMeter(counted).total({ usd: 1 }), "usd")).toBe(0.25);
  expect(sum(createMeter(counted).total({ usd: 0.5 }), "usd")).toBe(0.5);
  expect(sum(createMeter().total({ usd: Number.NaN, input: -4 }), "usd")).toBe(0);
});

test("growing totals count once, whatever is lost by rounding, also over restarts and when one is told again", () => {
  const costs = fc.array(fc.double({ min: 0, max: 0.1, noNaN: true }).map((usd) => Number(usd.toFixed(9))));
  fc.assert(
    fc.property(costs, (all) => {
      let [counted, total, charged]: [Counted | undefined, number, number] = [undefined, 0, 0];
      for (const usd of all) {
        total += usd;
        for (const told of [total, total, total - total * 1e-16]) {
          const [used] = createMeter(counted).total({ usd: told });
          if (used?.type !== "usage") continue;
          charged += used.usd!;
          counted = used.counted;
        }
      }
      expect(charged).toBeCloseTo(total, 7);
    }),
    { examples: [[[0.000732253, 0.005319557]]] },
  );
});

test("whatever the steps of turns are, and however much of them is told, no turn counts for more than it used or less than its steps", () => {
  const turns = fc.array(fc.record({ steps: fc.array(fc.nat(1_000)), hidden: fc.nat(1_000) }));
  fc.assert(
    fc.property(turns, (all) => {
      const meter = createMeter();
      let used = 0;
      for (const { steps, hidden } of all) {
        const whole = steps.reduce((total, step) => total + step, hidden);
        const told = [...steps.flatMap((input) => meter.step({ input })), ...meter.turn({ input: whole })];
        expect(sum(told, "input")).toBe(whole);
        used += whole;
        const last = told.at(-1) as { counted: Counted } | undefined;
        if (last) expect(last.counted.input).toBe(used);
      }
    }),
  );
});
