/**
 * Where a memory is, and its valid paths. A path is relative, has no `..` and no hidden part, ends in `.md`, and never leads through a link. Only
 * notes can be named: no soul, goal, log, plan or identity.
 */
import { join } from "node:path";
import { agentRoot, heldRoot, workerRoot } from "../home/layout.ts";
import type { Files } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";

export interface Place {
  /** Names it in the index. */
  owner: string;
  root: string;
  /** The main file. */
  main: "MEMORY.md" | "memory.md";
  /** Other notes that lie beside it. */
  beside: readonly string[];
}

export const agentPlace = (home: string, agent: string): Place => ({
  owner: agent,
  root: agentRoot(home, agent),
  main: "MEMORY.md",
  beside: [],
});

export const workerPlace = (home: string, agent: string, run: string, worker: string): Place => ({
  owner: `${agent}/${run}/${worker}`,
  root: workerRoot(home, agent, run, worker),
  main: "memory.md",
  beside: ["notebook.md"],
});

/** What a run writes that has read what strangers wrote, until the human accepts it (memory-held.ts). */
export const heldPlace = (home: string, agent: string, run: string): Place => ({
  owner: `${agent}/${run}/held`,
  root: heldRoot(home, agent, run),
  main: "MEMORY.md",
  beside: [],
});

export const todo = "TODO.md";

/** The canonical name of a note, from any spelling; relative to the root. */
export function nameOf({ main, beside }: Place, path: string): string {
  const said = path.trim().replace(/^(?:\.\/)+/, "");
  const top = [main, todo, ...beside].find((name) => name.toLowerCase() === said.toLowerCase());
  if (top) return top;
  const steps = said.replace(/^memory\//, "").split("/");
  const bad = (why: string, code: "path_escapes" | "invalid" = "invalid") => {
    throw new Problem(code, `${JSON.stringify(path)} ${why}; use a path below memory/ such as knowledge/topic.md`);
  };
  if (said.startsWith("/") || said.includes("\\") || /^[a-z]:\//i.test(said) || steps.includes(".."))
    bad("leaves your memory", "path_escapes");
  if (steps.some((step) => step === "")) bad("is not a path to a note");
  if (steps.some((step) => step.startsWith(".") || /[\p{Cc}:*?"<>|]|^\s|[\s.]$/u.test(step)))
    bad("has a hidden part or a character that is not allowed in file names everywhere");
  if (!/[^/]\.md$/.test(said)) bad("does not end in .md");
  if (said.length > 300 || steps.length > deepest || steps.some((step) => Buffer.byteLength(step) > 200))
    bad("is too long");
  return ["memory", ...steps].join("/");
}

/** Maximum depth of folders. */
export const deepest = 8;

/** The absolute path of a name. No step may be a link, and the last is a file or does not exist yet. */
export async function pathOf(files: Files, { root }: Place, name: string): Promise<string> {
  const steps = name.split("/");
  let at = root;
  for (const [nth, step] of ["", ...steps].entries()) {
    at = join(at, step);
    const kind = (await files.stat(at))?.kind;
    if (kind === undefined) return join(root, name);
    if (kind === "other") throw new Problem("path_escapes", `${name} contains a link; notes must be in real folders`);
    if (nth === steps.length ? kind === "folder" : kind === "file")
      throw new Problem("invalid", `${steps.slice(0, nth).join("/")} is a ${kind}; choose another path`);
  }
  return at;
}
