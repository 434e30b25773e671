import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  barOf,
  card,
  cardRows,
  emptyPlan,
  endOf,
  grow,
  type Item,
  neighbour,
  type Plan,
  rows,
  sectionOf,
  xOf,
} from "./layout.ts";

/** Boards as they come about: stages one after the other, each item needs only what is there before it. */
const boards = fc
  .array(
    fc.record({
      turn: fc.nat(5),
      loose: fc.boolean(),
      needs: fc.array(fc.nat(200), { maxLength: 3 }),
      takes: fc.nat(9),
      under: fc.nat(12),
    }),
    { maxLength: 120 },
  )
  .map((given) => {
    let stage = 0;
    return given.map(({ turn, loose, needs, takes, under }, index): Item => {
      if (turn === 0) stage++;
      const before = given[index - 1];
      return {
        id: `n${index}`,
        stage: stage % 3 === 0 ? undefined : `s${stage}`,
        needs: index ? [...new Set(needs.map((need) => `n${need % index}`))] : [],
        loose,
        ...(under < 4 && index > under ? { [under ? "under" : "beside"]: `n${index - 1 - under}` } : {}),
        ...(takes === 0 && before?.loose ? { takes: `n${index - 1}` } : {}),
      };
    });
  });

const grown = (items: readonly Item[]): Plan => grow(emptyPlan, items);

describe("the places of a graph", () => {
  test("what has a place keeps it when more comes, and the steps do not matter", () => {
    fc.assert(
      fc.property(boards, fc.nat(120), (items, cut) => {
        const before = grown(items.slice(0, cut));
        const after = grow(before, items);
        for (const [id, place] of before.at) expect(after.at.get(id)).toEqual(place);
        for (const [id, { column }] of before.at) expect(xOf(after, column), id).toBe(xOf(before, column));
        expect(after).toEqual(grown(items));
      }),
    );
  });

  test("what was there keeps its place also when something else is gone", () => {
    fc.assert(
      fc.property(boards, fc.nat(120), (items, gone) => {
        const before = grown(items);
        const after = grow(before, [...items.filter((_, index) => index !== gone), { id: "new", needs: [] }]);
        for (const [id, place] of before.at) expect(after.at.get(id)).toEqual(place);
      }),
    );
  });

  test("everything stands right of what it needs, in the columns of its section, and alone", () => {
    fc.assert(
      fc.property(boards, (items) => {
        const plan = grown(items);
        const taken = new Map<string, string>();
        for (const { id, needs, stage, loose, takes } of items) {
          const { column, row, small } = plan.at.get(id)!;
          expect(row + (small ? 1 : cardRows)).toBeLessThanOrEqual(rows);
          for (const need of needs) expect(plan.at.get(need)!.column).toBeLessThan(column);
          if (!loose) expect(plan.sections[sectionOf(plan, column)]!.stage).toBe(stage);
          for (let unit = row; unit < row + (small ? 1 : cardRows); unit++) {
            const other = taken.get(`${column} ${unit}`);
            if (other !== undefined) expect(other).toBe(takes);
            taken.set(`${column} ${unit}`, id);
          }
        }
      }),
    );
  });

  test("sections do not overlap, and their bars stand between them", () => {
    fc.assert(
      fc.property(boards, (items) => {
        const plan = grown(items);
        plan.sections.forEach(({ first }, index) => {
          expect(endOf(plan, index)).toBeGreaterThan(first);
          expect(barOf(plan, index)).toBeGreaterThan(xOf(plan, endOf(plan, index) - 1) + card.width);
          if (index + 1 < plan.sections.length) expect(barOf(plan, index)).toBeLessThan(xOf(plan, endOf(plan, index)));
        });
      }),
    );
  });

  test("a node takes the place of the suggestion it came from", () => {
    const before: Item[] = [
      { id: "n1", needs: [] },
      { id: "s1", needs: [], beside: "n1", loose: true },
      { id: "n2", needs: ["n1"] },
      { id: "n3", needs: [] },
    ];
    const plan = grown([...before, { id: "n4", needs: [], takes: "s1" }]);
    expect(plan.at.get("n4")).toEqual({ column: 0, row: cardRows });
    expect(plan.at.get("n3")).toEqual({ column: 0, row: 2 * cardRows });
    expect(grown([...before, { id: "n5", needs: ["n2"], takes: "s1" }]).at.get("n5")).toEqual({ column: 2, row: 0 });
  });

  test("what is a part of another stands small in its column, or right of it when that is full", () => {
    const parts = Array.from({ length: 3 }, (_, index) => ({ id: `p${index}`, needs: [], under: "n0" }));
    const plan = grown([{ id: "n0", needs: [] }, { id: "n1", needs: [] }, ...parts]);
    expect(parts.map(({ id }) => plan.at.get(id))).toEqual(
      [0, 1, 2].map((index) => ({ column: 0, row: 2 * cardRows + index, small: true })),
    );
    const full = grown([...Array.from({ length: 8 }, (_, index) => ({ id: `n${index}`, needs: [] })), parts[0]!]);
    expect(full.at.get("p0")).toEqual({ column: 1, row: 0 });
  });

  test("five hundred that need nothing fill columns of equal height", () => {
    const plan = grown(Array.from({ length: 500 }, (_, index) => ({ id: `n${index}`, needs: [] })));
    expect(plan.columns).toHaveLength(Math.ceil((500 * cardRows) / rows));
    expect(Math.max(...plan.columns)).toBe(rows);
  });

  test("arrow keys go straight ahead first, and nowhere where nothing is", () => {
    const plan = grown([
      { id: "a", needs: [] },
      { id: "b", needs: [] },
      { id: "c", needs: ["a"] },
      { id: "d", needs: ["a"] },
      { id: "e", needs: ["d"] },
    ]);
    const go = (from: string, way: Parameters<typeof neighbour>[3]) => neighbour(plan, plan.at.keys(), from, way);
    expect([go("a", "right"), go("b", "right"), go("d", "left"), go("a", "down")]).toEqual(["c", "d", "b", "b"]);
    expect([go("a", "up"), go("a", "left"), go("e", "down"), go("e", "left")]).toEqual([
      undefined,
      undefined,
      undefined,
      "c",
    ]);
    expect(neighbour(plan, ["a", "e"], "a", "right")).toBe("e");
  });
});
