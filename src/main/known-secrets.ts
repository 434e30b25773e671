/** Values of this house that nobody may be told: the keys of providers, and whatever else the config takes from the environment. */
import { knownProviders } from "../backend/providers.ts";
import type { Config } from "../schema/config.ts";
import { variablesIn } from "../tool/mcp.ts";

export function knownSecrets(config: Config, env: Readonly<Record<string, string | undefined>>): string[] {
  const names = new Set([
    ...Object.values(knownProviders).flatMap(({ keys }) => keys),
    ...Object.values(config.mcp).flatMap(variablesIn),
    ...namedIn(config),
  ]);
  return [...names].flatMap((name) => env[name]?.trim() || []);
}

/** Every field that names a variable is called so: api_key_env, secret_env, password_env, url_env. */
function namedIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key.endsWith("_env") && typeof inner === "string" ? [inner] : namedIn(inner),
  );
}
