/** What a run found: a table of files, and the survivors. */
import { type Accepted, changeOf } from "./accepted.ts";
import type { Quarry } from "./hunt.ts";
import type { Fate } from "./results.ts";
import type { Target } from "./targets.ts";

interface Row {
  file: string;
  mutants: number;
  /** Nothing is known of these yet. */
  untried: number;
  tests: number;
  simulation: number;
  survived: number;
  none: number;
  /** Of those that survived or are not covered. */
  accepted: number;
  /** Killed of all that were tried, in percent. */
  score: number;
}

export interface Survivor {
  file: string;
  line: number;
  code: string;
  change: string;
  fate: Fate;
  accepted?: string;
}

export interface Report {
  rows: Row[];
  total: Row;
  survivors: Survivor[];
  /** Accepted survivors that are killed. */
  needless: string[];
}

export function reportOf(
  targets: readonly Target[],
  asked: readonly Quarry[],
  fateOf: (quarry: Quarry) => Fate | undefined,
  accepted: Accepted,
): Report {
  const survivors: Survivor[] = [];
  const needless: string[] = [];
  const rows = new Map(targets.map(({ file }) => [file, emptyRow(file)]));
  for (const quarry of asked) {
    const mutant = quarry.target.mutants[quarry.index]!;
    const row = rows.get(mutant.file)!;
    const fate = fateOf(quarry);
    const reason = accepted.reason(mutant);
    row.mutants++;
    row[fate ?? "untried"]++;
    if (fate === "survived" || fate === "none") {
      if (reason) row.accepted++;
      const place = { file: mutant.file, line: mutant.line, code: mutant.text, change: changeOf(mutant), fate };
      survivors.push({ ...place, ...(reason ? { accepted: reason } : {}) });
    } else if (fate && reason) needless.push(`${mutant.file}: ${mutant.text}: ${changeOf(mutant)}`);
  }
  const total = emptyRow("all");
  for (const row of rows.values())
    for (const name of ["mutants", "untried", "tests", "simulation", "survived", "none", "accepted"] as const)
      total[name] += row[name];
  return { rows: [...rows.values()].map(scored), total: scored(total), survivors, needless };
}

const emptyRow = (file: string): Row => {
  return { file, mutants: 0, untried: 0, tests: 0, simulation: 0, survived: 0, none: 0, accepted: 0, score: 0 };
};

function scored(row: Row): Row {
  const tried = row.mutants - row.untried;
  return { ...row, score: tried ? Math.round((1000 * (row.tests + row.simulation)) / tried) / 10 : 100 };
}

export function tableOf({ rows, total }: Report): string {
  const head = ["file", "mutants", "by tests", "by simulation", "survived", "no coverage", "accepted", "score"];
  const lines = [...rows.filter(({ mutants }) => mutants), total].map((row) => [
    row.file.replace(/^src\//, ""),
    row.untried ? `${row.mutants - row.untried} of ${row.mutants}` : String(row.mutants),
    ...[row.tests, row.simulation, row.survived, row.none, row.accepted].map(String),
    `${row.score.toFixed(1)} %`,
  ]);
  const widths = head.map((name, column) => Math.max(name.length, ...lines.map((line) => line[column]!.length)));
  const draw = (line: string[]) =>
    line.map((text, column) => (column ? text.padStart(widths[column]!) : text.padEnd(widths[column]!))).join("  ");
  return [head, ...lines].map(draw).join("\n");
}
