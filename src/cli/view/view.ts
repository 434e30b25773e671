/**
 * What a person sees of a run: the state as a tree, and its end. Pure: the same state gives the same text.
 *
 * Every line fits the width. A status has a glyph and a word, so colour never speaks alone. All text that comes from an event is data and
 * is cleaned before it is drawn. Not here: events as lines (event-lines.ts), when and where it is drawn (terminal/terminal.ts).
 */

import { agentStatus, workerStatus } from "../../core/agent/status.ts";
import { checkTitle, evidenceOf } from "../../core/board/check.ts";
import { turnsOf } from "../../core/board/node-time.ts";
import type { State } from "../../core/state.ts";
import { shellLine, shellWord } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import type { Node } from "../../schema/node.ts";
import { bold, dim, fit, plain } from "../terminal/span.ts";
import { clean, pad, truncate, widthOf, wrap } from "../terminal/text.ts";
import { type Look, waitsFor } from "./event-lines.ts";
import { evidenceSpan } from "./evidence.ts";
import { label, nameOf, seconds, short } from "./labels.ts";
import { mark } from "./mark.ts";

/** The board as a tree under the goal: at most `rows` lines, finished nodes give way first. */
export function board(state: State, now: number, look: Look & { rows: number }): string[] {
  const { colors, width } = look;
  const facts = [agentStatus(state).replaceAll("_", " "), seconds(now - look.since), ...spent(state)];
  const status = `  ${facts.join(", ")}`;
  const goal = truncate(clean(state.run?.goal ?? state.agent?.goal ?? ""), width - status.length);
  const head = colors.bold(goal) + " ".repeat(width - widthOf(goal) - status.length) + colors.dim(status);
  const asked = needs(state, look);
  return [head, ...tree(state, { ...look, rows: look.rows - 2 - asked.length }), team(state, look), ...asked];
}

/** What waits for a word of the human: at most two lines. */
function needs(state: State, { colors, width }: Look): string[] {
  const open = [...state.questions.values()].filter(({ status }) => status === "open");
  const shown = open.slice(0, open.length > 2 ? 1 : 2);
  return [
    ...shown.map(({ id, by, text }) =>
      fit([{ ...bold(colors, `? ${id} `), draw: colors.yellow }, plain(`${nameOf(state, by)}: ${clean(text)}`)], width),
    ),
    ...(open.length > shown.length ? [colors.dim(`? ${open.length - shown.length} more questions`)] : []),
  ];
}

/** Of a board on which nothing stands. */
export const noNodes = "No nodes yet: the agent works without a team.";

/** One line a node; a node that a node created stands under it. */
export function tree(state: State, { width, colors, rows }: Look & { rows: number }): string[] {
  const branches = branchesOf(state, undefined, "");
  const fits = branches.length <= rows;
  const shown = fits ? branches : newest(branches, rows - 1);
  const most = width - 48;
  const names = Math.min(most, Math.max(0, ...shown.map(({ stem, node }) => stem.length + widthOf(label(node)))));
  const doer = (node: Node) => nameOf(state, "worker" in node && node.worker ? node.worker : node.wanted_worker);
  const people = Math.min(12, Math.max(0, ...shown.map(({ node }) => widthOf(doer(node)))));
  const lines = shown.map(({ stem, node }) => {
    const { glyph, word, paint } = mark(node, colors);
    const who = truncate(doer(node), people);
    const name = truncate(label(node), Math.max(8, most - stem.length));
    const space = " ".repeat(Math.max(0, names - stem.length - widthOf(name)));
    const spans = [
      dim(colors, stem),
      { ...plain(glyph), draw: paint },
      plain(` ${word.padEnd(11)}`),
      plain(name + space),
    ];
    const evidence = evidenceOf(node);
    const proof = evidence ? [evidenceSpan(evidence, colors)] : [];
    return fit([...spans, plain(`  ${pad(who, people)}  `), ...proof, dim(colors, remark(state, node))], width);
  });
  return fits ? lines : [colors.dim(`├─ … ${branches.length - shown.length} more`), ...lines];
}

/** What is shown when the run is over. Paths are never cut: people copy them. */
export function endingLines(
  state: State,
  paths: { output: string; run: string; log: string },
  now: number,
  look: Look,
): string[] {
  const { colors, width } = look;
  if (state.run?.status !== "completed") return [];
  const workers = [...state.participants.values()].filter(
    (one) => one.kind !== "human" && one.kind !== "coordinator",
  ).length;
  const facts = [
    seconds(now - look.since),
    count(state.nodes.size, "node"),
    count(workers, "worker"),
    count(state.seq, "event"),
    ...price(state),
  ];
  return [
    "",
    colors.bold("The answer"),
    "",
    ...wrap(state.run.summary.trim(), width - 2).map((line) => (line ? `  ${line}` : "")),
    "",
    `${colors.dim("answer")}  ${paths.output}`,
    `${colors.dim("run   ")}  ${paths.run}`,
    ...proofLines(state, look),
    ...unmergedLines(state.run.unmerged, look),
    `${colors.dim("took  ")}  ${facts.join(", ")}`,
    ...nextLines(state, paths.log, look),
  ];
}

