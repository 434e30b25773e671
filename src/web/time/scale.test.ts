import fc from "fast-check";
import { expect, test } from "vitest";
import { createRoom, inSight, rowsInSight, ticksOf } from "./scale.ts";

test("the axis has words at round moments, never too close and never too many", () => {
  fc.assert(
    fc.property(
      fc.nat(1e9),
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 100, max: 2000 }),
      (from, span, width) => {
        const ticks = ticksOf(from, from + span, width / span);
        expect(ticks.length).toBeLessThanOrEqual(width / 90 + 2);
        for (const at of ticks) expect(at >= from && at <= from + span && at % 1000 === 0).toBe(true);
      },
    ),
  );
  expect(ticksOf(0, 3_600_000, 800 / 3_600_000)).toEqual([
    0, 600_000, 1_200_000, 1_800_000, 2_400_000, 3_000_000, 3_600_000,
  ]);
});

test("only what reaches into the window is in sight, and what goes on reaches to now", () => {
  const bars = [{ from: 0, to: 10 }, { from: 5, to: 50 }, { from: 60 }, { from: 200, to: 210 }];
  expect(inSight(bars, 20, 100, 150)).toEqual([bars[1], bars[2]]);
  expect(inSight(bars, 160, 190, 150)).toEqual([]);
});

test("of very many lanes only some are drawn", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(1000), fc.nat(500), (top, height, count) => {
      const [first, end] = rowsInSight(top, height, 68, count);
      expect(first).toBeLessThanOrEqual(end);
      expect(end - first).toBeLessThanOrEqual(height / 68 + 6);
      for (let row = 0; row < count; row++)
        if (row * 68 < top + height && (row + 1) * 68 > top) expect(row >= first && row < end).toBe(true);
    }),
  );
});

test("a word has its room alone", () => {
  const free = createRoom();
  expect([free(100, 40), free(130, 40), free(140, 40), free(60, 20)]).toEqual([true, false, true, true]);
});
