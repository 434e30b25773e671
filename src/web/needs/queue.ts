/**
 * Everything that waits for the human, over all agents, in the order in which it should be looked at. Made from the states alone.
 *
 * First what somebody or something stands still for: what has a deadline soonest, then what holds up most, then what waits longest. Then
 * calls that want a yes. Then what can wait. What was put off comes last, until its time is over.
 */

import type { Summary } from "../../api/agents.ts";
import { isIntended } from "../../core/agent/pause.ts";
import { agentStatus } from "../../core/agent/status.ts";
import { inWords, why } from "../../core/board/why.ts";
import { humanInbox } from "../../core/human/human-inbox.ts";
import { defaultLimits } from "../../core/limits.ts";
import type { State } from "../../core/state.ts";
import { awaitsVote } from "../../core/team/proposal.ts";
import { firstLine } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Reason } from "../../schema/agent.ts";
import type { Proposal } from "../../schema/proposal.ts";
import type { Question } from "../../schema/question.ts";
import { withoutMarks } from "../parts/text/plain-words.ts";
import { callTitle } from "./call-title.ts";
import { dependentsOf, nodesHeldUpBy } from "./holds.ts";

type Open = Extract<Question, { status: "open" }>;

interface Shared {
  /** Stays the same as long as it is the same thing: what a draft, a selection and a snooze are kept under. */
  key: string;
  agent: string;
  state?: State;
  title: string;
  since?: string;
  node?: string;
  /** Nodes that cannot begin before it is settled. */
  holds: string[];
}

export type Need = Shared &
  (
    | { kind: "question"; question: Open }
    | { kind: "approval"; question: Open; input: unknown }
    | { kind: "host"; question: Open }
    | { kind: "vote"; proposal: Proposal }
    | { kind: "stopped"; reason: Reason; failed: boolean }
    | { kind: "stuck"; chain: string }
    | { kind: "lost"; message: string }
    | { kind: "channel"; message: string }
  );

export type Group = "Decide now" | "Approve" | "Can wait" | "Snoozed";

export function needsOf(summaries: readonly Summary[], states: readonly (readonly [string, State])[]): Need[] {
  const lost = summaries.flatMap<Need>(({ id, status, reason }) =>
    status === "quarantined"
      ? [
          {
            kind: "lost",
            key: `${id}/lost`,
            agent: id,
            title: `${id} cannot be opened`,
            message: reason?.message ?? "",
            holds: [],
          },
        ]
      : [],
  );
  return [...lost, ...states.flatMap(([agent, state]) => ofAgent(agent, state))].sort(before);
}

/** What a question is kept under: ids of questions begin anew with each run. */
export const questionKey = (agent: string, run: string | undefined, id: string): string =>
  `${agent}/${run ?? ""}/${id}`;

/** Once per change of an agent, however many look at it. */
const known = new WeakMap<State, Need[]>();

function ofAgent(agent: string, state: State): Need[] {
  const had = known.get(state);
  if (had) return had;
  const found = lookAt(agent, state);
  known.set(state, found);
  return found;
}

function lookAt(agent: string, state: State): Need[] {
  const needs: Need[] = [];
  for (const item of humanInbox(state, 0).items) {
    const shared = {
      key: questionKey(agent, state.run?.id, item.id),
      agent,
      state,
      title: visibleLine(withoutMarks(firstLine(item.text))),
      ...(item.at ? { since: item.at } : {}),
      ...(item.node ? { node: item.node } : {}),
      holds: nodesHeldUpBy(state, item.id, item.node),
    };
    const question = state.questions.get(item.id);
    if (item.kind === "question" && question?.status === "open") needs.push({ ...shared, kind: "question", question });
    else if (question?.status === "open" && question.host)
      needs.push({ ...shared, title: `Reach ${question.host.host}?`, kind: "host", question });
    else if (item.kind === "approval" && question?.status === "open")
      needs.push(approval(shared, question, inputOf(state, question)));
    else if (item.kind === "notice" && item.id.startsWith("channel:"))
      needs.push({ ...shared, kind: "channel", message: item.text });
  }
  needs.push(...votes(agent, state));
  const told = state.agent;
  if (told && (told.status === "paused" || told.status === "failed"))
    needs.push({
      kind: "stopped",
      key: `${agent}/${told.status}/${told.since}`,
      agent,
      state,
      title: stopTitle(agent, told.reason, told.status === "failed"),
      since: told.since,
      holds: [],
      reason: told.reason,
      failed: told.status === "failed",
    });
  return [...needs, ...stuck(agent, state)];
}

