/**
 * Events as lines for a person who watches; most events give none. Pure: the same events give the same text.
 *
 * Every line fits the width. All text that comes from an event is data and is cleaned before it is drawn.
 */

import { checkTitle } from "../../core/board/check.ts";
import { wholeText } from "../../core/message/attachments.ts";
import { reduce } from "../../core/reduce.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import type { Wait } from "../../schema/node.ts";
import { bold, dim, fit, plain, type Span } from "../terminal/span.ts";
import { clean, truncate, wrap } from "../terminal/text.ts";
import { evidenceSpan } from "./evidence.ts";
import { label, nameOf, seconds, short } from "./labels.ts";
import { type Colors, mark } from "./mark.ts";
import { questionLines } from "./question-lines.ts";

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
  const { approves, host, text, options = [] } = event.data;
  const wish = approves ? `asks to use ${clean(approves.tool)}` : host && `wants to reach ${clean(host.host)}`;
  if (wish)
    return [
      [{ ...bold(colors, "Approval"), draw: colors.yellow }, plain(`: ${name} ${wish}`)],
      ...(host ? [[plain(`Answers: ${options.join(", ")}`)]] : []),
      ...questionLines({ text, approves: true }, width - 8).map((line) => [plain(line)]),
    ];
  return wrap(`${name} asks you: ${text}`, width - 8).map((line, index) =>
    index === 0 && line.startsWith(name) ? [bold(colors, name), plain(line.slice(name.length))] : [plain(line)],
  );
}

/** A result without what tells a model where outside data begins and ends (toolkit/data.ts). */
const withoutMarks = (result: string): string =>
  result.replaceAll(/<\/?outside_data id="[^"]*"(?: from="[^"]*")?>\n?/g, "");

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
  if (event.type === "tool.called" && !told.has(event.data.tool)) {
    const { participant, tool, input } = event.data;
    return [[dim(colors, `${nameOf(state, participant)} · ${clean(tool)} ${clean(gist(input))}`)]];
  }
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
    case "run.preparing": {
      const steps = event.data.team.setup?.length ?? 0;
      return steps ? [[dim(colors, `setup: ${steps} ${steps === 1 ? "step" : "steps"}`)]] : [];
    }
    case "setup.ended": {
      const { step, shell, outcome, seconds: took } = event.data;
      const fate = outcome === "passed" ? dim(colors, ` (${took} s)`) : { ...plain(` ${outcome}`), draw: colors.red };
      return [[plain(`setup ${step}: ${truncate(clean(shell), 60)}`), fate]];
    }
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
      const proof = evidenceSpan(event.data.evidence ?? "claimed", colors);
      return line ? [line, [plain("  "), proof, dim(colors, clean(event.data.summary))]] : [];
    }
    case "node.rejected": {
      const { failed, attempt, attempts } = event.data;
      const what = failed.length === 1 ? "a check" : `${failed.length} checks`;
      return node(
        event.data.node,
        plain(` goes back to its worker: ${what} failed (attempt ${attempt} of ${attempts})`),
      );
    }
    case "check.ended": {
      if (event.data.outcome === "passed") return [];
      const what = event.data.outcome === "failed" ? "failed" : "could not be done";
      return [[plain(`  check ${what}: ${clean(checkTitle(event.data.what))}`)]];
    }
    case "workspace.merged":
      return node(event.data.workspace, plain(" was merged into the integration branch"));
    case "workspace.handed_over":
      return [[plain(`${event.data.as === "merge" ? "merged into" : event.data.as} ${clean(event.data.into)}`)]];
    case "node.retried":
      return node(
        event.data.node,
        plain(` is retried with ${clean(event.data.model)}: ${clean(event.data.reason.message)}`),
      );
    case "insight.proposed":
      return [
        [who(event.data.by), plain(` proposes to remember (${event.data.insight}): ${clean(event.data.subject)}`)],
      ];
    case "insight.accepted":
      return [[dim(colors, `${event.data.insight} is remembered in ${clean(event.data.path)}`)]];
    case "insight.declined":
      return [[dim(colors, `${event.data.insight} is not remembered: ${clean(event.data.reason)}`)]];
    case "memory.asked":
      return [[dim(colors, `${event.data.by} asked what it knows: ${clean(event.data.question)}`)]];
    case "suggestion.made":
      return [[who(event.data.by), plain(` suggests (${event.data.suggestion}): ${clean(event.data.text)}`)]];
    case "suggestion.dismissed":
      return [[dim(colors, `${event.data.suggestion} was dismissed: ${clean(event.data.reason)}`)]];
    case "inbox.deferred":
      return [
        [
          dim(
            colors,
            `${nameOf(state, event.data.participant)} put off what ${nameOf(state, event.data.entry.from)} wrote`,
          ),
        ],
      ];
    case "outbox.refused":
      if (event.data.notice) return [];
      return [
        [
          plain(
            `${event.data.message} was not delivered to agent:${event.data.to}: ${clean(event.data.reason.message)}`,
          ),
        ],
      ];
    case "message.limited":
      if (event.data.hops)
        return [
          [plain(`${event.data.count} messages went from agent to agent without a human; further ones are refused`)],
        ];
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
    case "program.reported":
      return [[dim(colors, `${nameOf(state, event.data.participant)} says: ${clean(event.data.text)}`)]];
    case "tool.ended":
      if (event.data.outcome === "ok") return [];
      return [
        [
          who(event.data.participant),
          plain(
            `: ${clean(event.data.tool)} returned ${event.data.outcome}: ${clean(withoutMarks(event.data.result))}`,
          ),
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

export const waitsFor = (wait: Wait): string =>
  wait.for === "nodes"
    ? `for ${wait.nodes.map(short).join(", ")}`
    : wait.for === "question"
      ? "for your answer"
      : "for messages";
