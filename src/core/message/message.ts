/**
 * The run's channel of messages. A message is addressed when it is posted: an unknown name is an error to the sender, never a lost message. Without
 * recipients it goes to those it begins with (`@bob, look`), else to the coordinator; where nobody leads, to everyone. Messages to other agents
 * (`agent:bob`) leave by the outbox (outbox.ts). The state keeps the newest messages; the log has all.
 */

import { type Address, AgentId, type ParticipantId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";
import { requireAgent } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { lead, toLead } from "../run/lead.ts";
import { assertPrepared } from "../run/setup.ts";
import type { State } from "../state.ts";
import { requireParticipant } from "../team/names.ts";
import { addressOf, agentIn } from "./address.ts";
import { mailFor } from "./agent-mail.ts";
import { attachmentsOf } from "./attachments.ts";
import { assertWorthwhile } from "./chatter-limit.ts";
import { leadingMentions } from "./mention.ts";
import { assertRoom } from "./outbox.ts";

const kept = 500;

const messageDecide: Deciders<"message.post"> = {
  /** Writing to a completed agent reopens its run (run.ts): the conversation never ends. */
  "message.post": (state, { from, to, text, attachments, resource, priority }, context) => {
    const agent = requireAgent(state, "active", "paused", "stopped", "completed");
    if (!text && !attachments)
      throw new Problem("invalid", "message.post: text: a message needs text or an attachment");
    assertPrepared(state);
    if (!state.run) throw new Problem("wrong_state", `${agent.id} has no run yet; start one first`);
    const sender = requireParticipant(state, from).id;
    if (sender !== "human" && state.run.status !== "open") {
      throw new Problem(
        "wrong_state",
        `${state.run.id} is ${state.run.status}; only a message from the human reopens it`,
      );
    }
    const recipient = recipients(state, sender, to ?? called(state, sender, text));
    const mail = mailFor(state, sender, recipient, context);
    assertWorthwhile(state, sender, recipient, context);
    assertRoom(state, recipient);
    const message = `m${state.counts.messages + 1}`;
    return [
      {
        type: "message.posted",
        data: {
          message,
          from: sender,
          to: recipient,
          text,
          ...(attachments ? { attachments: attachmentsOf(state, attachments) } : {}),
          resource,
          priority,
          ...mail,
        },
      },
    ];
  },
};

const reduceMessages: Reduce = (state, event) => {
  if (event.type === "run.started") state.counts = { ...state.counts, messages_before_run: state.counts.messages };
  if (event.type !== "message.posted") return;
  const { message: id, ...given } = event.data;
  state.counts = { ...state.counts, messages: state.counts.messages + 1 };
  state.channel.push({ id, seq: event.seq, at: event.ts, ...given });
  if (state.channel.length > kept * 2) state.channel = state.channel.slice(-kept);
};

/** The file of the whole message, below the run's folder. */
export const messageFile = (seq: number, id: string): string => `_messages/${String(seq).padStart(8, "0")}-${id}.md`;

/** Characters of a message between participants; of a longer one the beginning is delivered, with the path of the rest. */
export const longestMessage = 1_200;
const shown = 300;

type Posted = { text: string; message: string; resource?: string | undefined };

/** As participants other than the human get it: a final text may be long. A long text sent with a tool is already a resource. */
export function deliveredText({ text, message, resource }: Posted, seq: number): string {
  if (text.length <= longestMessage) return text;
  const where = resource ? `resource ${resource}` : `in ${messageFile(seq, message)}`;
  return `${text.slice(0, shown).toWellFormed()} …\n[${text.length} characters; the whole text is ${where}]`;
}

/** The recipients of a text that names none. */
function called(state: State, sender: ParticipantId, text: string): string[] {
  const named = leadingMentions(state, text);
  if (named.length) return named.map(({ id, said }) => id ?? said);
  return sender === "human" && !lead(state) ? ["*"] : toLead(state);
}

const everyone = /^@?(\*|all|everyone)$/i;

/**
 * Resolves names that a sender gave to ids: `bob`, `@Bob`, `@"Anna Maria"`, several with commas, or `*` for everyone else in the run. `agent:bob` is
 * another agent; whether there is one its delivery shows.
 */
export function recipients(state: State, sender: ParticipantId, to: string | readonly string[]): Address[] {
  const names = [to]
    .flat()
    .flatMap((name) => name.split(","))
    .map((name) => name.trim().replace(/^(@?)"(.*)"$/, "$1$2"));
  if (names.some((name) => everyone.test(name))) {
    const others = [...state.participants.values()].filter(
      (one) => one.id !== sender && (one.kind === "human" || !one.retired),
    );
    if (others.length === 0)
      throw new Problem(
        "wrong_state",
        `nobody is left in ${state.run!.id} to read messages: everyone in its team is retired; start another run`,
      );
    return others.map((one) => one.id);
  }
  return [
    ...new Set(
      names.map((name) => {
        const agent = agentIn(name);
        if (agent !== undefined) {
          if (AgentId.safeParse(agent).success) return addressOf(agent);
          throw new Problem(
            "invalid",
            `${JSON.stringify(name)} is not the address of an agent; write agent: and its id`,
          );
        }
        const one = requireParticipant(state, name);
        if (one.kind !== "human" && one.retired)
          throw new Problem("wrong_state", `${one.name} is retired and reads no messages`);
        if (one.id === sender) throw new Problem("invalid", `${one.name} cannot write to itself`);
        return one.id;
      }),
    ),
  ];
}

export const message = defineBehaviour({
  decide: messageDecide,
  reduce: [{ phase: "own", looksAt: ["run.started", "message.posted"], reduce: reduceMessages }],
});
