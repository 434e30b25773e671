/** Reporter of `npm run attack`: what was tried in each area, what held, and the longest stall. */
import type { TestModule } from "vitest/node";
import type { Area, Score } from "./attack.ts";

interface Row {
  attempted: number;
  held: number;
  stallMs: number;
}

export default class Table {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<Area, Row>();
    for (const module of modules) {
      for (const test of module.children.allTests("passed")) add(rows, test.meta() as { attack?: Score }, true);
      for (const test of module.children.allTests("failed")) add(rows, test.meta() as { attack?: Score }, false);
    }
    console.log(
      `\n${"area".padEnd(12)}${"attempted".padStart(10)}${"held".padStart(8)}${"longest stall".padStart(16)}`,
    );
    for (const [area, { attempted, held, stallMs }] of rows)
      console.log(
        `${area.padEnd(12)}${String(attempted).padStart(10)}${String(held).padStart(8)}${(stallMs ? `${Math.round(stallMs)} ms` : "").padStart(16)}`,
      );
  }
}

function add(rows: Map<Area, Row>, { attack }: { attack?: Score }, held: boolean): void {
  if (!attack) return;
  const row = rows.get(attack.area) ?? { attempted: 0, held: 0, stallMs: 0 };
  rows.set(attack.area, {
    attempted: row.attempted + attack.held + (held ? 0 : 1),
    held: row.held + attack.held,
    stallMs: Math.max(row.stallMs, attack.stallMs),
  });
}
