/**
 * `config.yaml` of a home. A missing file means all defaults. An error is reported with its line and the allowed values, and nothing starts:
 * ignoring a limit that was written and not understood would be worse than having none.
 */
import { join } from "node:path";
import { smaller } from "../core/agent/moved.ts";
import { defaultLimits, Limits } from "../core/limits.ts";
import type { Files } from "../lib/world.ts";
import { Config } from "../schema/config.ts";
import { readYaml } from "./yaml.ts";

export interface Settings {
  config: Config;
  limits: Limits;
  /** The file it was read from; null if there is none. */
  path: string | null;
}

export async function readConfig(files: Files, home: string): Promise<Settings> {
  const path = join(home, "config.yaml");
  const content = await files.read(path);
  return content ? { ...parseConfig(content.toString(), path), path } : { ...parseConfig("", path), path: null };
}

/**
 * The trusted subset of the config of a home that was found automatically: it may have come with a project that somebody else wrote. It may choose
 * a model and forbid more; it may not set where keys are sent, what things cost, which programs run, or what is allowed.
 */
export function trustedSettings({ config, ...settings }: Settings): Settings & { left: string[] } {
  const { model, aliases, budget, policy } = config;
  const stricter = policy.filter((rule) => rule.do !== "allow");
  const usual = Config.parse({}).budget;
  const tame = Config.parse({ aliases, policy: stricter, ...(model ? { model } : {}), budget: smaller(usual, budget) });
  const keys = Object.keys(config) as (keyof Config)[];
  const left = keys.filter((key) => JSON.stringify(config[key]) !== JSON.stringify(tame[key]));
  return { ...settings, config: tame, limits: defaultLimits, left };
}

export function parseConfig(text: string, path: string): { config: Config; limits: Limits } {
  const { value, check } = readYaml(text, path, { keys: keysAt });
  const config = check<Config>(Config, value);
  const limits = check<Limits>(Limits.strict(), config.limits, ["limits"]);
  return { config, limits };
}

/** The settings that this part of the file may have, as far as they are listed in one place. */
function keysAt([part, deeper]: readonly PropertyKey[]): string[] | undefined {
  if (part === undefined) return Object.keys(Config.shape);
  if (deeper !== undefined) return undefined;
  if (part === "limits") return Object.keys(Limits.shape);
  return part === "sandbox" ? Object.keys(Config.shape.sandbox.unwrap().shape) : undefined;
}
