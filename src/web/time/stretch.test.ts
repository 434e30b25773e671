import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countUntil, histogramOf, spansOf } from "./histogram.ts";
import { axisOf } from "./scale.ts";
import { createStretch } from "./stretch.ts";

const minute = 60_000;
const hour = 60 * minute;

const logs = fc
  .array(fc.oneof(fc.nat(30_000), fc.integer({ min: minute, max: 72 * hour })), { minLength: 1, maxLength: 60 })
  .map((gaps) => {
    const times = [1_000_000];
    for (const gap of gaps) times.push(times.at(-1)! + gap);
    const pauses = times.slice(1).map((to, index) => ({ from: times[index]!, to }));
    return { times, stretch: createStretch(times[0]!, times.at(-1)!, pauses) };
  });

describe("time as it is shown", () => {
  test("later is further right, every moment is found again, and no silence takes much room", () => {
    fc.assert(
      fc.property(logs, ({ times, stretch }) => {
        let before = -1;
        for (const time of times) {
          const shown = stretch.at(time);
          expect(shown).toBeGreaterThanOrEqual(before);
          expect(Math.abs(stretch.time(shown) - time)).toBeLessThan(0.01);
          before = shown;
        }
        expect(stretch.at(times[0]!)).toBe(0);
        expect(before).toBeCloseTo(stretch.length, 3);
        const silent = stretch.silences.reduce((sum, { from, to }) => sum + stretch.at(to) - stretch.at(from), 0);
        expect(silent).toBeLessThanOrEqual(stretch.length * 0.51 + 60);
      }),
    );
  });

  test("a run that slept for a day is as long as its work; one that only thinks for minutes is left as it is", () => {
    const slept = createStretch(0, 20 * minute + 24 * hour, [
      { from: 10 * minute, to: 10 * minute + 24 * hour },
      { from: 5 * minute, to: 7 * minute },
    ]);
    expect(slept.silences).toEqual([{ from: 10 * minute, to: 10 * minute + 24 * hour }]);
    expect(slept.length).toBeLessThan(25 * minute);
    expect(slept.at(5 * minute)).toBe(5 * minute);
    const thinks = createStretch(0, 34 * minute, [{ from: 5 * minute, to: 10 * minute }]);
    expect([thinks.silences, thinks.length]).toEqual([[], 34 * minute]);
  });

  test("the axis has no moment inside of a silence and none too close", () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 300, max: 1500 }), ({ times, stretch }, width) => {
        const perMs = width / Math.max(1, stretch.length);
        const ticks = axisOf(stretch, times[0]!, times.at(-1)!, perMs);
        expect(ticks.length).toBeLessThan(width / 80 + 3);
        for (const at of ticks) expect(stretch.silences.some(({ from, to }) => at > from && at < to)).toBe(false);
      }),
    );
  });
});

describe("how much happened when", () => {
  test("every event is in a bar, and there are not too many bars", () => {
    fc.assert(
      fc.property(logs, ({ times, stretch }) => {
        const { counts, most } = histogramOf(times, stretch);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(times.length);
        expect(counts.length).toBeLessThanOrEqual(111);
        expect(Math.max(...counts)).toBe(most);
      }),
    );
    const half = createStretch(0, 34 * minute, []);
    expect(histogramOf([0, 1, 40_000], half)).toMatchObject({ step: 20_000, most: 2 });
  });

  test("one may look at the stretches that are worth it", () => {
    const names = (length: number) => spansOf(length).map(({ name }) => name);
    expect(names(20_000)).toEqual([]);
    expect(names(34 * minute)).toEqual(["5 min", "15 min"]);
    expect(names(3 * hour)).toEqual(["15 min", "1 h"]);
  });

  test("a moment is after those that were until then", () => {
    expect([-1, 0, 5, 9, 20].map((at) => countUntil([0, 5, 5, 9], at))).toEqual([0, 1, 3, 4, 4]);
  });
});
