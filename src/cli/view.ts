/**
 * What a person sees of a run: events as lines, the state as a tree. Pure: the same events give the same text.
 *
 * Every line fits the width. A status has a glyph and a word, so colour never speaks alone. All text that comes from an event is data and
 * is cleaned before it is drawn. Not here: when and where it is drawn (terminal.ts).
 */

import { wholeText } from "../core/attachments.ts";
import { turnsOf } from "../core/node.ts";
import { reduce } from "../core/reduce.ts";
import type { State } from "../core/state.ts";
import { agentStatus, workerStatus } from "../core/status.ts";
import { money } from "../lib/amounts.ts";
import { shellWord } from "../lib/command-line.ts";
import type { Event } from "../schema/event.ts";
import type { Node, Wait } from "../schema/node.ts";
import { type Colors, mark } from "./mark.ts";
import { questionLines } from "./question-lines.ts";
import { clean, pad, truncate, widthOf, wrap } from "./text.ts";

export interface Look {
  width: number;
  colors: Colors;
  /** When the watching began: times are counted from it (milliseconds since 1970). */
  since: number;
  /** What can be done here, beside the team. */
  hint?: string;
  /** Say also which tools are used, and leave out what was shown while it came. */
  close?: boolean;
}

/** Folds events into the state and gives the lines they are worth. A node that is created and started at once is one line, not two. */
export function newsLines(state: State, events: readonly Event[], look: Look): string[] {
  const started = new Set(events.map((event) => (event.type === "node.started" ? event.data.node : "")));
  return events.flatMap((event) => {
    reduce(state, event);
    return event.type === "node.created" && started.has(event.data.node) ? [] : eventLines(state, event, look);
  });
}

/** The lines for one event, given the state after it. Most events say nothing to people. */
function eventLines(state: State, event: Event, look: Look): string[] {
  const said =
    whole(state, event, look) || (look.close && closer(state, event, look.colors)) || tell(state, event, look.colors);
  const gutter = `${seconds(Date.parse(event.ts) - look.since).padStart(6)}  `;
  return said.map((spans, index) =>
    fit([plain(index ? " ".repeat(8) : look.colors.dim(gutter), 8), ...spans], look.width),
  );
}

/** What is asked of the human is said to its end. */
function whole(state: State, event: Event, { colors, width }: Look): Span[][] | undefined {
  if (event.type !== "question.asked") return undefined;
  const name = nameOf(state, event.data.by);
  const { approves, text } = event.data;
  if (approves)
    return [
      [{ ...bold(colors, "Approval"), draw: colors.yellow }, plain(`: ${name} asks to use ${clean(approves.tool)}`)],
      ...questionLines(event.data, width - 8).map((line) => [plain(line)]),
    ];
  return wrap(`${name} asks you: ${text}`, width - 8).map((line, index) =>
    index === 0 && line.startsWith(name) ? [bold(colors, name), plain(line.slice(name.length))] : [plain(line)],
  );
}

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
    return fit([...spans, plain(`  ${pad(who, people)}  `), dim(colors, remark(state, node))], width);
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
    `${colors.dim("took  ")}  ${facts.join(", ")}`,
    `${colors.dim("next  ")}  every event, one per line:`,
    `        cat ${shellWord(paths.log)}`,
  ];
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

const seconds = (ms: number): string => {
  const s = Math.max(0, Math.round(ms / 1000));
  return s < 600 ? `${s} s` : `${Math.round(s / 60)} min`;
};

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

/** A piece of a line: its text, how it is drawn, how wide it is. The last one of a line is cut if it must be. */
interface Span {
  text: string;
  width: number;
  draw(text: string): string;
}

const plain = (text: string, width = widthOf(text)): Span => ({ text, width, draw: String });
const dim = (colors: Colors, text: string): Span => ({ ...plain(text), draw: colors.dim });
const bold = (colors: Colors, text: string): Span => ({ ...plain(text), draw: colors.bold });

function fit(spans: Span[], width: number): string {
  let left = width;
  let line = "";
  for (const { text, width: wanted, draw } of spans) {
    if (left <= 0) break;
    line += wanted <= left ? draw(text) : draw(truncate(text, left));
    left -= wanted;
  }
  return line.trimEnd();
}

/** Calls whose outcome has a line of its own. */
const told = new Set(
  "send_message publish finish create_work_node wait_for_nodes spawn_worker retire_worker cancel_node write_plan ask_human suggest_next dismiss_suggestion".split(
    " ",
  ),
);

/** What someone who watches closely is told instead. */
function closer(state: State, event: Event, colors: Colors): Span[][] | undefined {
  if (event.type === "turn.answered")
    return event.data.calls.flatMap((call) =>
      told.has(call.tool)
        ? []
        : [[dim(colors, `${nameOf(state, event.data.participant)} · ${clean(call.tool)} ${clean(gist(call.input))}`)]],
    );
  if (event.type === "message.posted" && (event.data.from === "human" || wereHeard(state, event.data))) return [];
  if (event.type === "context.filled")
    return [
      [dim(colors, `${nameOf(state, event.data.participant)} saves notes before compaction: its context is full`)],
    ];
  return undefined;
}

/** Last words of a turn are posted as a message; who watches closely has seen them come. */
function wereHeard(state: State, { from, text }: { from: string; text: string }): boolean {
  const one = state.participants.get(from);
  const last = one && one.kind !== "human" ? one.conversation.findLast((line) => line.role === "assistant") : undefined;
  return last?.text.trim() === text.trim();
}

/** The first words of what a call is given. */
function gist(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const values = Object.values(input).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return values.join(" ").slice(0, 300);
}

