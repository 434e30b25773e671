/**
 * What has to be typed in place of `agiraph` to start this very program again. Hints name commands as `agiraph …`; where that is not on the PATH,
 * because npx or npm started us, people are told once, after what was said.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Undefined if `agiraph` will do. npm puts folders of its own on the PATH of what it starts, which the user's shell does not have. */
export function calledAs(
  { npm_command, npm_lifecycle_event, PATH = "" }: Env,
  exists = existsSync,
): string | undefined {
  const started = npm_lifecycle_event === "start" ? "npm start --" : npm_command === "exec" ? "npx agiraph" : undefined;
  if (!started) return undefined;
  const folders = PATH.split(delimiter).filter((folder) => folder && !folder.includes("node_modules"));
  return folders.some((folder) => exists(join(folder, "agiraph"))) ? undefined : started;
}

/** For a person at a terminal, after a command. */
export function calledNote(env: Env): string[] {
  const called = calledAs(env);
  return called ? [`(agiraph is not on your PATH; where it is named, write: ${called})`] : [];
}
