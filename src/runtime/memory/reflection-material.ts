/** What a reflection looks back on: of a node its task, its result and the end of its worker's conversation; of a run its goal, what people said, and its nodes. */
import type { State } from "../../core/state.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import type { Line, Thinker } from "../../schema/worker.ts";

export interface Material {
  /** In a few words, to find the notes that may be about the same. */
  about: string;
  text: string;
}

const most = { line: 1_500, talk: 10_000, summary: 2_000, nodes: 4_000 };

/** Nothing if there is nothing to look back on. */
export function materialOf(state: State, node: string | undefined): Material | undefined {
  return node === undefined ? ofRun(state) : ofNode(state, node);
}

function ofNode(state: State, id: string): Material | undefined {
  const node = state.nodes.get(id);
  if (node?.status !== "completed") return undefined;
  const worker = state.participants.get(node.worker ?? "");
  const talk = worker && worker.kind !== "human" ? talkOf(worker) : "";
  const summary = shortenMiddle(node.summary, most.summary);
  return {
    about: `${node.name}. ${node.task}`.slice(0, 400),
    text: `The task: ${shortenMiddle(node.task, most.summary)}\n\nThe result: ${summary}\n\nHow it went:\n${talk}`,
  };
}

function ofRun(state: State): Material | undefined {
  const { run, nodes, participants } = state;
  if (run?.status !== "completed") return undefined;
  const lead = participants.get("coordinator");
  const talk = lead && lead.kind !== "human" ? talkOf(lead) : "";
  const done = [...nodes.values()].map(
    (node) => `- ${node.name}: ${node.status}${"summary" in node && node.summary ? `, ${node.summary}` : ""}`,
  );
  return {
    about: `${run.goal.slice(0, 400)}. ${run.summary.slice(0, 400)}`,
    text: `The goal: ${shortenMiddle(run.goal, most.summary)}\n\nThe answer: ${shortenMiddle(run.summary, most.summary)}\n\nThe nodes:\n${shortenMiddle(done.join("\n"), most.nodes)}\n\nHow it went:\n${talk}`,
  };
}

/** Its end: what was said and done, without long results. */
function talkOf({ conversation }: Thinker): string {
  const lines: string[] = [];
  let room = most.talk;
  for (const line of conversation.toReversed()) {
    const text = shortenMiddle(textOf(line), most.line);
    if (!text) continue;
    room -= text.length;
    if (room < 0) break;
    lines.unshift(text);
  }
  return lines.join("\n");
}

function textOf(line: Line): string {
  switch (line.role) {
    case "inbox":
      return line.entries.map(({ from, text }) => `${from}: ${text}`).join("\n");
    case "assistant":
      return [line.text, ...line.calls.map(({ tool }) => `(called ${tool})`)].filter(Boolean).join(" ");
    case "tool":
      return `${line.tool}: ${line.result}`;
    default:
      return "";
  }
}
