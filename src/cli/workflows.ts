/** Workflows from the command line: which there are, and what is wrong with those that cannot be used. */
import type { WorkflowLine } from "../api/workflows.ts";
import { type Shell, show } from "./shell.ts";
import { table } from "./table.ts";
import { clean, wrap } from "./text.ts";

export async function listWorkflows(shell: Shell): Promise<void> {
  const { items } = await shell.client.listWorkflows();
  show(shell, items, () => workflowLines(items, shell));
}

export function workflowLines(items: readonly WorkflowLine[], { terminal }: Pick<Shell, "terminal">): string[] {
  const { colors } = terminal;
  const usable = items.filter(({ problem }) => problem === null);
  const rows = usable.map(({ name, about, workers, nodes }) => [
    name,
    clean(about ?? ""),
    String(workers.length),
    String(nodes.length),
  ]);
  const columns = [
    { title: "workflow" },
    { title: "about", wide: true },
    { title: "workers", right: true },
    { title: "nodes", right: true },
  ];
  const [head, ...lines] = table(columns, rows, terminal.width());
  const wrong = items.flatMap(({ name, problem }) =>
    problem === null ? [] : wrap(`${name} is invalid: ${clean(problem)}`, terminal.width()),
  );
  return [
    ...(rows.length ? [colors.dim(head!), ...lines] : ["No workflows."]),
    ...wrong.map((line) => colors.red(line)),
  ];
}
