/** Agents from the command line: list, make, pause, let go on, stop, end. */

import type { Summary } from "../../api/agents.ts";
import { limitOf } from "../../core/agent/budget.ts";
import { endingInWords, type StopPreview } from "../../core/agent/preview.ts";
import { taintInWords } from "../../core/turn/taint.ts";
import { commandRef, shellLine } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import type { BudgetWish } from "../../schema/budget.ts";
import type { Team } from "../../schema/workflow.ts";
import { table } from "../terminal/table.ts";
import { clean, wrap } from "../terminal/text.ts";
import { ago } from "../terminal/words.ts";
import { wrapCommands } from "../terminal/wrap-commands.ts";
import { allAgents, pickAgent, type Shell, show } from "./shell.ts";
import { templateOf } from "./souls.ts";

export async function listAgents(shell: Shell, { all = false }: { all?: boolean }): Promise<void> {
  const agents = await allAgents(shell, all);
  agents.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  show(shell, agents, () => agentLines(agents, shell));
}

export function agentLines(agents: readonly Summary[], { terminal, now }: Pick<Shell, "terminal" | "now">): string[] {
  if (agents.length === 0) return [`No agents yet. Start one: ${shellLine('run "your goal"')}`];
  const untrusted = agents.find(({ status }) => status === "untrusted")?.reason?.message;
  const rows = agents.map((one) => [
    one.id,
    statusOf(one),
    clean(one.goal),
    String(one.node_count),
    money(one.cost.usd),
    one.seq ? ago(now() - Date.parse(one.updated_at)) : "",
  ]);
  const columns = [
    { title: "agent", least: 16 },
    { title: "status", least: 12 },
    { title: "goal", wide: true },
    { title: "nodes", right: true },
    { title: "cost", right: true },
    { title: "last", right: true },
  ];
  const [head, ...lines] = table(columns, rows, terminal.width());
  const note = untrusted ? [...wrap(clean(untrusted), terminal.width()), ""] : [];
  return [...note, terminal.colors.dim(head!), ...lines];
}

function statusOf({ status, open_questions: open, evidence }: Summary): string {
  if (!open) return status === "completed" && evidence ? `${words(status)}, ${evidence}` : words(status);
  return status === "waiting_for_human" ? `asks you (${open})` : `${words(status)}, asks (${open})`;
}

/** One agent at a glance. */
export async function showAgent(shell: Shell, wanted: string): Promise<void> {
  const summary = await shell.client.getAgent({ params: { agent: await pickAgent(shell, wanted) } });
  show(shell, summary, () => statusLines(summary, shell));
}

export function statusLines(one: Summary, { terminal, now }: Pick<Shell, "terminal" | "now">): string[] {
  const width = terminal.width();
  const many = (count: number, name: string) => `${count} ${name}${count === 1 ? "" : "s"}`;
  const counts = [
    ...(one.run ? [one.run] : []),
    many(one.node_count, "node"),
    many(one.worker_count, "worker"),
    ...(one.open_questions ? [`${many(one.open_questions, "question")} for you`] : []),
    `${money(one.cost.usd)} spent`,
    ...(one.seq ? [`last ${ago(now() - Date.parse(one.updated_at))}`] : []),
  ];
  const [first = "", ...rest] = [
    `${one.id} is ${words(one.status)}${one.reason ? `: ${clean(one.reason.message)}` : ""}`,
    clean(one.goal),
    counts.join(", "),
    ...(one.evidence ? [proofInWords(one.evidence, one.claimed, one.unmerged)] : []),
    ...(one.tainted_by ? [clean(taintInWords(one.tainted_by))] : []),
  ].flatMap((line) => wrap(line, width));
  // Styled after wrapping, which counts and cleans plain text.
  return [terminal.colors.bold(first.slice(0, one.id.length)) + first.slice(one.id.length), ...rest];
}

/** What stands behind its latest answer. */
const proofInWords = (evidence: string, claimed: readonly string[] = [], unmerged: readonly string[] = []): string =>
  `its answer is ${evidence}${claimed.length ? `; claimed only: ${claimed.join(", ")}` : ""}${unmerged.length ? `; not merged: ${unmerged.join(", ")}` : ""}`;

