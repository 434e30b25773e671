/**
 * Which homes may work. A home that somebody named (--home, AGIRAPH_HOME) or that is the user's own may; one that was merely come upon, in or
 * above the current folder, may have come with a project that somebody else wrote: nothing in it is opened, recovered or started until the user
 * trusts it by name, once.
 *
 * What is trusted is said outside of the homes, in ~/.agiraph/trusted, one file for each. It names the real path and a random word that lies in
 * the home as well, in a file only its owner can read: a folder that takes the place of a trusted one, or a copy of one elsewhere, is another home.
 * A home that we make ourselves is trusted from its first moment.
 */

import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { commandRef, shellWord } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";

export const ownHome = (): string => join(homedir(), ".agiraph");

const wordFile = "trusted-word";
const listFolder = (): string => join(ownHome(), "trusted");
const entryOf = (home: string): string => join(listFolder(), createHash("sha256").update(home).digest("hex"));

export function isTrusted(home: string): boolean {
  try {
    const real = fs.realpathSync(home);
    const { path, word } = JSON.parse(readPlain(entryOf(real))) as { path?: unknown; word?: unknown };
    return path === real && typeof word === "string" && word.length >= 32 && readPlain(join(real, wordFile)) === word;
  } catch {
    return false; // not listed, or not the one that was
  }
}

export function trustHome(home: string): void {
  const real = fs.realpathSync(home);
  const word = randomBytes(32).toString("hex");
  // Not with those above: where the user has no folder at all there is nobody to remember it for.
  if (!fs.existsSync(ownHome())) fs.mkdirSync(ownHome(), { mode: 0o700 });
  fs.mkdirSync(listFolder(), { recursive: true, mode: 0o700 });
  replace(join(real, wordFile), word);
  replace(entryOf(real), JSON.stringify({ path: real, word }));
}

/** It counts as come upon from now on, also while it is used. */
export const distrustHome = (home: string): void => fs.rmSync(entryOf(fs.realpathSync(home)), { force: true });

/** The folder of a home, made if it is missing. One that was not there, or had nothing in it, is ours. */
export function makeHome(path: string): void {
  const isNew = !fs.existsSync(path) || fs.readdirSync(path).length === 0;
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  // No other can be come upon.
  if (!isNew || basename(path) !== ".agiraph" || resolve(path) === ownHome()) return;
  try {
    trustHome(path);
  } catch {
    // it is asked for by name then
  }
}

export const trustCommand = (home: string): string => commandRef(`trust ${shellWord(home)}`);

/** What every use of it is refused with. */
export function untrusted(home: string): Problem {
  return new Problem(
    "untrusted",
    `${home} was found in ${dirname(home)} and is not trusted, so its agents do not run and nothing in it is used. If you know who made it, trust it: ${trustCommand(home)}. To use your own home here: --home ${ownHome()}`,
    { home },
  );
}

/** A stranger's home may lead our writing elsewhere, or wait for ever to be read: then not even a daemon looks at it. */
export function assertFilesOnly(home: string): void {
  const refuse = (name: string, what: string) =>
    new Problem(
      "untrusted",
      `${home} was found in ${dirname(home)} and is not used: ${JSON.stringify(name)} in it is ${what}, which a valid home never contains. To use your own home here: --home ${ownHome()}`,
      { home },
    );
  if (!fs.lstatSync(home).isDirectory()) throw refuse(basename(home), "not a folder");
  for (const folder of ["", "streams", "agents"]) {
    const path = join(home, folder);
    for (const entry of fs.existsSync(path) ? fs.readdirSync(path, { withFileTypes: true }) : [])
      if (!entry.isFile() && !entry.isDirectory()) throw refuse(join(folder, entry.name), "a link, a pipe or a device");
  }
}

/** Of a plain file, which is not waited for. */
function readPlain(path: string): string {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fs.fstatSync(file);
    if (!fs.fstatSync(file).isFile() || size > 10_000) throw new Error(`${path} is not a trust file`);
    return fs.readFileSync(file, "utf8");
  } finally {
    fs.closeSync(file);
  }
}

/** A link that lies there is replaced, not followed. */
function replace(path: string, content: string): void {
  const draft = `${path}.draft-${randomBytes(8).toString("hex")}`;
  fs.writeFileSync(draft, content, { mode: 0o600, flag: "wx" });
  fs.renameSync(draft, path);
}
