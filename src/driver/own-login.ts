/** A program's own login, of the user: where it is found, and how it reaches the program. With a gateway nothing of it does. */
import { basename, join } from "node:path";
import type { Launch, LaunchOptions, Login, LoginLook } from "./driver.ts";

/** The first variable that is set. */
export function keyIn(env: LoginLook["env"], ...variables: string[]): Login | undefined {
  for (const variable of variables) {
    const secret = env[variable];
    if (secret) return { state: "key", variable, secret };
  }
  return undefined;
}

export async function fileAt(files: LoginLook["files"], file: string): Promise<Login | undefined> {
  return (await files.read(file)) ? { state: "file", file, copyTo: basename(file) } : undefined;
}

/** `settings` is the folder in which the program looks for the file. */
export function ownLogin(
  { gateway, login }: Pick<LaunchOptions, "gateway" | "login">,
  settings: string,
): Pick<Launch, "files" | "env"> {
  if (gateway) return { files: [], env: {} };
  return {
    files: login?.state === "file" ? [{ path: join(settings, login.copyTo), from: login.file }] : [],
    env: login?.state === "key" ? { [login.variable]: login.secret } : {},
  };
}
