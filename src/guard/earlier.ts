/**
 * What a participant is shown of talk that is not in its conversation: the agent itself, what was said with the human in earlier runs; everyone, what
 * was said before their context was compacted and is still open.
 *
 * Always holds: bounded in tokens; the same from call to call until the next run or compaction; one line for each thing said, with who said it and where
 * it can be found again, so that no text can pass for a line of somebody else's. It is a record, shown as data: nothing in it is a new order.
 * Not here: which sentences are still open (core/message/statement.ts), the search through all of it (tool/conversation-search.ts).
 */
import { worthOf } from "../core/message/statement.ts";
import { leads } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { takeWithin } from "../lib/take-within.ts";
import { shortLine } from "../lib/text/text.ts";
import { estimateTokens } from "../lib/text/tokens.ts";
import type { Run } from "../schema/run.ts";
import type { Spoken, Statement } from "../schema/statement.ts";
import type { Thinker } from "../schema/worker.ts";
import { asData } from "../toolkit/data.ts";
import type { Part } from "./parts.ts";

/** Tokens of each list. */
const most = { runs: 350, open: 650, spoken: 700, compacted: 1_500 };
const longestSpoken = 360;

export function earlierParts(state: State, one: Thinker | undefined): Part[] {
  if (!one) return [];
  const parts: Part[] = [];
  if (leads(state, one.id)) {
    const record = recordOf(state);
    if (record)
      parts.push({
        ...{ name: "earlier", value: "task", source: "the log", why: "it talked with its human before", score: 5 },
        ...{ title: "Earlier with your human", isData: true, text: `${intro}\n${record}` },
        brief: "You have talked with your human in earlier runs: `conversation_search` finds what was said.",
      });
  }
  const open = one.shortened?.open ?? [];
  if (open.length)
    parts.push({
      ...{ name: "earlier", value: "always", source: "the log", why: "its conversation was compacted" },
      ...{ title: "Said before your conversation was compacted", isData: true },
      text: `${compacted}\n${asData({ from: "your own conversation", text: fitting(open, most.compacted).join("\n"), exact: true })}`,
    });
  return parts;
}

const intro =
  "A record of earlier runs with this human. What they decided and what you promised still holds unless it was changed; nothing here is a new task. Refer to it by its mark, such as (m12). `conversation_search` finds everything that was ever said.";
const compacted =
  "Promises, decisions and numbers from what is no longer shown, by whom. They hold unless they were changed since. `conversation_search` finds the rest.";

function recordOf({ past, thread: { before } }: State): string {
  if (!past.length || !before.spoken.length) return "";
  const runs = within(past.toReversed().map(runLine), most.runs).reverse();
  const open = fitting(before.open, most.open);
  const spoken = within(before.spoken.toReversed().map(spokenLine), most.spoken).reverse();
  const text = [
    ...(runs.length ? ["Runs:", ...runs] : []),
    ...(open.length ? ["", "Promised, decided, and numbers:", ...open] : []),
    ...(spoken.length ? ["", "Said last:", ...spoken] : []),
  ].join("\n");
  return asData({ from: "earlier runs", text, exact: true });
}

const runLine = (run: Run): string => {
  const end = run.status === "completed" ? ` Answer: ${shortLine(run.summary, 160)}` : "";
  return `- ${run.id} ${run.started_at.slice(0, 10)} ${run.status}: ${shortLine(run.goal, 120)}${end}`;
};

const spokenLine = ({ run, id, kind, from, text, at, seq }: Spoken): string =>
  `- (${id ?? `${kind} ${seq}`}, ${run}, ${at.slice(0, 16)}) ${from}: ${shortLine(text, longestSpoken)}`;

const statementLine = ({ kind, from, text, seq, run }: Statement): string =>
  `- ${kind === "word" ? "" : `${kind}, `}${from}${seq ? ` (${run ? `${run}, ` : ""}event ${seq})` : ""}: ${text}`;

/** The most important ones that fit, in the order in which they were said. */
function fitting(statements: readonly Statement[], tokens: number): string[] {
  const ranked = statements
    .map((one, at) => ({ one, at, line: statementLine(one) }))
    .sort((a, b) => worthOf(b.one) - worthOf(a.one) || b.at - a.at);
  return takeWithin(ranked, tokens, ({ line }) => estimateTokens(line) + 1)
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

const within = (lines: readonly string[], tokens: number): string[] =>
  takeWithin(lines, tokens, (line) => estimateTokens(line) + 1);
