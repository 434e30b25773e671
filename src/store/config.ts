/**
 * `config.yaml` of a home. Missing means all defaults. A mistake is told with its line and what would be allowed, and nothing starts: a limit
 * that was written and not understood would be worse than none.
 */
import { join } from "node:path";
import { isNode, LineCounter, parseDocument } from "yaml";
import { defaultLimits, Limits } from "../core/limits.ts";
import type { Files } from "../lib/world.ts";
import { Config } from "../schema/config.ts";
import { Problem } from "../schema/problem.ts";

export interface Settings {
  config: Config;
  limits: Limits;
  /** Where it was read from; null if there is none. */
  path: string | null;
}

export async function readConfig(files: Files, home: string): Promise<Settings> {
  const path = join(home, "config.yaml");
  const content = await files.read(path);
  return content ? { ...parseConfig(content.toString(), path), path } : { ...parseConfig("", path), path: null };
}

/**
 * What counts of the config of a home that nobody named: it may have come with a project that somebody else wrote. It may choose a model and
 * forbid more; it may not say where keys are sent, what things cost, what is run, or what is allowed.
 */
export function tamed({ config, ...settings }: Settings): Settings & { left: string[] } {
  const { model, aliases, budget, policy } = config;
  const stricter = policy.filter((rule) => rule.do !== "allow");
  const tame = Config.parse({ aliases, policy: stricter, ...(model ? { model } : {}), ...(budget ? { budget } : {}) });
  const keys = Object.keys(config) as (keyof Config)[];
  const left = keys.filter((key) => JSON.stringify(config[key]) !== JSON.stringify(tame[key]));
  return { ...settings, config: tame, limits: defaultLimits, left };
}

export function parseConfig(text: string, path: string): { config: Config; limits: Limits } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, maxAliasCount: 100 } as never);
  const wrong = (line: number | undefined, what: string): Problem =>
    new Problem("invalid", `${path}${line ? `, line ${line}` : ""}: ${what}`, { path, line: line ?? null });
  const [error] = document.errors;
  if (error) throw wrong(lines.linePos(error.pos[0]).line, error.message.split("\n")[0]!);

  /** The line of the deepest part of the path that is there. */
  function lineOf(keys: readonly PropertyKey[]): number | undefined {
    for (let length = keys.length; length > 0; length--) {
      const node = document.getIn(keys.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return undefined;
  }

  function check<T>(
    shape: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: Issue[] } } },
    value: unknown,
    under: string[] = [],
  ): T {
    const checked = shape.safeParse(value);
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues as [Issue];
    const keys = [...under, ...issue.path];
    const unknown = issue.code === "unrecognized_keys" ? issue.keys?.[0] : undefined;
    const line = lineOf(unknown === undefined ? keys : [...keys, unknown]);
    const where = keys.map(String).join(".") || "the file";
    throw wrong(
      line,
      unknown === undefined
        ? `${where}: ${issue.message}`
        : `${[...keys, unknown].map(String).join(".")} is no setting`,
    );
  }

  const config = check<Config>(Config as never, document.toJS({ maxAliasCount: 100 }) ?? {});
  const limits = check<Limits>(Limits.strict() as never, config.limits, ["limits"]);
  return { config, limits };
}

interface Issue {
  code: string;
  path: PropertyKey[];
  message: string;
  keys?: string[];
}
