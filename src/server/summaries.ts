/**
 * Agents at a glance, without opening closed ones: the summary made when an agent is closed is cached until it is opened again. So a list of ten
 * thousand is cheap. Long texts are not cached; then the agent is opened.
 *
 * An agent that cannot be opened is `quarantined`, with the reason and its last known summary.
 */

import { blankSummary, type Summary } from "../api/agents.ts";
import type { InboxItem } from "../api/asking.ts";
import { summaryOf } from "../api/summary.ts";
import { humanInbox } from "../core/human/human-inbox.ts";
import type { State } from "../core/state.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Problem } from "../schema/problem.ts";

export interface Summaries {
  /** Throws `not_found`, and any error that keeps the runtime from answering at all. */
  of(agent: string): Promise<Summary>;
  /** The agent's entries in the human's inbox, unread or waiting. Empty for one that cannot be opened. */
  inbox(agent: string): Promise<InboxItem[]>;
}

const longestKept = 2_000;
const mostKept = 20;

interface Known {
  summary: Summary;
  inbox: InboxItem[] | null;
}

export function createSummaries(runtime: Runtime): Summaries {
  const atRest = new Map<string, Known>();
  /** The last state of agents that may not be opened again. */
  runtime.onRest((agent, state) => {
    atRest.delete(agent);
    const known = state?.agent && knownOf(state);
    if (known) atRest.set(agent, known);
  });

  async function look<T>(
    agent: string,
    kept: (known: Known) => T | null,
    read: (state: State) => T,
    lost: (fault: Problem) => T,
  ): Promise<T> {
    const known = atRest.get(agent);
    const found = known && kept(known);
    if (found) return found;
    try {
      return await runtime.read(agent, read);
    } catch (error) {
      const fault = runtime.fault(agent);
      if (fault) return lost(fault);
      throw error;
    }
  }

  return {
    of: (agent) =>
      look(
        agent,
        ({ summary }) => summary,
        summaryOf,
        (fault) => quarantined(agent, fault),
      ),
    inbox: (agent) =>
      look(
        agent,
        ({ inbox }) => inbox,
        inboxOf,
        () => [],
      ),
  };
}

function knownOf(state: State): Known | null {
  const summary = summaryOf(state);
  if (summary.goal.length + (summary.result?.length ?? 0) > longestKept) return null;
  const inbox = inboxOf(state);
  const isShort = inbox.length <= mostKept && inbox.every(({ text }) => text.length <= longestKept);
  return { summary, inbox: isShort ? inbox : null };
}

/** Nothing of an archived agent needs the human. */
function inboxOf(state: State): InboxItem[] {
  const { agent } = state;
  if (!agent || agent.status === "archived") return [];
  return humanInbox(state, 0)
    .items.filter(({ unread, waiting_since }) => unread || waiting_since)
    .map((item) => ({ agent: agent.id, ...item }));
}

function quarantined(agent: string, { code, message }: Problem): Summary {
  const never = new Date(0).toISOString();
  return {
    ...blankSummary(agent, never),
    status: code === "untrusted" ? "untrusted" : "quarantined",
    reason: { code, message, next_mover: /^(log_corrupt|newer_version|untrusted)$/.test(code) ? "human" : "system" },
  };
}
