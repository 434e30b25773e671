/**
 * The environment variables that a home asks for: keys and addresses of providers, logins of agent CLIs, and whatever else its config names. Only these are handed to
 * a daemon that runs already (main/daemon/hand-over.ts), and the values of those that are secrets are told to nobody.
 */
import { knownProviders } from "../../backend/providers.ts";
import { clis } from "../../driver/index.ts";
import type { Config } from "../../schema/config.ts";
import { variablesIn } from "../../toolkit/mcp/mcp.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function variablesOf(config: Config): string[] {
  return [...new Set([...secretVariables(config), ...Object.values(knownProviders).map(({ base }) => base)])];
}

export const knownSecrets = (config: Config, env: Env): string[] =>
  secretVariables(config).flatMap((name) => env[name]?.trim() || []);

function secretVariables(config: Config): string[] {
  return [
    ...new Set([
      ...Object.values(knownProviders).flatMap(({ keys }) => keys),
      ...clis.flatMap(({ keys = [] }) => keys),
      ...Object.values(config.mcp).flatMap(variablesIn),
      ...namedIn(config),
    ]),
  ];
}

/** Every field that names a variable is called so: api_key_env, secret_env, password_env, url_env. */
function namedIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key.endsWith("_env") && typeof inner === "string" ? [inner] : namedIn(inner),
  );
}
