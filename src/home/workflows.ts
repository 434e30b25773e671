/**
 * Workflows on disk: `NAME.yaml` in a folder. Read each time, so an edit applies from the next agent on. Listing never throws: an error in a file
 * is reported beside its name. Of two with the same name the one in the first folder wins.
 * Not here: how a workflow becomes a team (core/workflow.ts).
 */
import { join } from "node:path";
import { slug } from "../core/names.ts";
import { flawIn } from "../core/workflow.ts";
import type { Files } from "../lib/world.ts";
import { BudgetLimit } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import { Team, Workflow, WorkflowName } from "../schema/workflow.ts";
import { readYaml } from "./yaml.ts";

export type From = "home" | "example";
export interface Usable {
  workflow: Workflow;
  team: Team;
}
export type Known = { name: string; from: From; path: string } & (Usable | { problem: string });

export interface Workflows {
  list(): Promise<Known[]>;
  /** Throws `not_found`, listing those that exist, or `invalid`, with the place of the error. */
  find(name: string): Promise<Usable>;
}

const mostFiles = 100;
const mostBytes = 262_144;
const ending = /\.ya?ml$/;

export function createWorkflows({
  files,
  folders,
}: {
  files: Files;
  folders: readonly { path: string; from: From }[];
}): Workflows {
  async function lookAt(path: string, name: string): Promise<Usable | { problem: string }> {
    try {
      return await readWorkflow(files, path, name);
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async function list(): Promise<Known[]> {
    const found = new Map<string, Known>();
    for (const { path: folder, from } of folders) {
      const names = (await files.list(folder)).filter(({ name, kind }) => kind === "file" && ending.test(name));
      for (const { name: file } of names.slice(0, mostFiles)) {
        const name = file.replace(ending, "");
        const path = join(folder, file);
        if (!found.has(name)) found.set(name, { name, from, path, ...(await lookAt(path, name)) });
      }
    }
    return [...found.values()];
  }

  return {
    list,
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

export function parseWorkflow(text: string, path: string, name: string): Usable {
  if (!WorkflowName.safeParse(name).success)
    throw new Problem("invalid", `${path}: the file name may contain only lower-case letters, digits, - and _`);
  const { value, check, wrong } = readYaml(text, path, { noun: "field of a workflow", keys: keysAt });
  const workflow = check<Workflow>(Workflow, value);
  const { workers, nodes, stages } = workflow;
  const team = check<Team>(Team, {
    workflow: name,
    workers: Object.entries(workers).map(([called, role]) => ({ name: called, ...role })),
    nodes: nodes.map((node) => ({ ...node, id: node.id ?? slug(node.title) })),
    stages,
  });
  const flaw = flawIn(team);
  if (flaw) throw wrong(flaw.path, flaw.message);
  return { workflow, team };
}

/** The fields that this part of the file may have. */
function keysAt([part, , deeper]: readonly PropertyKey[]): string[] | undefined {
  const { workers, nodes, stages } = Team.shape;
  if (part === undefined) return Object.keys(Workflow.shape);
  if (part === "budget" || deeper === "budget") return Object.keys(BudgetLimit.shape);
  if (deeper !== undefined) return undefined;
  if (part === "workers") return Object.keys(workers.element.shape).filter((key) => key !== "name");
  if (part === "nodes") return Object.keys(nodes.unwrap().element.shape);
  return part === "stages" ? Object.keys(stages.unwrap().element.shape) : undefined;
}