/** While the run is open, as the vote would count. */
function votes(agent: string, state: State): Need[] {
  if (state.run?.status !== "open" || state.agent?.status === "archived") return [];
  return [...state.proposals.values()].flatMap<Need>((proposal) =>
    awaitsVote(proposal, "human")
      ? [
          {
            kind: "vote",
            key: questionKey(agent, state.run?.id, proposal.id),
            agent,
            state,
            title: visibleLine(withoutMarks(firstLine(proposal.text))),
            since: proposal.created_at,
            holds: [],
            proposal,
          },
        ]
      : [],
  );
}

/** By what the call would do: that it asks is said by where it stands. */
function approval(shared: Shared, question: Open, input: unknown): Need {
  const title = input === undefined ? shared.title : callTitle(question.approves?.tool ?? "", input);
  return { ...shared, title, kind: "approval", question, input };
}

/** Nobody is at work, and still there are nodes that nobody will take up. */
function stuck(agent: string, state: State): Need[] {
  if (agentStatus(state) !== "idle" || state.run?.status !== "open") return [];
  const seen = new Set<string>();
  return [...state.nodes.values()].flatMap<Need>(({ id, name, status, created_at: since }) => {
    if (status === "completed" || status === "cancelled" || status === "failed") return [];
    const chain = why(state, id, { limits: defaultLimits });
    const last = chain.at(-1);
    if (!last || seen.has(last.what) || last.code === "question" || last.until || last.next_mover === "nobody")
      return [];
    seen.add(last.what);
    const holds = dependentsOf(state, id);
    return [
      {
        kind: "stuck",
        key: `${agent}/stuck/${id}`,
        agent,
        state,
        title: `${name} is stuck`,
        node: id,
        since,
        holds,
        chain: inWords(chain),
      },
    ];
  });
}

/** What the call would be made with. */
export function inputOf(state: State, { by, approves }: Pick<Question, "by" | "approves">): unknown {
  const one = state.participants.get(by);
  const turn = one && one.kind !== "human" ? one.turn : undefined;
  const calls = turn?.status === "acting" ? turn.calls : [];
  return calls.find(({ id }) => id === approves?.call)?.input;
}

function stopTitle(agent: string, reason: Reason, failed: boolean): string {
  const { code } = reason;
  if (failed) return `${agent} failed`;
  if (code === "budget") return `${agent} has used up its budget`;
  if (code === "human") return `You paused ${agent}`;
  return `${agent} is stuck`;
}

export function groupOf(need: Need, snoozed: boolean): Group {
  if (snoozed) return "Snoozed";
  if (need.kind === "approval" || need.kind === "host") return "Approve";
  if (need.kind === "channel" || (need.kind === "stopped" && isIntended(need.reason.code))) return "Can wait";
  return "Decide now";
}

function before(a: Need, b: Need): number {
  const [due, other] = [deadlineOf(a), deadlineOf(b)];
  if (due !== other) return due < other ? -1 : 1;
  if (a.holds.length !== b.holds.length) return b.holds.length - a.holds.length;
  return (a.since ?? "") < (b.since ?? "") ? -1 : 1;
}

/** What has none sorts after all that has one. */
const deadlineOf = (need: Need): string =>
  ("question" in need ? need.question.deadline : need.kind === "vote" ? need.proposal.expires_at : undefined) ?? "~";

/** Who asks or proposes, and what it is answered by; missing where nobody does. */
export function askerOf(need: Need): { id: string; by: string } | undefined {
  if (need.kind === "vote") return need.proposal;
  return "question" in need ? need.question : undefined;
}
