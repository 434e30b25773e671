/**
 * Plants one bug: the file is patched as it is loaded, so product code holds no switches.
 *   node --import ./sim/plant.ts sim/main.ts --bug NAME
 * or `plant(name)` before the file is first imported (dynamically).
 *
 * Always holds: exactly one patch, at exactly one place, or an error that says why not; with --bug, a run that never loaded the patched
 * file ends with exit code 3. Not here: the patches (bugs.ts). Works in plain Node, not within vitest, which loads files itself.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { type Bug, bugs } from "./bugs.ts";

export interface Planted {
  bug: Bug;
  /** True once the patched file was loaded. */
  loaded(): boolean;
}

export function plant(name: string): Planted {
  const bug = bugs.find((each) => each.name === name);
  if (!bug) throw new Error(`there is no bug ${name}; there are: ${bugs.map((each) => each.name).join(", ")}`);
  const url = urlOf(bug);
  patch(readFileSync(url, "utf8"), bug);
  let loaded = false;
  registerHooks({
    load(address, context, next) {
      const module = next(address, context);
      if (address.split("?")[0] !== url.href) return module;
      loaded = true;
      return { ...module, source: patch(textOf(module.source), bug) };
    },
  });
  return { bug, loaded: () => loaded };
}

/** The source with the bug in it; throws if the place is not found, or more than once. */
export function patch(source: string, bug: Bug): string {
  const parts = source.split(bug.find);
  if (parts.length === 2) return parts.join(bug.replace);
  const found = parts.length === 1 ? "does not occur" : `occurs ${parts.length - 1} times`;
  throw new Error(
    `bug ${bug.name}: the text to replace ${found} in ${bug.file}; it must occur exactly once: ${bug.find}`,
  );
}

export const urlOf = (bug: Bug): URL => new URL(`../${bug.file}`, import.meta.url);

const textOf = (source: unknown): string =>
  typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString("utf8");

const flag = process.argv.indexOf("--bug");
if (flag > 0) {
  const planted = plant(process.argv[flag + 1] ?? "");
  process.on("exit", (code) => {
    if (code !== 0 || planted.loaded()) return;
    console.error(`bug ${planted.bug.name} was planted, but ${planted.bug.file} was never loaded`);
    process.exitCode = 3;
  });
}
