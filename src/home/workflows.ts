/**
 * Workflows on disk: `NAME.yaml` in a folder. Read each time, so an edit applies from the next agent on. Listing never throws: an error in a file
 * is reported beside its name. Of two with the same name the one in the first folder wins.
 * Here a workflow is called by its file. Not here: how a file becomes a team (workflow-file.ts).
 */
import { dirname, join } from "node:path";
import type { Files } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { parseWorkflow, type Usable, type WorkflowInput } from "./workflow-file.ts";
import { freezeRun } from "./workflow-freeze.ts";

export type From = "home" | "example";
export type KnownWorkflow = { name: string; from: From; path: string } & (Omit<Usable, "name"> | { problem: string });

export interface Workflows {
  list(): Promise<KnownWorkflow[]>;
  /** Throws `not_found`, listing those that exist, or `invalid`, with the place of the error. */
  find(name: string): Promise<Usable>;
  /** A run as a workflow file. */
  freeze: typeof freezeRun;
}

const mostFiles = 100;
export const mostBytes = 262_144;
const ending = /\.ya?ml$/;

export interface WorkflowsOptions {
  files: Files;
  folders: readonly { path: string; from: From }[];
  /** For `env` in expressions; none if missing. */
  env?: WorkflowInput["env"];
}

export function createWorkflows({ files, folders, env }: WorkflowsOptions): Workflows {
  async function lookAt(path: string, name: string): Promise<Usable | { problem: string }> {
    try {
      const { start, ...usable } = await readWorkflow(files, path, name);
      const around = { env, source: { folder: dirname(path) } };
      return { ...usable, start: (given) => start({ ...around, ...given }) };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async function list(): Promise<KnownWorkflow[]> {
    const found = new Map<string, KnownWorkflow>();
    for (const { path: folder, from } of folders) {
      const names = (await files.list(folder)).filter(({ name, kind }) => kind === "file" && ending.test(name));
      for (const { name: file } of names.slice(0, mostFiles)) {
        const name = file.replace(ending, "");
        const path = join(folder, file);
        if (!found.has(name)) found.set(name, { ...(await lookAt(path, name)), name, from, path });
      }
    }
    return [...found.values()];
  }

  return {
    list,
    freeze: freezeRun,
    async find(name) {
      const all = await list();
      const one = all.find((known) => known.name === name);
      if (!one)
        throw new Problem(
          "not_found",
          `there is no workflow ${name}; workflows: ${all.map((known) => known.name).join(", ") || "none"}. A workflow is a file: ${join(folders[0]!.path, "NAME.yaml")}`,
        );
      if ("problem" in one) throw new Problem("invalid", one.problem);
      return one;
    },
  };
}

/** Throws `not_found` or `invalid`; the message has the file and the line. */
export async function readWorkflow(files: Files, path: string, name: string): Promise<Usable> {
  const stat = await files.stat(path);
  if (!stat) throw new Problem("not_found", `there is no file ${path}`);
  if (stat.size > mostBytes)
    throw new Problem("invalid", `${path} has ${stat.size} bytes; a workflow may have at most ${mostBytes}`);
  return parseWorkflow(String((await files.read(path)) ?? ""), path, name);
}