const words = (status: string): string => status.replaceAll("_", " ");

export interface NewAgent {
  model?: string;
  budget?: BudgetWish;
  name?: string;
  infinite?: boolean;
  cycle?: number;
  start?: boolean;
  /** Absolute. */
  folder?: string;
  merge?: "auto";
  tools?: string[];
  /** Its name, where the daemon has it; or the team of one that only we have. */
  workflow?: string;
  team?: Team;
  /** The text of its soul, or a template of the daemon's. */
  soul?: string;
  template?: string;
}

export async function makeAgent(shell: Shell, goal: string, given: NewAgent): Promise<Summary> {
  const soul = given.template === undefined ? given.soul : await templateOf(shell, given.template);
  return await shell.client.createAgent({
    body: {
      goal,
      ...(given.name ? { name: given.name } : {}),
      ...(given.model ? { model: given.model } : {}),
      ...(given.budget ? { budget: given.budget } : {}),
      ...(given.infinite ? { mode: "infinite" as const } : {}),
      ...(given.cycle ? { cycle_seconds: given.cycle } : {}),
      ...(given.folder ? { folder: given.folder } : {}),
      ...(given.merge ? { merge: given.merge } : {}),
      ...(given.tools ? { tools: given.tools } : {}),
      ...(given.workflow ? { workflow: given.workflow } : {}),
      ...(given.team ? { team: given.team } : {}),
      ...(soul === undefined ? {} : { soul }),
      ...(given.start === false ? { start: false } : {}),
    },
  });
}

export async function newAgent(shell: Shell, goal: string, given: NewAgent): Promise<void> {
  const made = await makeAgent(shell, goal, given);
  show(shell, made, () => newAgentLines(made, given, shell));
}

export const newAgentLines = ({ id, model }: Summary, { start }: NewAgent, { terminal, later }: Shell): string[] =>
  wrapCommands(
    start === false
      ? `Created ${id} with ${model}. Start it: ${commandRef(`rerun ${id}`)}`
      : later
        ? `Created ${id} with ${model}. Let it work: ${commandRef(`resume ${id}`)}`
        : `Started ${id} with ${model}. Follow it: ${commandRef(`watch ${id}`)}`,
    terminal.width(),
  );

const done = {
  pauseAgent: (id: string) => `Paused ${id}. Resume it: ${commandRef(`resume ${id}`)}`,
  resumeAgent: (id: string) => `Resumed ${id}. Follow it: ${commandRef(`watch ${id}`)}`,
  archiveAgent: (id: string) => `Archived ${id}. Its files and log are kept.`,
};

export async function changeAgent(shell: Shell, how: keyof typeof done, wanted: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const summary = await shell.client[how]({ params: { agent } });
  show(shell, summary, () => wrapCommands(done[how](agent), shell.terminal.width()));
}

/** Says what it ends in the words of the core, taken right before. */
export async function stopAgent(shell: Shell, wanted: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const { words } = await shell.client.previewStop({ params: { agent } });
  const summary = await shell.client.stopAgent({ params: { agent } });
  show(shell, summary, () => stopLines(agent, words, shell.terminal.width()));
}

export function stopLines(
  agent: string,
  { ends, kept, later }: Omit<StopPreview["words"], "pause">,
  width: number,
): string[] {
  return [
    `Stopped ${agent}.`,
    ...ends.map(endingInWords),
    kept,
    `${later} Resume it: ${commandRef(`resume ${agent}`)}`,
  ].flatMap((line) => wrapCommands(line, width));
}

export async function startAgain(shell: Shell, wanted: string, goal: string | undefined, budget?: BudgetWish) {
  const agent = await pickAgent(shell, wanted);
  const params = { agent };
  const { status } = await shell.client.getAgent({ params });
  if (["idle", "working", "waiting_for_human", "paused"].includes(status)) await shell.client.stopAgent({ params });
  const run = await shell.client.startRun({
    params,
    body: { ...(goal ? { goal } : {}), ...(budget ? { budget: limitOf(budget) } : {}) },
  });
  return { agent, run };
}
