/**
 * A program's own login, of the user: where it is found, and what of it reaches the program. With a gateway nothing of it does.
 *
 * A program is lent what its calls need, and never what renews the login: providers accept a refresh token once, so whoever uses a copy of it logs
 * the user out. Nothing that the program writes comes back to the user's login. A lent login ends when its access token does; the next turn is given
 * what the user's file has by then.
 */
import { basename, join } from "node:path";
import type { Launch, LaunchOptions, Login, LoginLook } from "../driver.ts";
import { type Fields, fieldsOf, numberOf, textOf } from "../wire/fields.ts";

/** The first variable that is set. */
export function keyIn(env: LoginLook["env"], ...variables: string[]): Login | undefined {
  for (const variable of variables) {
    const secret = env[variable];
    if (secret) return { state: "key", variable, secret };
  }
  return undefined;
}

/** What of a login file a program may have. */
export interface Lent {
  login: object;
  secrets: unknown[];
  /** When it ends, in milliseconds since 1970; missing if it does not say. */
  expires?: number | undefined;
}

/** `lend` says what of the file a program may have: undefined if it is not a login. */
export async function fileAt(
  files: LoginLook["files"],
  file: string,
  lend: (login: Fields) => Lent | undefined,
): Promise<Login | undefined> {
  const lent = lend(jsonOf(await files.read(file)));
  if (!lent) return undefined;
  const { login, expires } = lent;
  const secrets = lent.secrets.map(textOf).filter(Boolean);
  return { state: "file", file, name: basename(file), text: JSON.stringify(login), secrets, expires };
}

/** `settings` is the folder in which the program looks for the file. */
export function ownLogin(
  { gateway, login }: Pick<LaunchOptions, "gateway" | "login">,
  settings: string,
): Pick<Launch, "files" | "env"> {
  if (gateway) return { files: [], env: {} };
  return {
    files: login?.state === "file" ? [{ path: join(settings, login.name), text: login.text, passing: true }] : [],
    env: login?.state === "key" ? { [login.variable]: login.secret } : {},
  };
}

/** When a token ends that says so itself (JWT). Its signature is not our concern. */
export function tokenEnd(token: unknown): number | undefined {
  const seconds = numberOf(jsonOf(Buffer.from(textOf(token).split(".")[1] ?? "", "base64url")).exp);
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** Files of the user are untrusted: they may be cut off. */
function jsonOf(bytes: Buffer | null): Fields {
  try {
    return fieldsOf(JSON.parse(String(bytes)));
  } catch {
    return {};
  }
}
