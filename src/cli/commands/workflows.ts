/** Workflows from the command line: which there are, what is wrong with those that cannot be used, and their instances. */
import type { Summary } from "../../api/agents.ts";
import type { WorkflowLine } from "../../api/workflows.ts";
import { shellLine } from "../../lib/command-line.ts";
import { didYouMean } from "../../lib/text/closest.ts";
import { visible, visibleLine } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { ago } from "../terminal/words.ts";
import { allAgents, type Shell, show } from "./shell.ts";

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

/** The agents that run a workflow, the most recently active first. */
export async function instancesOf(
  shell: Shell,
  workflow: string | undefined,
  tag: string | undefined,
): Promise<Summary[]> {
  const all = await allAgents(shell, false);
  return all
    .filter((one) => one.workflow !== undefined && (workflow === undefined || one.workflow === workflow))
    .filter((one) => tag === undefined || one.tag === tag)
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
}

export const isWorking = ({ status }: Pick<Summary, "status">): boolean =>
  status === "working" || status === "idle" || status === "waiting_for_human";

/** The most recently active one. Throws `not_found`, and names those there are. */
export async function instanceOf(shell: Shell, workflow: string, tag: string): Promise<Summary> {
  const all = await instancesOf(shell, undefined, undefined);
  const [found] = all.filter((one) => one.workflow === workflow && one.tag === tag);
  if (found) return found;
  const names = [...new Set(all.map((one) => `${one.workflow}:${one.tag}`))];
  const meant = didYouMean(`${workflow}:${tag}`, names);
  throw new Problem(
    "not_found",
    `${workflow}:${tag} was not started${meant || `; instances: ${names.join(", ") || "none"}`}`,
  );
}

export async function listInstances(shell: Shell, { all = false }: { all?: boolean }): Promise<void> {
  const items = (await instancesOf(shell, undefined, undefined)).filter(
    (one) => all || isWorking(one) || one.status === "paused",
  );
  show(shell, items, () => instanceLines(items, shell, all));
}

function instanceLines(items: readonly Summary[], { terminal, now }: Shell, all: boolean): string[] {
  if (!items.length)
    return [
      all
        ? "No workflow was started yet."
        : `No workflow is at work. ${shellLine("workflow ls --all")} shows ended ones.`,
    ];
  const rows = items.map((one) => [
    one.workflow ?? "",
    one.tag ?? "",
    one.id,
    one.status.replaceAll("_", " "),
    ago(now() - Date.parse(one.updated_at)),
  ]);
  const columns = [
    { title: "workflow" },
    { title: "tag" },
    { title: "agent", wide: true },
    { title: "status" },
    { title: "last", right: true },
  ];
  const [head, ...lines] = table(columns, rows, terminal.width());
  return [terminal.colors.dim(head!), ...lines];
}

/** All of its instances that are at work; of one tag if one is named. */
export async function stopInstances(shell: Shell, workflow: string, { tag }: { tag?: string }): Promise<void> {
  const all = await instancesOf(shell, workflow, tag);
  if (!all.length) await instanceOf(shell, workflow, tag ?? "main");
  const stopped: Summary[] = [];
  for (const { id, status } of all)
    if (isWorking({ status }) || status === "paused")
      stopped.push(await shell.client.stopAgent({ params: { agent: id } }));
  show(shell, stopped, () =>
    stopped.length
      ? stopped.map((one) => `Stopped ${one.workflow}:${one.tag} (${one.id}).`)
      : [`${workflow} is not at work.`],
  );
}

interface Checked {
  name: string;
  params: readonly { name: string; required: boolean }[];
  team: {
    workers: readonly unknown[];
    nodes: readonly unknown[];
    setup?: readonly unknown[] | undefined;
    lead?: false | undefined;
  };
}

export function checkedLines(path: string, { name, params, team }: Checked): string[] {
  const many = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const parts = [
    `${many(team.workers.length, "agent")}${team.lead === false ? ", nobody leads" : ", led by a coordinator"}`,
    ...(team.nodes.length ? [many(team.nodes.length, "node")] : []),
    ...(team.setup?.length ? [many(team.setup.length, "setup step")] : []),
    ...(params.length
      ? [`parameters: ${params.map((one) => (one.required ? `${one.name} (required)` : one.name)).join(", ")}`]
      : []),
  ];
  return [clean(`${path} is a valid workflow, ${name}: ${parts.join("; ")}`)];
}

/** Somebody else's file, before it is run: signs that nobody would see are written out. */
export const foreignLines = ({
  origin,
  commit,
  hash,
  text,
}: {
  origin: string;
  commit: string;
  hash: string;
  text: string;
}): string[] => [
  `from   ${visibleLine(origin)} at ${commit}`,
  `hash   ${hash}`,
  "──────────────",
  ...visible(text).replaceAll("\t", "  ").split("\n"),
  "──────────────",
];
