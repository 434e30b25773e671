/** What an agent changed in the user's repository: the list of changes, a diff with the comments on it, and handing it over. */
import type { Changes, NodeChange } from "../../api/changes.ts";
import { fromFrozenState } from "../../api/state.ts";
import { commentsOn, commentText, lineAt, listenerOf, type Spot } from "../../core/file/line-comment.ts";
import { findNode } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import { commandRef, shellLine } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import { diffLines, statLines } from "../diff/diff-lines.ts";
import { sideBySideLines } from "../diff/side-by-side.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { wrapCommands } from "../terminal/wrap-commands.ts";
import { drawEvidence } from "../view/evidence.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

/** Everything that was merged, if no node is named. */
export async function showDiff(
  shell: Shell,
  wanted: string | undefined,
  node: string | undefined,
  { stat = false, sideBySide = false, run }: { stat?: boolean; sideBySide?: boolean; run?: string },
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const look = { width: shell.terminal.width(), colors: shell.terminal.colors };
  const query = run === undefined ? {} : { run };
  const changes = await shell.client.getChanges({ params, query });
  if (!changes.workspace) throw new Problem("wrong_state", changes.why ?? `${agent} works on no repository`);
  if (node === undefined && !changes.integration) return show(shell, changes, () => changeLines(agent, changes, shell));
  const diff =
    node === undefined
      ? await shell.client.getDiff({ params, query })
      : await shell.client.getNodeDiff({ params: { agent, node }, query });
  const state = changes.run === changes.runs.at(-1) ? await stateOf(shell, agent) : undefined;
  const comments = state ? commentLines(state, node === undefined ? undefined : findNode(state, node).id, look) : [];
  show(shell, diff, () => [
    ...(node === undefined ? [...changeLines(agent, changes, shell), ""] : []),
    ...statLines(diff, look),
    ...comments,
    ...(stat ? [] : ["", ...(sideBySide ? sideBySideLines : diffLines)(diff, look)]),
  ]);
}

const stateOf = async ({ client }: Shell, agent: string): Promise<State> =>
  fromFrozenState(await client.getState({ params: { agent } }));

/** Before the diff, where programs that read one skip it. */
function commentLines(state: State, node: string | undefined, { width, colors }: Look): string[] {
  const threads = [...commentsOn(state.channel, node ?? merged)];
  const lines = threads.flatMap(([key, comments]) => {
    const [, side, line, path] = /^(\S+) (\d+) (.*)$/s.exec(key)!;
    const place = `${clean(path!)}:${line}${side === "old" ? ", removed" : ""}`;
    return comments.flatMap(({ from, text }, nth) => [
      ...(nth ? [] : [` ${colors.cyan(place)}`]),
      ...wrap(`${from}: ${text}`, width - 3).map((words) => `   ${words}`),
    ]);
  });
  return lines.length ? ["", colors.bold("Comments"), ...lines] : [];
}

interface Look {
  width: number;
  colors: Shell["terminal"]["colors"];
}

/** What stands for a node in a comment on all that was merged. */
const merged = "merged";

/** A comment on a line that the diff shows, as a message to the worker of the node; on merged work, to whoever leads. */
export async function commentOnLine(
  shell: Shell,
  wanted: string,
  given: string,
  place: string,
  { text, removed = false }: { text: string; removed?: boolean },
): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const state = await stateOf(shell, agent);
  const node = given === merged ? undefined : findNode(state, given).id;
  const at = spotOf(place, removed);
  const diff = await (node === undefined
    ? shell.client.getDiff({ params, query: {} })
    : shell.client.getNodeDiff({ params: { agent, node }, query: {} }));
  const line = lineAt(diff, at);
  if (line === undefined)
    throw new Problem(
      "not_found",
      `the diff of ${node ?? "merged work"} shows no ${removed ? "removed " : ""}line ${at.line} of ${at.path}; see ${commandRef(`diff ${agent}${node ? ` ${node}` : ""}`)}`,
    );
  const to = listenerOf(state, node);
  const message = commentText(node ?? merged, at, line, text);
  const sent = await shell.client.send({ params, body: { message, ...(to === undefined ? {} : { to }) } });
  const next = shell.later ? `, read with: ${shellLine(`resume ${agent}`)}` : ".";
  show(shell, sent, () => [`Sent to ${sent.to.join(", ")} (${sent.id})${next}`]);
}

function spotOf(place: string, removed: boolean): Spot {
  const [, path, line] = /^(.+):(\d+)$/s.exec(place) ?? [];
  if (path === undefined || line === undefined)
    throw new Problem("invalid", `${JSON.stringify(place)} is not a line; write FILE:LINE, as in src/main.py:12`);
  return { path, line: Number(line), side: removed ? "old" : "new" };
}

/** Each node with a change: what became of it and what stands behind it. */
export function changeLines(
  agent: string,
  { run, runs, workspace, nodes, unmerged, handovers }: Changes,
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
  const isPast = run !== null && run !== runs.at(-1);
  const of = isPast ? ` --run ${run}` : "";
  const take = isPast ? "" : `; take it all: ${commandRef(`merge ${agent}`)}`;
  const others = runs.filter((one) => one !== run).join(", ");
  const base = workspace?.base ? ` from ${workspace.base.slice(0, 7)}` : "";
  return [
    `${colors.bold(agent)} works on ${clean(workspace?.folder ?? "")}${workspace?.branch ? `, ${clean(workspace.branch)}` : ""}${base}`,
    ...(rows.length
      ? [colors.dim(head!), ...lines.map((line, at) => painted(line, nodes[at]!, terminal))]
      : ["No node has changed anything yet."]),
    ...(unmerged.length ? wrap(`Not merged: ${unmerged.join(", ")}`, width) : []),
    ...wrapCommands(
      last
        ? `Handed over: ${last.as} ${last.into}`
        : `${isPast ? "Nothing had reached your files when the next run began" : "Nothing has reached your files"}. See one: ${commandRef(`diff ${agent} NODE${of}`)}${take}`,
      width,
    ),
    ...(others
      ? wrapCommands(`This is run ${run}. Other runs (${others}): ${commandRef(`diff ${agent} --run RUN`)}`, width)
      : []),
  ];
}

const painted = (line: string, { evidence }: NodeChange, { colors }: Shell["terminal"]): string =>
  evidence === undefined ? line : line.replace(` ${evidence} `, ` ${drawEvidence(evidence, colors)(evidence)} `);

function becameOf({ change, merged, through, published, status }: NodeChange): string {
  if (!change) return "none";
  if (merged) return through ? `merged through ${through.split("-")[0]}` : "merged";
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
