/**
 * The outbox: messages on their way to other agents. A message is here from the event that posted it until the other agent has it in its log, or refused
 * it; then its sender is told why.
 *
 * Always holds: to one recipient they go in the order in which they were written. Nothing expires here: what cannot be delivered now is tried again
 * after each start. What an agent that moved to another home had not sent is dropped (moved.ts): its twin sends it.
 * Not here: sending (runtime/delivery/outbox.ts), and what the other side does with it (agent-mail.ts).
 */

import type { Outgoing } from "../../schema/outbox.ts";
import { Problem } from "../../schema/problem.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { agentIn } from "./address.ts";

/** Messages that may wait for one agent. */
const mostWaiting = 100;

/** Throws `limit_reached` if too much waits for one of these already. */
export function assertRoom({ outbox }: State, to: readonly string[]): void {
  if (outbox.size < mostWaiting) return;
  const full = to.flatMap((one) => agentIn(one) ?? []).find((agent) => waitingFor(outbox, agent) >= mostWaiting);
  if (full !== undefined)
    throw new Problem(
      "limit_reached",
      `${mostWaiting} messages wait for ${full}, the maximum; write again when it has them`,
    );
}

const waitingFor = (outbox: State["outbox"], agent: string): number =>
  [...outbox.values()].filter(({ to }) => to === agent).length;

/** The next one for each recipient. */
export function nextOutgoing({ outbox }: Pick<State, "outbox">): Outgoing[] {
  const next = new Map<string, Outgoing>();
  for (const outgoing of outbox.values()) if (!next.has(outgoing.to)) next.set(outgoing.to, outgoing);
  return [...next.values()];
}

const outboxDecide: Deciders<"outbox.confirm" | "outbox.refuse"> = {
  "outbox.confirm": ({ outbox }, { outgoing }) =>
    outbox.has(outgoing) ? [{ type: "outbox.delivered", data: { outgoing } }] : [],
  "outbox.refuse": ({ outbox }, { outgoing: id, reason }) => {
    const outgoing = outbox.get(id);
    if (!outgoing) return [];
    const { to, message, by, mail } = outgoing;
    const notice = mail.notice ? { notice: true as const } : {};
    return [
      { type: "outbox.refused", data: { outgoing: id, to, ...(message ? { message } : {}), by, ...notice, reason } },
    ];
  },
};

const reduceOutbox: Reduce = (state, event) => {
  switch (event.type) {
    case "message.posted": {
      const { message, from: by, to, text, priority, mail, resource: id } = event.data;
      if (!mail || mail.origin) return;
      const { by: _by, at: _at, ...about } = state.resources.get(id ?? "") ?? {};
      const resource = "id" in about ? { resource: about as Outgoing["resource"] } : {};
      for (const agent of to.flatMap((one) => agentIn(one) ?? [])) {
        const outgoing = `${event.seq}/${agent}`;
        state.outbox.set(outgoing, {
          id: outgoing,
          seq: event.seq,
          to: agent,
          message,
          by,
          text,
          priority,
          mail,
          ...resource,
        });
      }
      return;
    }
    case "membership.handled":
    case "membership.voted": {
      const { team, ...data } = event.data;
      const id = `${event.seq}/${team}`;
      const report = "upto" in data ? { handled: data.upto } : { vote: data };
      const mail = { hops: 1, ...("upto" in data ? { notice: true as const } : {}) };
      const given = { id, seq: event.seq, to: team, by: event.actor, text: "", priority: "background" as const };
      state.outbox.set(id, { ...given, mail, ...report });
      return;
    }
    case "outbox.delivered":
    case "outbox.refused":
      state.outbox.delete(event.data.outgoing);
      return;
    case "agent.moved":
      if (event.data.inert) state.outbox.clear();
  }
};

export const outbox = defineBehaviour({
  decide: outboxDecide,
  reduce: [
    {
      phase: "own",
      looksAt: [
        ...(["message.posted", "membership.handled", "membership.voted"] as const),
        ...(["outbox.delivered", "outbox.refused", "agent.moved"] as const),
      ],
      reduce: reduceOutbox,
    },
  ],
});
