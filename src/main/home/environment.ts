/** What the outside says: where the home is, what was typed, which signals came. Only here and in main.ts is the environment read. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { clock } from "../../lib/machine/clock.ts";
import type { BudgetWish } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import { assertFilesOnly, isTrusted, makeHome, ownHome, untrusted } from "./trust.ts";

export function findHome(given: string | undefined): string {
  // Of a script whose variable is not set: to take another one silently would be a surprise.
  if (given?.trim() === "") throw new Problem("invalid", "--home is empty; name a folder or omit it");
  const chosen = given ?? (process.env.AGIRAPH_HOME || undefined);
  if (chosen) return resolve(chosen);
  const own = ownHome();
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const here = join(folder, ".agiraph");
    if (existsSync(here)) {
      if (isSame(here, own)) return own;
      markDiscovered(here);
      if (!isTrusted(here)) {
        assertFilesOnly(here);
        makeHome(here);
      }
      return here;
    }
    if (folder === dirname(folder)) return own;
  }
}

/** The names of the agents of a home, as its folders have them; none if there is no such home. */
export function agentsIn(given: string | undefined): string[] {
  try {
    return readdirSync(join(findHome(given), "agents")).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
}

const isSame = (one: string, other: string): boolean =>
  one === other || (existsSync(other) && realpathSync(one) === realpathSync(other));

const cameUpon = new Set<string>();

/** Nobody named it: it lay in or above the folder we are in, and may have come with a project that somebody else wrote. */
export const wasDiscovered = (home: string): boolean => cameUpon.has(home);
export const markDiscovered = (home: string): void => void cameUpon.add(home);

/** Why nothing in this home may be used, if so. */
export const refusalOf = (home: string): Problem | undefined =>
  wasDiscovered(home) && !isTrusted(home) ? untrusted(home) : undefined;

/** `2usd`, `$2.50`, `200000tokens`, or several with commas; `none` takes every limit away. */
export function budget(text: string): BudgetWish {
  if (text.trim().toLowerCase() === "none") return { usd: null, tokens: null, turns: null, seconds: null };
  const limit: BudgetWish = {};
  for (const part of text.split(",")) {
    const [, dollars, number, unit] = /^\s*(\$)?\s*(\d+(?:\.\d+)?)\s*(usd|tokens|turns|seconds)?\s*$/i.exec(part) ?? [];
    if (!number || (dollars && unit && unit.toLowerCase() !== "usd"))
      throw new InvalidArgumentError(
        "expected an amount such as 2usd, 200000tokens, 50turns or 600seconds, a comma-separated list of them, or none.",
      );
    limit[(unit?.toLowerCase() ?? "usd") as keyof BudgetWish] = Number(number);
  }
  return limit;
}

/** A budget as `budget` reads it. */
export function budgetWords(wish: BudgetWish): string {
  const limits = Object.entries(wish).flatMap(([unit, most]) => (typeof most === "number" ? [`${most}${unit}`] : []));
  return limits.join(",") || "none";
}

/** Said by a person, so there is something in it. */
export function words(text: string): string {
  if (text.trim()) return text;
  throw new InvalidArgumentError("it is empty.");
}

/** Words with commas between them. */
export const names = (text: string): string[] => text.split(",").flatMap((name) => name.trim() || []);

export function count(text: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n > 0) return n;
  throw new InvalidArgumentError("expected a whole number above 0.");
}

export function port(text: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n >= 0 && n < 65_536) return n;
  throw new InvalidArgumentError("expected a port: 1 to 65535, or 0 for any.");
}

export function factor(text: string): number {
  const n = Number(text);
  if (n > 0 && n <= 1000) return n;
  throw new InvalidArgumentError("expected a number above 0, up to 1000.");
}

/** How many workers this machine carries at a time: each has a conversation in memory and may run a program. */
export function hostAllows(cores: number, bytes: number): number {
  return Math.max(1, Math.min(2 * cores, Math.floor(bytes / (512 * 1024 * 1024))));
}

/** Of this process, which may have less than the machine. */
export const concurrencyHere = (): number =>
  hostAllows(availableParallelism(), Math.min(totalmem(), process.constrainedMemory() || totalmem()));

export interface Signals {
  heard: AbortSignal;
  /** As if a person had pressed Ctrl-C. */
  interrupt(): void;
  exitCode(): number;
  end(): void;
}

/** The first signal asks for an orderly stop; one that comes a second later, when that seems to hang, ends the process. */
export function hearSignals(): Signals {
  const heard = new AbortController();
  const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGPIPE: 13 };
  let first = 0;
  let code = 0;
  const hear = (signal: NodeJS.Signals) => {
    if (first && clock.mono() - first > 1000) process.exit(code);
    first ||= clock.mono();
    code ||= 128 + numbers[signal as keyof typeof numbers];
    heard.abort();
  };
  const broken = () => hear("SIGPIPE");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, hear);
  process.stdout.on("error", broken);
  return {
    heard: heard.signal,
    interrupt: () => hear("SIGINT"),
    exitCode: () => code,
    end() {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, hear);
    },
  };
}
