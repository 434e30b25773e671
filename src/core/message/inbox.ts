/**
 * Inboxes: the only way by which anything reaches a participant: messages, assignments, ended nodes, answers, firings.
 *
 * An entry is identified by the seq of its event, so it exists once. Acknowledging moves a cursor that never goes backwards; acknowledging twice
 * changes nothing. Not here: whose inbox an event enters (mail-route.ts).
 */

import { type Event, typesOf } from "../../schema/event.ts";
import type { ParticipantId } from "../../schema/ids.ts";
import type { Entry, Participant } from "../../schema/worker.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { forward, guestOf, isGuest } from "../team/guest.ts";
import { requireParticipant } from "../team/names.ts";
import { wakes } from "../team/worker.ts";

import { type Delivery, holderOf, route } from "./mail-route.ts";
import { deliveredText } from "./message.ts";

/** The human's inbox shows the newest; the log has all. */
const shown = 1_000;

export interface Mail extends Pick<Delivery, "to" | "from" | "kind" | "text"> {}

/** The inbox entries that an event creates. Call it with the state right after the event: later states may have other names, creators and results. */
export function mailOf(state: State, event: Event): Mail | undefined {
  const delivery = route(state, event);
  if (!delivery) return undefined;
  const { from, kind, text } = delivery;
  return { to: readersOf(state, delivery), from, kind, text };
}

function readersOf(state: State, { to, quietly = [], from }: Delivery): ParticipantId[] {
  return [...new Set([...to, ...quietly])].filter((id) => {
    const one = state.participants.get(id);
    return one && id !== from && (one.kind === "human" || !one.retired);
  });
}

/** Runs after all other reducers: it looks at what they made of the event. */
const reduceInboxes: Reduce = (state, event) => {
  if (event.type === "inbox.acked") {
    const one = state.participants.get(event.data.participant);
    if (one) state.participants.set(one.id, { ...one, ...acknowledge(one, event.data.upto) } as Participant);
    return;
  }
  if (event.type === "outbox.refused") {
    const guest = guestOf(state, event.data.to);
    if (guest)
      state.participants.set(guest.id, { ...guest, ...acknowledge(guest, Number.parseInt(event.data.outgoing, 10)) });
  }
  if (event.type === "node.cancelled" && event.data.reason.code === "stopped")
    for (const id of holderOf(state, event.data.node)) takeBack(state, id);
  const delivery = route(state, event);
  if (!delivery) return;
  const { from, kind, text, quietly = [] } = delivery;
  const brief = event.type === "message.posted" && from !== "human" ? deliveredText(event.data, event.seq) : text;
  for (const id of readersOf(state, delivery)) {
    const one = state.participants.get(id)!;
    const priority = quietly.includes(id) && !delivery.to.includes(id) ? "background" : delivery.priority;
    const entry: Entry = {
      seq: event.seq,
      from,
      kind,
      text: one.kind === "human" ? text : brief,
      ...(priority && priority !== "normal" ? { priority } : {}),
      ...(delivery.quotes && one.kind !== "human" ? { quotes: delivery.quotes } : {}),
      ...(delivery.deferred ? { deferred: delivery.deferred } : {}),
    };
    one.unread.push(entry);
    if (isGuest(one)) forward(state, event, one, entry, text);
    if (one.kind === "human" && one.unread.length > shown) one.unread.shift();
    if (one.kind !== "human" && one.wait?.for === "mail" && wakes(entry))
      state.participants.set(id, { ...one, wait: undefined });
  }
};

const inboxDecide: Deciders<"inbox.ack"> = {
  "inbox.ack": (state, { participant, upto }) => {
    const one = requireParticipant(state, participant);
    return upto > one.read && upto <= state.seq ? [{ type: "inbox.acked", data: { participant: one.id, upto } }] : [];
  },
};

/** The cursor never goes backwards. */
export function acknowledge(one: Participant, upto: number): Pick<Participant, "read" | "unread"> {
  const read = Math.max(one.read, upto);
  return { read, unread: one.unread.filter((entry) => entry.seq > read) };
}

/** A node that a stop cancelled is removed from its worker's inbox, even if it was unread. */
function takeBack(state: State, id: ParticipantId): void {
  const one = state.participants.get(id);
  if (!one || one.kind === "human") return;
  const unread = one.unread.filter(({ kind }) => kind !== "assigned" && kind !== "nudge");
  state.participants.set(id, { ...one, unread });
}

export const inbox = defineBehaviour({
  decide: inboxDecide,
  reduce: [
    {
      phase: "mail",
      looksAt: typesOf(
        ...["agent", "run", "node", "stage", "worker", "message", "inbox", "question"],
        ...["proposal", "suggestion", "trigger", "cycle", "document", "outbox", "workspace"],
      ),
      reduce: reduceInboxes,
    },
  ],
});
