/**
 * How an agent CLI reaches its model. One with a login of its own (a subscription) uses it. Otherwise a key of this home is used through our
 * gateway, and never reaches the program; a key that only the program can use is handed to it.
 */
import { BackendError } from "../../backend/backend.ts";
import { type Env, providerOf } from "../../backend/providers.ts";
import type { Cli, Login } from "../../driver/driver.ts";
import type { Config } from "../../schema/config.ts";

export type Access =
  | { by: "login" }
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
  if (login.state === "file" || isToken(login)) return { by: "login" };
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

/** A token for a subscription, and not an API key. */
const isToken = (login: Login): boolean => login.state === "key" && !/API_KEY$/.test(login.variable);
