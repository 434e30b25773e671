/**
 * How an agent CLI reaches its model. One with a login of its own (a subscription) uses it, as long as it lasts: we do not renew it, and do not
 * silently take a key that is paid by call in its place. Otherwise a key of this home is used through our gateway, and never reaches the program;
 * a key that only the program can use is handed to it.
 */
import { BackendError } from "../../backend/backend.ts";
import { type Env, knownProviders, providerOf } from "../../backend/providers.ts";
import type { Cli, Login } from "../../driver/driver.ts";
import type { Config } from "../../schema/config.ts";

export type Access =
  /** In a variable, or in a file; `until`: when it ends, if it says so. */
  | { by: "login"; variable?: string; until?: number | undefined }
  | { by: "gateway"; provider: string; model: string | undefined; keyFrom: string | undefined }
  /** The variable that is handed to it. */
  | { by: "key"; variable: string }
  /** Unknown until it is started. */
  | { by: "unknown" };

/** Undefined if it has neither a login nor a key. `wanted` is the model after the program's name. */
export function accessOf(
  cli: Cli,
  login: Login,
  wanted: string | undefined,
  { config, env }: { config: Config; env: Env },
): Access | undefined {
  if (login.state === "file") return { by: "login", until: login.expires };
  if (login.state === "key" && isToken(login.variable)) return { by: "login", variable: login.variable };
  const through = cli.gateway ? gatewayOf(cli, wanted, { config, env }) : undefined;
  if (through) return { by: "gateway", ...through };
  if (login.state === "key") return { by: "key", variable: login.variable };
  return login.state === "unknown" ? { by: "unknown" } : undefined;
}

function gatewayOf(cli: Cli, wanted: string | undefined, { config, env }: { config: Config; env: Env }) {
  const [prefix = "", ...rest] = (wanted ?? "").split("/");
  const name = cli.provider ?? prefix;
  if (!name) return undefined;
  try {
    const { key, keyNeeded, keyVariables } = providerOf(name, config, env);
    if (!key && keyNeeded) return undefined;
    const keyFrom = keyVariables.find((variable) => env[variable]?.trim());
    return { provider: name, model: cli.provider ? wanted : rest.join("/"), keyFrom };
  } catch (error) {
    if (error instanceof BackendError) return undefined;
    throw error;
  }
}

/**
 * The variables that clients of providers read for their key and address, for each provider that has a key here: all lead to the gateway at `url`.
 * Clients add the version of the API themselves, but for those of OpenAI and OpenRouter.
 */
export function gatewayVariables(
  url: string,
  token: string,
  { config, env }: { config: Config; env: Env },
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, { keys, base, kind }] of Object.entries(knownProviders)) {
    if (!keys.length || !providerOf(name, config, env).key) continue;
    for (const key of keys) variables[key] = token;
    variables[base] = `${url}/${name}${kind === "openai" || kind === "openrouter" ? "/v1" : ""}`;
  }
  return variables;
}

/** A token for a subscription, and not an API key. */
const isToken = (variable: string): boolean => !/API_KEY$/.test(variable);

/** A turn should be able to begin with it. */
const least = 60_000;

/** Why the login cannot be used now, and what to do; undefined if it can. */
export function endedLogin(cli: Cli, access: Access | undefined, now: number): string | undefined {
  if (access?.by !== "login" || access.until === undefined || access.until > now + least) return undefined;
  return `its login ended at ${minuteOf(access.until)}, and only you can renew it: ${cli.renewHint ?? cli.loginHint}`;
}

/** As people read it, in universal time. */
export const minuteOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
