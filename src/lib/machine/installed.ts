/**
 * The folders that a program is installed in, so that it runs in a sandbox that shows nothing else around it: the folder of its name on the PATH,
 * the one that the link leads to (a whole `node_modules`: packages need their neighbours), and those of the Node that runs it if it is a script for
 * Node.
 */
import * as fs from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** Every sandbox shows these. */
const system = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store)(\/|$)/;

/** Empty for a missing program. `path` is the PATH of the program. */
export async function foldersOf(programs: readonly string[], path: string): Promise<string[]> {
  const folders = new Set<string>();
  for (const file of programs) {
    const real = await placeOf(file, folders);
    if (!real || !(await isForNode(real))) continue;
    for (const folder of path.split(delimiter).filter(isAbsolute)) {
      if (await placeOf(join(folder, "node"), folders)) break;
    }
  }
  return [...folders].filter((folder) => !system.test(folder));
}

/** Adds its folders, and returns the file itself. */
async function placeOf(file: string, folders: Set<string>): Promise<string | undefined> {
  const real = await fs.realpath(file).catch(() => undefined);
  if (!real) return undefined;
  for (const path of [file, real]) folders.add(/^(.*?\/node_modules)\//.exec(path)?.[1] ?? dirname(path));
  return real;
}

async function isForNode(file: string): Promise<boolean> {
  const opened = await fs.open(file).catch(() => undefined);
  if (!opened) return false;
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(100), 0, 100, 0);
    return /^#!.*\bnode\b/.test(buffer.toString("latin1", 0, bytesRead));
  } finally {
    await opened.close();
  }
}
