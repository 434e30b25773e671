/**
 * The folders that a program is installed in, so that it runs in a sandbox that shows nothing else around it: the folder of its name on the PATH,
 * the one that the link leads to (a whole `node_modules` or Python environment: packages need their neighbours), and those of the Node that runs it
 * if it is a script for Node. Of a folder that holds much else, such as the user's home, only the file itself.
 */
import * as fs from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** Every sandbox shows these. */
const system = /^\/(usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store)(\/|$)/;
/** Nothing is installed in these themselves. A sandbox has a /tmp of its own. */
const wide = /^\/(|dev|etc|home|media|mnt|opt|proc|root|run|srv|sys|tmp|var|var\/tmp)$/;

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
  for (const path of [file, real]) folders.add(await neighbourhoodOf(path));
  return real;
}

/** What it needs around it. */
async function neighbourhoodOf(file: string): Promise<string> {
  const modules = /^(.*?\/node_modules)\//.exec(file)?.[1];
  if (modules) return modules;
  const folder = dirname(file);
  if (wide.test(folder) || `${homedir()}/`.startsWith(`${folder}/`)) return file;
  const around = dirname(folder);
  return (await fs.stat(join(around, "pyvenv.cfg")).catch(() => undefined)) ? around : folder;
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
