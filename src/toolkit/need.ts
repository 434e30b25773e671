/**
 * What the task of a participant shows to be needed: the state of the run, and the words of whoever gives it its task. A tool that a need names is
 * put into the prompt (guard/listing.ts); every other one is found with find_tools.
 *
 * Only the goal, the node and mail from the human or a trigger count as the task's words: what others or strangers write offers nothing.
 */
import { openInsights } from "../core/agent/insight.ts";
import { openSuggestions } from "../core/board/suggestion.ts";
import { lead } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import { isWorker } from "../core/team/worker.ts";
import type { Thinker } from "../schema/worker.ts";

export type Need =
  /** The agent was given a folder, and this one may decide what is merged. */
  | "folder"
  /** Others work in this run. */
  | "team"
  /** Nobody leads. */
  | "leaderless"
  /** Another agent wrote. */
  | "agents"
  /** There are nodes: any for the coordinator, sub-nodes for a worker. */
  | "board"
  /** Somebody published. */
  | "published"
  | "stage"
  | "refs"
  | "infinite"
  | "trigger"
  | "document"
  | "proposal"
  /** The agent takes part in a team of another one. */
  | "member"
  | "resource"
  | "suggestion"
  /** A worker proposed something for the memory. */
  | "insight"
  /** Something was said that it is not shown: in earlier runs, or before a compaction. */
  | "talk"
  /** It has notes from before. */
  | "memory";

const why: Record<Need, string> = {
  folder: "the agent works on a folder",
  team: "there is a team",
  leaderless: "nobody leads the team",
  agents: "another agent wrote",
  board: "there are nodes",
  published: "somebody published",
  stage: "there is a stage",
  refs: "its node has refs",
  infinite: "the goal has no end",
  trigger: "there is a trigger",
  document: "there is a shared document",
  proposal: "there is a proposal",
  member: "the agent takes part in another team",
  resource: "there is a resource",
  suggestion: "there is a suggestion",
  insight: "a worker proposed something for its memory",
  talk: "there was talk before",
  memory: "it has notes",
};

export const whyNeeded = (need: Need): string => why[need];

export function needsOf(state: State, one: Thinker, hasMemory: boolean): Set<Need> {
  const { agent, nodes, participants } = state;
  const coordinates = one.kind === "coordinator";
  const isLed = lead(state) !== undefined;
  const own = coordinates || !isLed;
  let [workers, helpers, published] = [0, 0, false];
  for (const other of participants.values())
    if (isWorker(other) && !other.retired && other.id !== one.id) {
      workers++;
      if (other.spawner === one.id) helpers++;
    }
  let board = false;
  for (const node of nodes.values()) {
    board ||= own || (one.node !== undefined && node.parent === one.node);
    published ||= node.status === "completed";
    if (board && published) break;
  }
  const node = one.node === undefined ? undefined : nodes.get(one.node);
  const shown: readonly (readonly [Need, boolean])[] = [
    ["folder", own && agent?.folder !== undefined],
    ["team", workers > 0],
    ["leaderless", !isLed],
    ["agents", state.channel.some(({ from }) => from.startsWith("agent:"))],
    ["board", board || helpers > 0],
    ["published", published],
    ["stage", state.stages.size > 0],
    ["refs", node !== undefined && Object.keys(node.refs).length > 0],
    ["infinite", coordinates && agent?.mode === "infinite"],
    ["trigger", state.triggers.size > 0],
    ["document", state.documents.size > 0],
    ["proposal", state.proposals.size > 0],
    ["member", own && state.memberships.size > 0],
    ["resource", state.resources.size > 0],
    ["suggestion", coordinates && openSuggestions(state).length > 0],
    ["talk", one.shortened !== undefined || (coordinates && state.thread.before.spoken.length > 0)],
    ["insight", coordinates && openInsights(state).length > 0],
    ["memory", hasMemory],
  ];
  const needs = new Set<Need>();
  for (const [need, isThere] of shown) if (isThere) needs.add(need);
  return needs;
}

/** In the words of those who give the task. */
export function taskOf({ agent, run, nodes }: State, one: Thinker): string {
  const node = one.node === undefined ? undefined : nodes.get(one.node);
  const texts = [agent?.goal, run?.goal, node?.task, node?.acceptance, mailOf(one)];
  return texts.filter(Boolean).join("\n");
}

/** Unread mail from the human or a trigger; empty if there is none. */
export function mailOf({ unread }: Thinker): string {
  const mail = unread.filter(({ from, kind }) => from === "human" || kind === "fire");
  return mail.map(({ text }) => text).join("\n");
}
