/** What an agent changed in the user's repository: the list of changes, a diff, and handing it over. */
import type { Changes, NodeChange } from "../api/changes.ts";
import { commandRef } from "../lib/command-line.ts";
import { Problem } from "../schema/problem.ts";
import { diffLines, statLines } from "./diff-lines.ts";
import { pickAgent, type Shell, show } from "./shell.ts";
import { table } from "./table.ts";
import { clean, wrap } from "./text.ts";

/** Everything that was merged, if no node is named. */
export async function showDiff(
  shell: Shell,
  wanted: string | undefined,
  node: string | undefined,
  { stat = false }: { stat?: boolean },
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const look = { width: shell.terminal.width(), colors: shell.terminal.colors };
  const changes = await shell.client.getChanges({ params });
  if (!changes.workspace) throw new Problem("wrong_state", changes.why ?? `${agent} works on no repository`);
  if (node === undefined && !changes.integration) return show(shell, changes, () => changeLines(agent, changes, shell));
  const diff =
    node === undefined
      ? await shell.client.getDiff({ params })
      : await shell.client.getNodeDiff({ params: { agent, node }, query: {} });
  show(shell, diff, () => [
    ...(node === undefined ? [...changeLines(agent, changes, shell), ""] : []),
    ...statLines(diff, look),
    ...(stat ? [] : ["", ...diffLines(diff, look)]),
  ]);
}

/** Each node with a change: what became of it and what stands behind it. */
export function changeLines(
  agent: string,
  { workspace, nodes, handovers }: Changes,
  { terminal }: Pick<Shell, "terminal">,
) {
  const { colors } = terminal;
  const width = terminal.width();
  const rows = nodes.map((one) => [
    one.node ?? "coordinator",
    becameOf(one),
    one.evidence ?? "",
    one.change ? `+${one.change.added} -${one.change.removed}` : "",
    clean(one.name),
  ]);
  const columns = [
    { title: "node", least: 10 },
    { title: "change", least: 9 },
    { title: "evidence" },
    { title: "lines", right: true },
    { title: "name", wide: true },
  ];
  const [head, ...lines] = table(columns, rows, width);
  const last = handovers.at(-1);
  const base = workspace?.base ? ` from ${workspace.base.slice(0, 7)}` : "";
  return [
    `${colors.bold(agent)} works on ${clean(workspace?.folder ?? "")}${workspace?.branch ? `, ${clean(workspace.branch)}` : ""}${base}`,
    ...(rows.length
      ? [colors.dim(head!), ...lines.map((line, at) => painted(line, nodes[at]!, terminal))]
      : ["No node has changed anything yet."]),
    ...wrap(
      last
        ? `Handed over: ${last.as} ${last.into}`
        : `Nothing has reached your files. See one: ${commandRef(`diff ${agent} NODE`)}; take it all: ${commandRef(`merge ${agent}`)}`,
      width,
    ),
  ];
}

const painted = (line: string, { evidence }: NodeChange, { colors }: Shell["terminal"]): string =>
  evidence === undefined ? line : line.replace(` ${evidence} `, ` ${colors.green(evidence)} `);

function becameOf({ change, merged, published, status }: NodeChange): string {
  if (!change) return "none";
  if (merged) return "merged";
  return published ? "published" : status === "running" || status === "waiting" ? "at work" : `kept, ${status}`;
}

export interface Taken {
  as?: "merge" | "branch" | "patch";
  into?: string;
  name?: string;
  node?: string;
}

export async function takeOver(shell: Shell, wanted: string | undefined, given: Taken): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const answer = await shell.client.mergeChanges({ params: { agent }, body: { as: "merge", ...given } });
  show(shell, answer, () => wrap(answer.text, shell.terminal.width()));
}
