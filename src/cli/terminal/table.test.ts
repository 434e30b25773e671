import fc from "fast-check";
import { expect, test } from "vitest";
import type { Summary } from "../../api/agents.ts";
import { agentLines } from "../commands/agents.ts";
import { table } from "./table.ts";
import { createTerminal } from "./terminal.ts";
import { widthOf } from "./text.ts";

const columns = [
  { title: "agent", least: 16 },
  { title: "status", least: 12 },
  { title: "goal", wide: true },
  { title: "cost", right: true },
];

test("a line fits, and no column is lost, whatever stands in the others", () => {
  const word = fc
    .string({ unit: "grapheme-ascii", maxLength: 60, size: "max" })
    .map((text) => text.replace(/\s/g, "x"));
  const row = fc.tuple(word, word, word, fc.integer({ min: 0, max: 999_999 }).map(String));
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 56, max: 120 }), (rows, width) => {
      const [head, ...lines] = table(columns, rows, width);
      for (const line of [head!, ...lines]) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(head).toMatch(/agent +status +goal +cost$/);
      for (const [at, line] of lines.entries()) expect(line.endsWith(` ${rows[at]![3]}`)).toBe(true);
    }),
  );
});

test("in 80 columns the list of agents keeps goal, nodes, cost and age beside a long name and a question", () => {
  const one = {
    id: "compare-three-ways-to-store-events-with-num",
    goal: "Compare three ways to store events, with numbers",
    status: "waiting_for_human",
    open_questions: 1,
    node_count: 12,
    cost: { usd: 1.25, tokens: 1 },
    seq: 5,
    updated_at: "2026-01-01T00:00:00Z",
  } as unknown as Summary;
  const terminal = createTerminal({ out: { write: () => true }, live: false, color: false });
  const [head, line] = agentLines([one], { terminal, now: () => Date.parse("2026-01-01T00:05:00Z") });
  expect(head).toMatch(/^agent +status +goal +nodes +cost +last$/);
  expect(line).toMatch(/^compare-three-ways-\S*… +asks you \(1\) +Compare thr\S*… +12 +\$1\.25 +\S/);
  expect(widthOf(line!)).toBeLessThanOrEqual(80);
});