function tell(state: State, event: Event, colors: Colors): Span[][] {
  const who = (id: string): Span => bold(colors, nameOf(state, id));
  const by = (id: string): Span => {
    const creator = state.nodes.get(id)?.creator;
    return dim(
      colors,
      creator === undefined || creator === "coordinator" ? "" : ` (created by ${nameOf(state, creator)})`,
    );
  };
  const node = (id: string, ...more: Span[]): Span[][] => {
    const found = state.nodes.get(id);
    if (!found) return [];
    const { glyph, word, paint } = mark({ status: found.status }, colors);
    return [[{ ...plain(glyph), draw: paint }, plain(` ${word.padEnd(11)}${truncate(label(found), 40)}`), ...more]];
  };
  switch (event.type) {
    case "run.planned":
      return [[who("coordinator"), plain(" wrote the plan")]];
    case "worker.spawned":
      return [
        [who(event.data.worker), plain(" joined"), dim(colors, event.data.role ? `: ${clean(event.data.role)}` : "")],
      ];
    case "worker.retired":
      return [[who(event.data.worker), plain(` left: ${clean(event.data.reason)}`)]];
    case "node.created":
      return node(event.data.node, plain(", new"), by(event.data.node));
    case "node.started":
      return node(event.data.node, plain(`, ${nameOf(state, event.data.worker)}`), by(event.data.node));
    case "node.completed": {
      const files = event.data.files.map((file) => clean(file.path)).join(", ") || "no files";
      const part = event.data.partial ? ` in part${event.data.limit ? ` (${event.data.limit})` : ""}` : "";
      const [line] = node(event.data.node, plain(`${part}, ${nameOf(state, event.data.worker)} published ${files}`));
      return line ? [line, [dim(colors, `  ${clean(event.data.summary)}`)]] : [];
    }
    case "node.retried":
      return node(
        event.data.node,
        plain(` is retried with ${clean(event.data.model)}: ${clean(event.data.reason.message)}`),
      );
    case "suggestion.made":
      return [[who(event.data.by), plain(` suggests (${event.data.suggestion}): ${clean(event.data.text)}`)]];
    case "suggestion.dismissed":
      return [[dim(colors, `${event.data.suggestion} was dismissed: ${clean(event.data.reason)}`)]];
    case "message.limited":
      return [
        [
          plain(
            `${event.data.between.map((id) => nameOf(state, id)).join(" and ")} exchange messages without a result; further ones are not delivered`,
          ),
        ],
      ];
    case "node.failed":
    case "node.cancelled":
      return node(event.data.node, plain(`: ${clean(event.data.reason.message)}`));
    case "message.posted": {
      const to = event.data.to.map((id) => nameOf(state, id)).join(", ");
      return [[who(event.data.from), plain(" → "), bold(colors, to), plain(`: ${clean(wholeText(event.data))}`)]];
    }
    case "turn.answered":
      // The coordinator's last words come as a message.
      return event.data.text && (event.data.calls.length || event.data.participant !== "coordinator")
        ? [[dim(colors, `${nameOf(state, event.data.participant)} says: ${clean(event.data.text)}`)]]
        : [];
    case "tool.ended":
      if (event.data.outcome === "ok") return [];
      return [
        [
          who(event.data.participant),
          plain(`: ${clean(event.data.tool)} returned ${event.data.outcome}: ${clean(event.data.result)}`),
        ],
      ];
    case "turn.ended":
      return event.data.wait
        ? [[dim(colors, `${nameOf(state, event.data.participant)} waits ${waitsFor(event.data.wait)}`)]]
        : [];
    case "turn.resumed":
      return [[dim(colors, `${nameOf(state, event.data.participant)} resumes the interrupted turn`)]];
    case "turn.queued": {
      const by = event.data.by.map((id) => nameOf(state, id)).join(", ");
      return [[dim(colors, `${nameOf(state, event.data.participant)} waits for budget reserved by ${by}`)]];
    }
    case "turn.retried":
      return [[who(event.data.participant), plain(` retries: ${clean(event.data.error)}`)]];
    case "question.asked":
      return [[who(event.data.by), plain(" asks you: "), plain(clean(event.data.text))]];
    case "delivery.failed": {
      const [, channel] = event.data.delivery.split("/");
      const then = event.data.next_at ? "; it will be retried" : "; given up, see your inbox";
      return [[bold(colors, `Channel ${channel} failed`), plain(`: ${clean(event.data.error)}${then}`)]];
    }
    case "agent.paused":
    case "agent.failed":
      return [
        [
          bold(colors, event.type === "agent.paused" ? "Paused" : "Failed"),
          plain(`: ${clean(event.data.reason.message)}`),
        ],
      ];
    default:
      return [];
  }
}

const waitsFor = (wait: Wait): string =>
  wait.for === "nodes"
    ? `for ${wait.nodes.map(short).join(", ")}`
    : wait.for === "question"
      ? "for your answer"
      : "for messages";

/** What explains a node's status: files, reason, what it waits for. */
function remark(state: State, node: Node): string {
  switch (node.status) {
    case "pending":
      return node.depends_on.length ? `after ${node.depends_on.map(short).join(" ")}` : "";
    case "waiting":
      return waitsFor(node.on);
    case "running": {
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

/** n3-nvidia-research is called n3 where its name stands beside it. */
const short = (id: string): string => id.split("-")[0]!;
const label = (node: Node): string => `${short(node.id)} ${clean(node.name)}`;

function nameOf(state: State, id: string | undefined): string {
  return id === undefined ? "" : clean(state.participants.get(id)?.name ?? id);
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
