/**
 * What a bench gives: figures, each with its baseline from the same run where there is one. They are for people to judge, never a test:
 * a missed goal is reported, not thrown.
 */
import type { Place } from "./place.ts";

export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** What the same machine did, in the same minutes, without Agiraph; in the same unit. */
  baseline: number | null;
  /** value / baseline. */
  ratio: number | null;
  /** In words; null when the figure is only reported. */
  goal: string | null;
  ok: boolean;
  /** For people: how it was measured, how much it scattered. */
  note?: string;
}

export interface Bench {
  name: string;
  /** What is measured, in one or two sentences. */
  about: string;
  run(place: Place): Promise<Figure[]>;
}

/** Exactly the fields that are promised, in that order. */
export function asJson({ name, value, unit, baseline, ratio, goal, ok }: Figure): string {
  const short = (n: number | null) => (n === null ? null : Number(n.toPrecision(4)));
  return JSON.stringify({ name, value: short(value), unit, baseline: short(baseline), ratio: short(ratio), goal, ok });
}

export function asTable({ name, about }: Bench, figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    readable(figure.value),
    figure.unit,
    figure.baseline === null ? "" : `of ${readable(figure.baseline)}`,
    figure.ratio === null ? "" : `× ${readable(figure.ratio)}`,
    figure.goal ?? "",
    figure.goal === null ? "" : figure.ok ? "ok" : "MISSED",
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  const numbers = new Set([1, 3, 4]);
  const lines = rows.flatMap((row, at) => {
    const cells = row.map((cell, column) =>
      numbers.has(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
    );
    const { note } = figures[at]!;
    return [`  ${cells.join("  ").trimEnd()}`, ...(note ? wrap(note, "      ") : [])];
  });
  return [name, ...wrap(about, "  "), "", ...lines, ""].join("\n");
}

/** Three digits that matter, thousands apart. */
function readable(n: number): string {
  if (Math.abs(n) >= 1000) return Math.round(n).toLocaleString("en").replaceAll(",", " ");
  if (Math.abs(n) >= 100) return n.toFixed(0);
  return n.toPrecision(3).replace(/\.?0+$/, "") || "0";
}

function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.length + word.length > 110 && line !== indent) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