/** What is to be decided about the user's own files comes first. */
function nextLines({ workspace, agent }: State, log: string, { colors }: Look): string[] {
  const next = `${colors.dim("next  ")}  `;
  if (!workspace?.integration || !agent) return [`${next}every event, one per line:`, `        cat ${shellWord(log)}`];
  const last = workspace.handovers.at(-1);
  if (last)
    return [`${next}it is in ${clean(last.into)}; see what was changed:`, `        ${shellLine(`diff ${agent.id}`)}`];
  if (agent.merge === "auto") return [`${next}see what was changed:`, `        ${shellLine(`diff ${agent.id}`)}`];
  return [
    `${next}your files are as they were; see what was changed, and take it over:`,
    `        ${shellLine(`diff ${agent.id}`)}`,
    `        ${shellLine(`merge ${agent.id}`)}`,
  ];
}

/** What stands behind the answer. */
function proofLines(state: State, { colors, width }: Look): string[] {
  const evidence = state.run && evidenceOf(state.run);
  if (!evidence || !state.nodes.size) return [];
  const claimed = state.run?.status === "completed" ? (state.run.claimed ?? []) : [];
  const only = claimed.length ? `only claimed: ${claimed.map(short).join(" ")}` : "";
  return [fit([dim(colors, "proof "), plain("  "), evidenceSpan(evidence, colors), plain(only)], width)];
}

/** What is not part of the result although it was published. */
function unmergedLines(nodes: readonly string[] = [], { colors, width }: Look): string[] {
  if (!nodes.length) return [];
  const lines = wrap(`not merged: ${nodes.join(", ")}`, width - 8);
  return lines.map((line, at) => `${at ? "      " : colors.dim("merge ")}  ${line}`);
}

/** What was spent so far, in short. */
function spent(state: State): string[] {
  const { usd = 0 } = state.accounts.get("run")?.spent ?? {};
  return usd ? [money(usd)] : [];
}

/** What the run cost, if it cost anything. */
function price(state: State): string[] {
  const { usd = 0, tokens = 0 } = state.accounts.get("run")?.spent ?? {};
  const unknown = [...state.usage].filter(([, used]) => used.unpriced).map(([model]) => model);
  const note = unknown.length ? ` (no known price for ${unknown.join(", ")})` : "";
  return usd || tokens ? [`${money(usd)}, ${tokens} tokens${note}`] : [];
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** What explains a node's status: files, reason, what it waits for. */
function remark(state: State, node: Node): string {
  switch (node.status) {
    case "pending":
      return node.depends_on.length ? `after ${node.depends_on.map(short).join(" ")}` : "";
    case "waiting":
      return waitsFor(node.on);
    case "running": {
      const failed = node.results?.find(({ outcome }) => outcome === "failed");
      if (failed) return `check failed, being mended: ${clean(checkTitle(failed.what))}`;
      const last = doing(state, node.worker);
      return `turn ${node.turns}/${turnsOf(state, node)}${last ? ` · ${last}` : ""}`;
    }
    case "completed":
      if (node.limit) return `${node.limit}: ${node.files.map((file) => clean(file.path)).join(" ")}`;
      return node.files.map((file) => clean(file.path)).join(" ");
    case "failed":
    case "cancelled":
      return clean(node.reason.message);
    default:
      return "";
  }
}

/** The tool that its worker is using, or used last. */
function doing(state: State, worker: string): string {
  const one = state.participants.get(worker);
  if (!one || one.kind === "human") return "";
  const last = one.conversation.findLast((line) => line.role === "assistant" && line.calls.length > 0);
  return last?.role === "assistant" ? clean(last.calls.at(-1)!.tool) : "";
}

interface Branch {
  stem: string;
  node: Node;
}

function branchesOf(state: State, parent: string | undefined, stem: string): Branch[] {
  const nodes = [...state.nodes.values()].filter((node) => node.parent === parent);
  return nodes.flatMap((node, index) => {
    const last = index === nodes.length - 1;
    return [
      { stem: stem + (last ? "└─ " : "├─ "), node },
      ...branchesOf(state, node.id, stem + (last ? "   " : "│  ")),
    ];
  });
}

/** The live ones and, as far as there is room, the latest of the others. */
function newest(branches: Branch[], rows: number): Branch[] {
  const rank = ({ node }: Branch) => (node.status === "completed" || node.status === "cancelled" ? 0 : 1);
  const kept = new Set(
    [...branches]
      .reverse()
      .sort((a, b) => rank(b) - rank(a))
      .slice(0, Math.max(0, rows)),
  );
  return branches.filter((branch) => kept.has(branch));
}

function team(state: State, { colors, width, hint: said = "Ctrl-C stops" }: Look): string {
  const people = [...state.participants.values()].flatMap((one) =>
    one.kind === "human" ? [] : [`${clean(one.name)} ${workerStatus(one)}`],
  );
  const hint = `  ${said}`;
  return colors.dim(pad(truncate(people.join(" · "), width - hint.length), width - hint.length) + hint);
}
