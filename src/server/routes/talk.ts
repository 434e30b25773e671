/**
 * Messages from the human over HTTP. A message is acknowledged when it is in the log; waiting for the reply is waiting for an event after it, so
 * nothing is missed and there is no polling.
 */
import { createReplyFinder, type Outcome } from "../../api/reply.ts";
import { longestWait, type Sent, type talkRoutes } from "../../api/talk.ts";
import { anySignal } from "../../lib/time/abort.ts";
import type { Clock } from "../../lib/world.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { byHuman, type Handlers, keyPrefix, Reply } from "../handler.ts";
import type { Served } from "../house.ts";
import { wantsPieces } from "../pieces.ts";
import { stoppingProblem } from "../stream/stopping.ts";
import { assertKnown } from "./agents.ts";
import { streamReply } from "./talk-stream.ts";

const usualWait = 120;

export const talkHandlers = ({ runtime, clock }: Pick<Served, "runtime" | "clock">): Handlers<typeof talkRoutes> => {
  async function post(
    agent: string,
    { resources: attachments, ...said }: Said,
    key: string | undefined,
  ): Promise<Sent> {
    assertKnown(runtime, agent);
    const { seq } = await runtime.send(agent, { ...said, type: "message.post", attachments }, byHuman(key));
    const there = await runtime.read(agent, ({ channel }) => channel.findLast((one) => one.seq === seq));
    if (there) return { id: there.id, to: there.to, seq };
    // Sent long ago, with the same idempotency key.
    const event = await eventAt(runtime, agent, seq);
    if (event.type !== "message.posted") throw new Error(`${agent}/${seq} is ${event.type}, not a message`);
    return { id: event.data.message, to: event.data.to, seq };
  }

  return {
    async send({ params: { agent }, body: { message, content, to, resources, wait }, key, signal, request }) {
      const text = message ?? content ?? "";
      const sent = await post(agent, { text, resources, ...(to === undefined ? {} : { to }) }, key);
      if (!wait) return sent;
      const seconds = wait === true ? usualWait : Math.min(wait, longestWait);
      const waiting = { runtime, clock, agent, sent, ms: seconds * 1000 };
      if (wantsPieces(request)) return streamReply(waiting, signal);
      const outcome = await awaitReply(waiting, signal);
      return new Reply(outcome.reply ? 200 : 202, { ...sent, ...outcome }, false);
    },
    async nudge({ params: { agent }, body: { message: text, to, resources }, key }) {
      return await post(agent, { text, resources, priority: "immediate", ...(to === undefined ? {} : { to }) }, key);
    },
    async getRequest({ params: { agent, key } }) {
      assertKnown(runtime, agent);
      const taken = await runtime.read(agent, ({ keys }) => keys.get(keyPrefix + key));
      if (!taken) throw new Problem("not_found", `${agent} has taken no request with the key ${key}`);
      return { seq: taken.seq };
    },
    async markRead({ params: { agent }, body, key }) {
      assertKnown(runtime, agent);
      const upto = body.upto ?? (await runtime.read(agent, ({ seq }) => seq));
      await runtime.send(agent, { type: "inbox.ack", participant: "human", upto }, byHuman(key));
      return { upto: await runtime.read(agent, ({ participants }) => participants.get("human")?.read ?? 0) };
    },
  };
};

interface Said {
  text: string;
  to?: string | string[];
  priority?: "immediate";
  resources: string[] | undefined;
}

export interface Waiting {
  runtime: Runtime;
  clock: Clock;
  agent: string;
  sent: Sent;
  ms: number;
}

/** Until the reply is there, the agent is paused, the time is up or the caller disconnects. Followers have stopped by then. */
export async function awaitReply({ runtime, clock, agent, sent, ms }: Waiting, signal: AbortSignal): Promise<Outcome> {
  const find = createReplyFinder(sent);
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort());
  const over = anySignal(signal, late.signal);
  try {
    const { paused, seq } = await runtime.read(agent, ({ agent: who, seq }) => ({
      paused: who?.status === "paused" ? who.reason.message : null,
      seq,
    }));
    // A paused agent will not reply, but the reply may be there already.
    if (paused !== null && seq <= sent.seq) return { reply: null, why: paused };
    for await (const events of runtime.follow(agent, sent.seq, over.signal)) {
      for (const event of events) {
        const outcome = find(event);
        if (outcome) return outcome;
      }
      if (paused !== null && events.at(-1)!.seq >= seq) return { reply: null, why: paused };
    }
    const why = over.signal.aborted ? `no reply within ${ms / 1000} seconds` : "the daemon is stopping";
    return { reply: null, why: `${why}; the reply will be in the conversation` };
  } finally {
    cancel();
    over.release();
  }
}

/** A durable event. */
export async function eventAt(runtime: Runtime, agent: string, seq: number): Promise<Event> {
  for await (const [event] of runtime.follow(agent, seq - 1)) if (event) return event;
  throw stoppingProblem();
}
