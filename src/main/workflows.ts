/** Where workflows are looked for: `workflows/` of the home, then those that came with this installation. */
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkflows, readWorkflow, type Usable, type Workflows } from "../home/workflows.ts";
import { machine } from "../lib/machine/index.ts";

const examples = new URL(
  import.meta.url.endsWith(".ts") ? "../../examples/workflows/" : "../examples/workflows/",
  import.meta.url,
);

/** Of a home that nobody named only those that came with the installation count. */
export const openWorkflows = (home: string, plain: boolean): Workflows =>
  createWorkflows({
    files: machine.files,
    folders: [
      ...(plain ? [] : [{ path: join(home, "workflows"), from: "home" as const }]),
      { path: fileURLToPath(examples), from: "example" },
    ],
  });

/** A file rather than a name. */
export const isWorkflowFile = (given: string): boolean => /\.ya?ml$/.test(given);

/** As a person names it, from where they are. */
export function readWorkflowFile(given: string): Promise<Usable> {
  const path = resolve(given);
  return readWorkflow(machine.files, path, basename(path).replace(/\.ya?ml$/, ""));
}
