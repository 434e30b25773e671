/** Groups of cost for the page: of a run or of the last days, by worker, node or model. */
import type { Spending } from "../../api/spending.ts";

export type Range = "run" | 7 | 30;

export interface Sum {
  key: string;
  calls: number;
  unpriced: number;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  usd: number;
  tokens: number;
}

const dayMs = 86_400_000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Rows of the run, or of so many days up to today. */
export function rowsInRange(rows: readonly Spending[], range: Range, run: string | undefined, now: number): Spending[] {
  if (range === "run") return rows.filter((row) => row.run === run);
  const first = dayOf(now - (range - 1) * dayMs);
  return rows.filter(({ day }) => day >= first);
}

/** The days of a range, oldest first. */
export const daysOf = (count: number, now: number): string[] =>
  Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * dayMs));

const units = ["calls", "unpriced", "input", "output", "cache_read", "cache_write", "usd", "tokens"] as const;

/** Most expensive first; rows without a key are left out. */
export function sumBy(rows: readonly Spending[], keyOf: (row: Spending) => string | undefined): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined) continue;
    const sum = sums.get(key) ?? nothing(key);
    for (const unit of units) sum[unit] += row[unit];
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.usd - a.usd || b.tokens - a.tokens || (a.key < b.key ? -1 : 1));
}

const nothing = (key: string): Sum => ({
  ...{ key, calls: 0, unpriced: 0, input: 0, output: 0, cache_read: 0, cache_write: 0 },
  ...{ usd: 0, tokens: 0 },
});

/** Of calls that nobody named a model for: those that were lost, and programs that do not tell. */
export const unnamedModel = "not named";
export const modelOf = ({ model }: Spending): string => model ?? unnamedModel;

export const cachedShare = ({ input, cache_read }: Pick<Sum, "input" | "cache_read">): number =>
  input ? cache_read / input : 0;

const fields = ["run", "day", "worker", "node", "model", ...units] as const;

/** For a table program. A text that it might take for a formula is made a text. */
export function csvOf(rows: readonly Spending[]): string {
  const cell = (value: unknown) => {
    const text = String(value ?? "").replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => fields.map((field) => cell(row[field])).join(","));
  return [fields.join(","), ...lines, ""].join("\r\n");
}
