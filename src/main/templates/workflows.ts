/** Where workflows are looked for: `workflows/` of the home, then those that came with this installation. */
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Usable } from "../../home/workflow-file.ts";
import { createWorkflowTexts, type WorkflowTexts } from "../../home/workflow-texts.ts";
import { createWorkflows, readWorkflow, type Workflows } from "../../home/workflows.ts";
import { machine } from "../../lib/machine/index.ts";

const examples = new URL(
  import.meta.url.endsWith(".ts") ? "../../../examples/workflows/" : "../examples/workflows/",
  import.meta.url,
);

/** Of a home that nobody named only those that came with the installation count. */
const foldersOf = (home: string, plain: boolean) => [
  ...(plain ? [] : [{ path: join(home, "workflows"), from: "home" as const }]),
  { path: fileURLToPath(examples), from: "example" as const },
];

export const openWorkflows = (home: string, plain: boolean, env: Record<string, string | undefined>): Workflows =>
  createWorkflows({ files: machine.files, env, folders: foldersOf(home, plain) });

export const openWorkflowTexts = (home: string, plain: boolean): WorkflowTexts =>
  createWorkflowTexts({ files: machine.files, folders: foldersOf(home, plain) });

/** A file rather than a name. */
export const isWorkflowFile = (given: string): boolean => /\.ya?ml$/.test(given);

/** As a person names it, from where they are. */
export function readWorkflowFile(given: string): Promise<Usable> {
  const path = resolve(given);
  return readWorkflow(machine.files, path, basename(path).replace(/\.ya?ml$/, ""));
}
