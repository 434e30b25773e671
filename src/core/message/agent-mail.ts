/**
 * Messages from other agents of this home: how they are received, and how long a chain of them may be.
 *
 * Always holds: a message is received at most once, however often it is sent, because per sender only a later event of its log counts; a sender that
 * was deleted and created again is told apart by the time of its creation. Only the participant that is the agent itself writes to other agents and
 * hears from them; where nobody leads, everybody does. A message opens a completed run again. An agent that is stopped or failed takes none: only its
 * human starts it again. A paused one reads it later, and the sender is told.
 * Loops are bounded: a chain of messages among agents ends after `agent_hops`, unless a human speaks or a rhythm that a human set wakes somebody; the
 * messages between two without progress are counted like those of participants (chatter-limit.ts).
 * Not here: how a message gets from one log to the other (outbox.ts, runtime/delivery/outbox.ts).
 */

import { type Fact, typesOf } from "../../schema/event.ts";
import type { Address } from "../../schema/ids.ts";
import type { AgentMail, Message } from "../../schema/message.ts";
import { Problem } from "../../schema/problem.ts";
import type { Ballot } from "../../schema/proposal.ts";
import { requireAgent } from "../lookup.ts";
import { type Context, type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { defaultLead, lead } from "../run/lead.ts";
import { assertPrepared, beginning } from "../run/setup.ts";
import type { State } from "../state.ts";
import { type Guest, guestOf, heardBy } from "../team/guest.ts";
import { proposalDecide } from "../team/proposal.ts";
import { isTainted, sourcesOf } from "../turn/taint.ts";
import { addressOf, agentIn } from "./address.ts";
import { hasTalked } from "./chatter-limit.ts";

/** What goes with a message, if it is also for other agents. Throws if its sender may not write to them. */
export function mailFor(
  state: State,
  sender: Address,
  to: readonly Address[],
  { limits }: Context,
): { mail?: AgentMail } {
  const agents = to.flatMap((one) => agentIn(one) ?? []);
  const [first] = agents;
  if (first === undefined) return {};
  if (agents.includes(state.agent!.id)) throw new Problem("invalid", `${state.agent!.id} cannot write to itself`);
  if (sender === "human") throw new Problem("invalid", `write to ${first} itself: it is an agent of yours`);
  const one = lead(state);
  if (one && sender !== one.id)
    throw new Problem("forbidden", `only ${one.name} writes to other agents; tell it what ${first} should know`);
  const hops = state.hops.count + 1;
  if (hops > limits.agent_hops)
    throw new Problem(
      "limit_reached",
      `${limits.agent_hops} messages went from agent to agent without a word of a human, the maximum; tell your human what you need, and go on when they have answered`,
    );
  return {
    mail: {
      hops,
      ...taintOf(state),
      ...(agents.every((each) => !hasTalked(state, sender, addressOf(each))) ? { fresh: true } : {}),
    },
  };
}

const taintOf = (state: State): { tainted?: string } =>
  isTainted(state) ? { tainted: sourcesOf(state).slice(0, 500).toWellFormed() } : {};

const mailDecide: Deciders<"message.receive"> = {
  "message.receive": (state, { type: _, handled, vote, from, born, seq, ...given }, context) => {
    const { text, resource, priority, ...passage } = given;
    const { actor } = context;
    const known = state.correspondents.get(from);
    if (known?.born === born && seq <= known.seq) return [];
    const guest = guestOf(state, from);
    if (handled !== undefined)
      return guest && handled > guest.read && handled <= state.seq
        ? [{ type: "inbox.acked", data: { participant: guest.id, upto: handled }, actor }]
        : [];
    if (vote) return voteOfGuest(state, guest, vote, context);
    const agent = requireReceiver(state, passage.team !== undefined);
    if (from === agent.id) throw new Problem("invalid", `${from} cannot write to itself`);
    const boss = lead(state);
    const members = [...state.participants.values()].flatMap((one) =>
      one.kind === "human" || one.retired ? [] : one.id,
    );
    const starts = !state.run;
    const ours = starts ? [defaultLead.id] : boss ? [boss.id] : members.length ? members : ["human"];
    const to = guest ? heardBy(state, guest, text) : ours;
    const posted = (nth: number, data: Omit<Extract<Fact, { type: "message.posted" }>["data"], "message">): Fact => ({
      type: "message.posted",
      data: { message: `m${state.counts.messages + nth}`, ...data },
      actor,
    });
    const facts: Fact[] = starts ? [beginning({ run: "r1", goal: agent.goal })] : [];
    if (resource && !state.resources.has(resource.id)) {
      const { id, ...about } = resource;
      facts.push({ type: "resource.created", data: { resource: id, ...about } });
    }
    const mail = { ...passage, origin: { born, seq, ...(guest ? { agent: from } : {}) } };
    facts.push(
      posted(1, {
        from: guest?.id ?? addressOf(from),
        to,
        text,
        ...(resource ? { resource: resource.id } : {}),
        priority,
        mail,
      }),
    );
    if (agent.status === "paused" && !passage.notice)
      facts.push(posted(2, { ...standing(agent.id, agent.reason.message), to: [addressOf(from)] }));
    return facts;
  },
};

/** Who is paused is not lost: the sender is told that it reads later. */
const standing = (agent: string, why: string) => ({
  from: "system",
  text: `${agent} has your message and is paused: ${why.slice(0, 1_000).toWellFormed()}. It reads it when it goes on; its human decides when.`,
  priority: "normal" as const,
  mail: { hops: 1, notice: true as const },
});

/** It takes part in this team, and so it votes there. */
function voteOfGuest(state: State, guest: Guest | undefined, vote: Ballot, context: Context): Fact[] {
  if (!guest) throw new Problem("forbidden", `it takes part in no team of ${state.agent?.id ?? "this agent"}`);
  const actor = guest.id;
  const command = { type: "proposal.vote" as const, ...vote, voter: actor };
  return proposalDecide["proposal.vote"](state, command, { ...context, actor }).map((fact) => ({ ...fact, actor }));
}

/** A team that a person has started may begin the first run of a guest; nobody else may. */
function requireReceiver(state: State, isForGuest: boolean) {
  const agent = requireAgent(state);
  // While that takes, the message is sent again; if its setup failed, only the human can help.
  assertPrepared(state, agent.status === "active" ? "closed" : "wrong_state");
  if (!state.run && isForGuest && agent.status === "active" && !agent.team) return agent;
  if (!state.run) throw new Problem("wrong_state", `${agent.id} has not started yet; only its human can start it`);
  if (agent.status === "active" || agent.status === "paused" || agent.status === "completed") return agent;
  const rest = agent.status === "archived" ? "" : "; only its human can resume it";
  throw new Problem("wrong_state", `${agent.id} is ${agent.status} and takes no messages from agents${rest}`);
}

/** Whether a message opens a completed run again: the human's, or one of another agent that wants something. */
export const reopens = ({ from, mail, priority }: Pick<Message, "from" | "mail" | "priority">): boolean =>
  from === "human" || (mail?.origin !== undefined && !mail.notice && priority !== "background");

const reduceMail: Reduce = (state, event) => {
  switch (event.type) {
    case "message.posted": {
      const { from, mail } = event.data;
      if (from === "human") return begin(state);
      const sender = mail?.origin?.agent ?? agentIn(from);
      if (sender === undefined || !mail?.origin) return;
      state.correspondents.set(sender, { born: mail.origin.born, seq: mail.origin.seq });
      if (mail.hops > state.hops.count && !mail.notice) state.hops = { ...state.hops, count: mail.hops, from };
      return;
    }
    case "message.limited":
      if (event.data.hops) state.hops = { ...state.hops, told: true };
      return;
    case "question.answered":
      return event.actor === "human" ? begin(state) : undefined;
    case "run.started":
    case "cycle.began":
      return begin(state);
    case "trigger.fired": {
      const by = state.triggers.get(event.data.trigger)?.by ?? "";
      if (by === "human" || !state.participants.has(by)) begin(state);
    }
  }
};

/** What agents write from now on is not an answer to what others wrote before. */
function begin(state: State): void {
  if (state.hops.count || state.hops.told) state.hops = { count: 0, from: "", told: false };
}

const settleHops: Settle = (state, { limits }) => {
  const { count, from, told } = state.hops;
  if (told || count < limits.agent_hops || state.run?.status !== "open") return [];
  const who = lead(state)?.id ?? "human";
  return [{ type: "message.limited", data: { between: [who, from], count, hops: true } }];
};

export const agentMail = defineBehaviour({
  decide: mailDecide,
  reduce: [
    {
      phase: "own",
      looksAt: [...typesOf("message"), "question.answered", "run.started", "cycle.began", "trigger.fired"],
      reduce: reduceMail,
    },
  ],
  settle: [{ phase: "limit", rule: settleHops }],
});
