/**
 * Routing: whose inbox an event enters, and with which text. Nobody is told of their own actions.
 *
 * Not here: how entries get into inboxes and out of them (inbox.ts), the wrapper that models see around them (mail-envelope.ts).
 */
import { shortLine } from "../../lib/text/text.ts";
import type { Event, EventOf } from "../../schema/event.ts";
import type { Evidence } from "../../schema/evidence.ts";
import type { ParticipantId } from "../../schema/ids.ts";
import type { Message } from "../../schema/message.ts";
import type { Entry } from "../../schema/worker.ts";
import { rejectionOf } from "../board/check.ts";
import { whoHearsOfEnd } from "../board/node.ts";
import { liveBelow, ownerOf } from "../board/sub-node.ts";
import { workspacesOf } from "../file/workspace.ts";
import { isLive } from "../lookup.ts";
import { lead, leads, toLead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { bindingText } from "../team/binding.ts";
import { isSingle } from "../team/worker.ts";
import { cycleText } from "../time/cycle.ts";
import { wakeTarget } from "../time/rate.ts";
import { cannotRun } from "../time/rerun.ts";
import { worksByFiles } from "../turn/driver.ts";
import { wholeText } from "./attachments.ts";

export interface Delivery {
  to: ParticipantId[];
  from: string;
  kind: Entry["kind"];
  text: string;
  /** Default: normal. */
  priority?: Message["priority"];
  /** Foreign text that comes with it, marked as data. */
  quotes?: string | undefined;
  /** Recipients that are not woken by it. */
  quietly?: ParticipantId[];
  /** How often its reader put it off. */
  deferred?: number | undefined;
}

/** The recipients of this event, and the text they get. */
export function route(state: State, event: Event): Delivery | undefined {
  const { actor } = event;
  switch (event.type) {
    case "agent.stopped":
      return event.data.summary
        ? { to: toLead(state), from: "system", kind: "message", text: event.data.summary }
        : undefined;
    case "run.started": {
      const one = lead(state);
      return one && { to: [one.id], from: "human", kind: "message", text: event.data.goal };
    }
    case "message.posted":
      return {
        to: event.data.to,
        from: event.data.from,
        kind: "message",
        text: wholeText(event.data),
        priority: event.data.priority,
        quotes: event.data.quotes,
        quietly: event.data.mentions ?? [],
      };
    case "suggestion.made": {
      const { suggestion, by, node, text } = event.data;
      const about = node ? ` (from ${node})` : "";
      return { to: toLead(state), from: by, kind: "message", text: `Suggestion ${suggestion}${about}: ${text}` };
    }
    case "suggestion.dismissed": {
      const { suggestion, reason } = event.data;
      return {
        to: [state.suggestions.get(suggestion)?.by ?? ""],
        from: actor,
        kind: "message",
        text: `Your suggestion ${suggestion} was not taken up: ${reason}`,
        priority: "background",
      };
    }
    case "node.assigned": {
      const node = state.nodes.get(event.data.node);
      const creator = node?.creator ?? actor;
      return {
        to: [event.data.worker],
        // A participant that assigns a node to itself must still be woken by it.
        from: creator === event.data.worker ? "system" : creator,
        kind: "assigned",
        text: `${event.data.node}: ${node?.task ?? ""}`,
      };
    }
    case "node.completed":
      return {
        to: whoHearsOfEnd(state, event.data.node),
        from: event.data.worker,
        kind: "ended",
        text: `${event.data.node} ${completion(event.data)}: ${event.data.summary}`,
      };
    case "node.rejected": {
      // Whoever called publish has the result of its call; who has no tools, or speaks through files, is told.
      const one = state.participants.get(event.data.worker);
      if (!one || one.kind === "human" || !(isSingle(one) || worksByFiles(state, one))) return undefined;
      const { text, details } = rejectionOf(state, event.data.node);
      return { to: [one.id], from: "system", kind: "nudge", text: `${text}\n\n${details}` };
    }
    case "node.checkpointed":
      return {
        to: whoHearsOfEnd(state, event.data.node),
        from: event.data.worker,
        kind: "stage",
        text: `${event.data.node} is at a checkpoint: ${event.data.summary}`,
      };
    case "node.failed": {
      const owner = ownerOf(state, event.data.node);
      return {
        ...(owner === undefined
          ? { to: whoHearsOfEnd(state, event.data.node) }
          : { to: [owner], quietly: toLead(state) }),
        from: actor,
        kind: "ended",
        text: `${event.data.node} failed: ${event.data.reason.message}${tried(state, event.data.node)}${left(state, event.data.node)}`,
        // Also wakes a participant that waits for other nodes as well: what to do instead need not wait for them.
        priority: "immediate",
      };
    }
    case "node.retried":
      return {
        to: whoHearsOfEnd(state, event.data.node),
        from: "system",
        kind: "nudge",
        text: `${event.data.node} failed (${event.data.reason.message}) and is tried again with ${event.data.model}.`,
        priority: "background",
      };
    case "node.cancelled": {
      if (event.data.reason.code === "stopped") return undefined; // the coordinator has the whole board in one entry
      const worker = state.nodes.get(event.data.node)?.status === "cancelled" ? holderOf(state, event.data.node) : [];
      const to = [...whoHearsOfEnd(state, event.data.node), ...worker];
      return { to, from: actor, kind: "ended", text: `${event.data.node} was cancelled: ${event.data.reason.message}` };
    }
    case "question.asked":
      return { to: ["human"], from: event.data.by, kind: "message", text: event.data.text };
    case "question.answered":
    case "question.expired": {
      const { by: asker, approves, host } = state.questions.get(event.data.question) ?? {};
      if (approves) return undefined; // its turn resumes; that is answer enough
      if (event.type === "question.expired" && event.data.over) return undefined; // nobody waits for it
      if (event.type === "question.answered" && event.data.message) return undefined; // the reply itself is in the inbox
      const text =
        event.data.answer === undefined
          ? `${event.data.question} got no answer in time`
          : `Answer to ${event.data.question}${host ? ` (may commands reach ${host.host}?)` : ""}: ${event.data.answer}`;
      return asker
        ? { to: [asker], from: event.type === "question.answered" ? "human" : "system", kind: "answer", text }
        : undefined;
    }
    case "cycle.began":
      return { to: toLead(state), from: "system", kind: "fire", text: cycleText(event.data) };
    case "trigger.failed":
      return { to: toLead(state), from: "system", kind: "fire", text: event.data.reason.message };
    case "trigger.fired": {
      const trigger = state.triggers.get(event.data.trigger);
      if (!trigger) return undefined;
      const { action, by } = trigger;
      const text = action.type === "run_node" ? cannotRun(state, action.node) : action.text;
      if (!text) return undefined;
      const woken = wakeTarget(state, trigger);
      return {
        to: [woken],
        // A colleague's text keeps its sender; only a trigger that was set for oneself, or by the human, comes from the runtime.
        from: by !== woken && by !== "human" && state.participants.has(by) ? by : "system",
        kind: "fire",
        text,
      };
    }
    case "stage.reconvened":
      return {
        to: toLead(state),
        from: "system",
        kind: "stage",
        text: `${event.data.stage} reconvenes; completed: ${event.data.completed.join(", ") || "none"}${event.data.checkpointed ? `; at a checkpoint: ${event.data.checkpointed.join(", ")}` : ""}${resultsOf(state, event.data.stage)}`,
      };
    case "stage.completed": {
      const standing = [...state.nodes.values()].filter(
        (node) => node.stage === event.data.stage && node.checkpoint !== undefined && isLive(node),
      );
      return {
        to: standing.flatMap(({ id }) => holderOf(state, id)),
        from: actor,
        kind: "stage",
        text: `${event.data.stage} is completed: ${event.data.assessment}\nYour node goes on from its checkpoint.`,
      };
    }
    case "worker.nudged":
      return {
        to: [event.data.worker],
        from: "system",
        kind: "nudge",
        // Older events do not have it.
        text:
          event.data.text ?? `${event.data.node} is still yours. Go on, publish what you have, or say why you cannot.`,
      };
    case "workspace.restored":
      return {
        to: whoWorksIn(state, event.data.workspace),
        from: "system",
        kind: "nudge",
        text: restoration(event.data),
      };
    case "worker.urged": {
      const { worker, node, turns, max_turns } = event.data;
      const text = `You have used ${turns} of the ${max_turns} turns of ${node}. Stop exploring. Write down what you have and publish it; as partial, with what is missing, if the spec is not fully met.`;
      return { to: [worker], from: "system", kind: "nudge", text };
    }
    case "worker.halted":
      return { to: toLead(state), from: "system", kind: "message", text: `Stopped: ${event.data.reason.message}` };
    case "worker.retired":
      return {
        to: toLead(state),
        from: actor,
        kind: "nudge",
        text: `${name(state, event.data.worker)} is retired: ${event.data.reason}`,
      };
    case "message.limited": {
      const [a, b] = event.data.between;
      if (event.data.hops) {
        const text = `${event.data.count} messages went from agent to agent without a word of a human; the last one is from ${b}. Further ones are refused until you write to the agent. Say whether they should go on.`;
        return { to: ["human"], from: "system", kind: "message", text };
      }
      const text = `${name(state, a)} and ${name(state, b)} exchanged ${event.data.count} messages and nothing came of it. Further ones are refused until one of them does something that lasts or the human speaks. Decide what they disagree on, or give them other work.`;
      return {
        to: event.data.between.some((id) => leads(state, id)) ? [...toLead(state), "human"] : toLead(state),
        from: "system",
        kind: "message",
        text,
      };
    }
    case "inbox.returned": {
      const { participant, entry } = event.data;
      return {
        to: [participant],
        from: entry.from,
        kind: entry.kind,
        text: entry.text,
        quotes: entry.quotes,
        deferred: entry.deferred,
      };
    }
    case "outbox.refused": {
      const { to: agent, message, by, notice, reason } = event.data;
      if (notice) return undefined; // nobody waits for it
      const text = `Your ${message ? `message ${message}` : "vote"} to agent:${agent} was not delivered: ${reason.message}.`;
      return { to: state.participants.has(by) ? [by] : toLead(state), from: "system", kind: "nudge", text };
    }
    case "worker.unparked":
      return { to: [event.data.worker], from: "system", kind: "nudge", text: event.data.reason };
    case "proposal.created":
      return {
        to: event.data.voters,
        from: actor,
        kind: "vote",
        text: `${event.data.proposal}: ${event.data.text} (${event.data.options.join(" / ")})${event.data.binding ? ` Binding: ${bindingText(event.data.binding)}.` : ""}`,
      };
    case "proposal.delegated":
      return {
        to: [event.data.to],
        from: event.data.voter,
        kind: "vote",
        text: `${name(state, event.data.voter)} votes as you do on ${event.data.proposal}.`,
        priority: "background",
      };
    case "proposal.review_due": {
      const one = state.proposals.get(event.data.proposal);
      if (one?.status !== "settled") return undefined;
      const result = one.verdict.result === "won" ? one.verdict.option : "no result";
      const text = `Look at ${one.id} again: ${shortLine(one.text, longestLine)} It was decided on ${one.ended_at}: ${result}. Is it still right? If not, put it to the vote again.`;
      return { to: [...new Set([...toLead(state), "human"])], from: "system", kind: "vote", text };
    }
    case "run.led": {
      const text = `${name(state, event.data.lead)} leads this run now: what concerns the whole run goes there.`;
      return { to: [...state.participants.keys()], from: "system", kind: "vote", text };
    }
    case "proposal.settled": {
      const { verdict, proposal } = event.data;
      const text = `${proposal} is settled: ${verdict.result === "won" ? verdict.option : `no result (${verdict.why})`}`;
      return { to: state.proposals.get(proposal)?.voters ?? [], from: "system", kind: "vote", text };
    }
    case "document.written":
    case "document.owned": {
      const { document, told = [], owner } = event.data;
      const text =
        event.type === "document.written"
          ? `${document} has a new version, ${event.data.version}`
          : `${document} belongs to ${owner === undefined ? "nobody" : name(state, owner)} now`;
      return told.length ? { to: told, from: actor, kind: "message", text, priority: "background" } : undefined;
    }
    default:
      return undefined;
  }
}

/** How a node was completed, and what stands behind it, for participants that wait for it. */
export const completion = ({ partial, limit, evidence }: Completed): string =>
  `${partial ? `completed in part${limit ? ` (${limit})` : ""}` : "completed"}${evidence ? `, ${evidence}` : ""}`; // older events do not say
type Completed = { partial: boolean; limit?: string | undefined; evidence?: Evidence | undefined };

/** The results of a stage: each node's summary and files, so that nothing is overlooked. */
function resultsOf({ nodes }: State, stage: string): string {
  const lines = [...nodes.values()].flatMap((node) => {
    if (node.stage !== stage) return [];
    if (node.status !== "completed") {
      const said = "reason" in node ? node.reason.message : (node.checkpoint ?? "");
      return [`- ${node.id} is ${node.status}${said ? `: ${shortLine(said, longestLine)}` : ""}`];
    }
    const files = node.files.slice(0, mostFiles).map(({ path }) => `published/${node.id}/${path}`);
    const more = node.files.length - files.length;
    return [
      `- ${node.id} is ${completion(node)} by ${node.worker}: ${shortLine(node.summary, longestLine)}`,
      `  ${files.join(", ") || "no files"}${more > 0 ? ` and ${more} more` : ""}`,
    ];
  });
  const shown = lines.slice(0, mostLines);
  const rest = lines.length > shown.length ? ["- check_board shows the rest"] : [];
  return lines.length ? `\n${[...shown, ...rest].join("\n")}` : "";
}

const mostFiles = 20;
const mostLines = 120;
const longestLine = 300;

/** What its worker had begun, and nobody may need any more. */
function left(state: State, id: string): string {
  const below = liveBelow(state, id);
  return below.length ? `\nStill under way, created for it: ${below.join(", ")}` : "";
}

/** Where it says what was tried, if anything was. */
const tried = (state: State, id: string): string =>
  state.nodes.get(id)?.turns ? `\nWhat was tried: nodes/${id}/failure_notes.md` : "";
const name = (state: State, id: string): string => state.participants.get(id)?.name ?? id;

/** Nobody, if its node is over. */
const whoWorksIn = (state: State, id: string): string[] =>
  [...state.participants.values()].flatMap((one) =>
    one.kind !== "human" && workspacesOf(state, one).includes(id) ? [one.id] : [],
  );

const whatHappened = {
  missing: "Your files were gone",
  damaged: "Some of your files were missing or broken",
  elsewhere: "You continue with another copy of your files",
};

function restoration({ why, files, paths }: EventOf<"workspace.restored">["data"]): string {
  const named = files > paths.length ? `${paths.join(", ")} and ${files - paths.length} more` : paths.join(", ");
  return `${whatHappened[why]}. They were put back as they were saved last: ${named || "nothing"}. What you did after that may be missing; check before you continue.`;
}

export const holderOf = (state: State, node: string): string[] => {
  const found = state.nodes.get(node);
  return found && "worker" in found && found.worker ? [found.worker] : [];
};
