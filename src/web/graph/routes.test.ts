import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { barOf, card, emptyPlan, grow, type Item, sectionOf, spotOf } from "./layout.ts";
import { groundOf, type Point, routeOf, through } from "./routes.ts";

const boards = fc
  .array(fc.record({ turn: fc.nat(8), needs: fc.array(fc.nat(200), { maxLength: 2 }) }), {
    minLength: 2,
    maxLength: 40,
  })
  .map((given) => {
    let stage = 0;
    return given.map(({ turn, needs }, index): Item => {
      if (turn === 0) stage++;
      return { id: `n${index}`, stage: `s${stage}`, needs: index ? needs.map((need) => `n${need % index}`) : [] };
    });
  });

describe("the way of a line", () => {
  test("goes along the axes, from one to the other, over no card, and past a section only at its bar", () => {
    fc.assert(
      fc.property(boards, fc.nat(9), (items, lane) => {
        const plan = grow(emptyPlan, items);
        const ground = groundOf(plan, plan.at.values());
        const end = (id: string) => ({ place: plan.at.get(id)!, spot: spotOf(plan, id)! });
        for (const { id, needs } of items)
          for (const need of needs) {
            const way = routeOf(plan, ground, end(need), end(id), lane);
            expect(way[0]).toEqual([spotOf(plan, need)!.x + card.width, spotOf(plan, need)!.y + card.height / 2]);
            expect(way.at(-1)).toEqual([spotOf(plan, id)!.x, spotOf(plan, id)!.y + card.height / 2]);
            for (const [[x, y], [x2, y2]] of pairs(way)) {
              expect(x === x2 || y === y2).toBe(true);
              for (const other of items) expect(crosses([x, y], [x2, y2], spotOf(plan, other.id)!)).toBe(false);
            }
            const [from, to] = [need, id].map((one) => sectionOf(plan, plan.at.get(one)!.column));
            if (from! < to!) expect(way.some(([x]) => x === barOf(plan, from!))).toBe(true);
          }
      }),
    );
  });

  test("is drawn with soft corners and without needless ones", () => {
    expect(
      through([
        [0, 0],
        [10, 0],
        [40, 0],
        [40, 40],
        [40, 40],
      ]),
    ).toBe("M0 0L34 0Q40 0 40 6L40 40");
  });
});

const pairs = (way: readonly Point[]) => way.slice(1).map((point, index) => [way[index]!, point] as const);

/** Through the inside of a card, not along its edge. */
function crosses([x, y]: Point, [x2, y2]: Point, spot: { x: number; y: number; width: number; height: number }) {
  const [left, right, up, down] = [Math.min(x, x2), Math.max(x, x2), Math.min(y, y2), Math.max(y, y2)];
  return left < spot.x + spot.width && right > spot.x && up < spot.y + spot.height && down > spot.y;
}
