/**
 * Deliveries: reports to the human that are pending per channel. An event that concerns the human (inbox.ts says which) adds one entry for each
 * channel that wants it; `delivery.sent` removes it, `delivery.failed` postpones it or gives it up. Pending deliveries are part of the state: a
 * crash between sending and recording sends one again (at least once), and nothing else sends twice.
 *
 * A channel that is added to the config later is sent the open questions. A failing channel is retried one delivery at a time with backoff, 1
 * minute to 1 hour; after twelve failures in a row everything pending is given up. A delivery that alone is refused does not hold up the others.
 * Outdated deliveries (an answered question, a pause that is over) are not sent, and an archived agent has none.
 * Not here: sending (runtime/delivery/deliveries.ts), what people see of it (human-inbox.ts).
 */

import { shorten } from "../../lib/text/text.ts";
import type { Concern, Delivery, KnownChannel, Pause } from "../../schema/delivery.ts";
import { type Event, typesOf } from "../../schema/event.ts";
import type { Question } from "../../schema/question.ts";
import { isIntended } from "../agent/pause.ts";
import { route } from "../message/mail-route.ts";
import { type Deciders, defineBehaviour, iso, type Reduce } from "../noun.ts";
import { defaultLead, lead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { needsWord } from "./question.ts";

const mostAttempts = 12;
const minute = 60_000;
const longest = 60 * minute;
/** The longest Retry-After that is honoured; twelve of these are a day. */
const patience = 120 * minute;
/** Pending per channel; the oldest are dropped. */
const mostPending = 100;
/** Characters of a text that are sent outside; the inbox has all of it. */
const mostText = 2_000;

const deliveryDecide: Deciders<"delivery.route" | "delivery.confirm" | "delivery.fail"> = {
  "delivery.route": (state, { channels }) =>
    sameChannels(state, channels) ? [] : [{ type: "delivery.routed", data: { channels } }],
  "delivery.confirm": ({ deliveries }, { delivery: id }) => {
    const delivery = deliveries.get(id);
    return delivery ? [{ type: "delivery.sent", data: { delivery: id, attempts: delivery.attempts + 1 } }] : [];
  },
  /** When the channel is given up, so is everything pending for it. */
  "delivery.fail": ({ deliveries, channels }, { delivery: id, error, retry_after_seconds }, { now }) => {
    const delivery = deliveries.get(id);
    if (!delivery) return [];
    const attempts = delivery.attempts + 1;
    const inARow = (channels.get(delivery.channel)?.failing?.attempts ?? 0) + 1;
    const asked = Math.min((retry_after_seconds ?? 0) * 1000, patience);
    const next_at = iso(now + Math.max(pauseAfter(attempts), asked));
    if (inARow < mostAttempts) {
      const again = attempts < mostAttempts ? { next_at } : {};
      return [{ type: "delivery.failed", data: { delivery: id, attempts, error, ...again } }];
    }
    const rest = waiting(deliveries, delivery.channel).filter((other) => other.id !== id);
    return [
      { type: "delivery.failed", data: { delivery: id, attempts, error } },
      ...rest.map((other) => ({
        type: "delivery.failed" as const,
        data: { delivery: other.id, attempts: other.attempts, error: `${other.channel} does not work` },
      })),
    ];
  },
};

/** Backoff after so many failures. */
const pauseAfter = (attempts: number): number => Math.min(longest, minute * 2 ** (attempts - 1));

/** Whether the agent's log knows exactly these channels. */
export function sameChannels({ channels }: State, given: Record<string, Pick<KnownChannel, "kind" | "for">>): boolean {
  const names = Object.keys(given);
  return (
    names.length === channels.size &&
    names.every((name) => {
      const known = channels.get(name);
      return known?.kind === given[name]!.kind && known.for.join() === given[name]!.for.join();
    })
  );
}

/** The next delivery for a channel, and from when on (empty: at once): fewest attempts first, then the oldest. */
export function nextFor(state: State, channel: string, now: string): { delivery: Delivery; at: string } | undefined {
  const bar = endOf(state.channels.get(channel)?.failing?.pause, now);
  let best: { delivery: Delivery; at: string } | undefined;
  for (const delivery of waiting(state.deliveries, channel)) {
    const own = endOf(delivery.pause, now);
    const at = own > bar ? own : bar;
    if (!best || at < best.at || (at === best.at && delivery.attempts < best.delivery.attempts))
      best = { delivery, at };
  }
  return best;
}

/** A pause that began in the future is ignored: the clock was set back, and waiting for it could take years. */
const endOf = (pause: Pause | undefined, now: string): string =>
  !pause || now < pause.from || pause.to <= now ? "" : pause.to;

/** Runs after all other reducers: it looks at what they made of the event. */
const reduceDeliveries: Reduce = (state, event) => {
  if (event.type === "delivery.routed") return routed(state, event.data.channels, event.run);
  if (event.type === "delivery.sent") return sent(state, event.data.delivery);
  if (event.type === "delivery.failed") return failed(state, event.data, event.ts);
  if (state.channels.size === 0) return;
  drop(state, (delivery) => overtaken(delivery, event));
  // Whoever archived it knows, and nothing could be recorded as sent.
  if (state.agent?.status === "archived") return;
  const told = concernOf(state, event);
  if (!told) return;
  const wanted = event.type === "question.asked" ? event.data.channel : undefined;
  for (const name of wantedBy(state, told.concern, wanted)) add(state, name, event.seq, event.ts, event.run, told);
};

function add(state: State, name: string, seq: number, at: string, run: string | undefined, told: Told): void {
  const id = `${seq}/${name}`;
  state.deliveries.set(id, { id, channel: name, seq, at, run, attempts: 0, ...told });
  const waits = waiting(state.deliveries, name);
  if (waits.length <= mostPending) return;
  const oldest = waits.find(({ question }) => question === undefined) ?? waits[0]!;
  state.deliveries.delete(oldest.id);
  giveUp(state, name);
}

type Told = Pick<Delivery, "concern" | "from" | "text" | "question" | "options" | "default" | "deadline">;

/** The text by which an event concerns the human, if it does. */
function concernOf(state: State, event: Event): Told | undefined {
  switch (event.type) {
    case "question.asked":
      return asked({ id: event.data.question, ...event.data });
    case "agent.paused":
      if (event.actor === "human" || isIntended(event.data.reason.code)) return undefined;
      return { concern: "paused", from: "system", text: short(event.data.reason.message) };
    case "agent.failed":
      return { concern: "failed", from: "system", text: short(event.data.reason.message) };
    case "agent.completed":
      return { concern: "completed", from: lead(state)?.id ?? defaultLead.id, text: short(event.data.summary) };
    // Only in the inbox: nobody waits for it.
    case "suggestion.dismissed":
      return undefined;
    default: {
      const entry = route(state, event);
      return entry?.to.includes("human") && entry.from !== "human"
        ? { concern: "messages", from: entry.from, text: short(entry.text) }
        : undefined;
    }
  }
}

function asked(
  given: Pick<Question, "id" | "by" | "text" | "options" | "default" | "deadline" | "approves" | "host">,
): Told {
  const { id: question, by: from, text, options, default: otherwise, deadline } = given;
  const approves = needsWord(given);
  const about = { question, options, default: otherwise, deadline };
  const shown = short(text);
  const rest = approves && shown !== text ? `\n${unseen(text.length - (shown.length - 1))}` : "";
  return { concern: approves ? "approvals" : "questions", from, text: shown + rest, ...about };
}

/** A question that names a channel, or a kind of channel that exists, goes only there. */
function wantedBy({ channels }: Pick<State, "channels">, concern: Concern, channel: string | undefined): string[] {
  const wanted = channel?.toLowerCase();
  if (wanted !== undefined) {
    if (channels.has(wanted)) return [wanted];
    const kind = [...channels].filter(([, channel]) => channel.kind === wanted).map(([name]) => name);
    if (kind.length) return kind;
  }
  return [...channels].filter(([, channel]) => channel.for.includes(concern)).map(([name]) => name);
}

function overtaken({ concern, question, run }: Delivery, event: Event): boolean {
  switch (event.type) {
    case "question.answered":
    case "question.expired":
      return question === event.data.question && run === event.run;
    case "agent.resumed":
    case "agent.reopened":
      return concern === "paused";
    case "run.started":
      return question !== undefined || concern === "paused";
    case "agent.archived":
      return true;
    default:
      return false;
  }
}

function routed(
  state: State,
  given: Record<string, Pick<KnownChannel, "kind" | "for">>,
  run: string | undefined,
): void {
  const before = state.channels;
  state.channels = new Map(
    Object.entries(given).map(([name, wish]) => [name, { given_up: 0, ...before.get(name), ...wish }]),
  );
  drop(state, ({ channel }) => !state.channels.has(channel));
  for (const question of state.questions.values()) {
    if (question.status !== "open") continue;
    const told = asked(question);
    const already = wantedBy({ channels: before }, told.concern, question.channel);
    for (const name of wantedBy(state, told.concern, question.channel))
      if (!already.includes(name) && !question.told?.includes(name))
        add(state, name, question.seq, question.asked_at, run, told);
  }
}

function sent(state: State, id: string): void {
  const delivery = state.deliveries.get(id);
  if (!delivery) return;
  state.deliveries.delete(id);
  toldBy(state, delivery);
  const { failing: _failing, ...works } = state.channels.get(delivery.channel) ?? {};
  if (state.channels.has(delivery.channel)) state.channels.set(delivery.channel, works as KnownChannel);
}

function failed(
  state: State,
  {
    delivery: id,
    attempts,
    error,
    next_at,
  }: { delivery: string; attempts: number; error: string; next_at?: string | undefined },
  ts: string,
): void {
  const delivery = state.deliveries.get(id);
  if (!delivery) return;
  const channel = state.channels.get(delivery.channel);
  if (channel && attempts > delivery.attempts) {
    const inARow = (channel.failing?.attempts ?? 0) + 1;
    const since = channel.failing?.since ?? ts;
    // The receiver's Retry-After applies to the whole channel; the backoff of one delivery does not.
    const asked = next_at && Date.parse(next_at) - Date.parse(ts) > pauseAfter(attempts);
    const bar = asked ? next_at : iso(Date.parse(ts) + pauseAfter(inARow));
    state.channels.set(delivery.channel, {
      ...channel,
      failing: { since, attempts: inARow, error, pause: { from: ts, to: bar } },
    });
  }
  if (next_at) state.deliveries.set(id, { ...delivery, attempts, pause: { from: ts, to: next_at } });
  else {
    state.deliveries.delete(id);
    toldBy(state, delivery);
    giveUp(state, delivery.channel);
  }
}

/** A channel that is removed and added again is not sent the same question twice. */
function toldBy({ questions }: State, { question: id, channel }: Delivery): void {
  const question = id === undefined ? undefined : questions.get(id);
  if (question?.status === "open")
    questions.set(question.id, { ...question, told: [...(question.told ?? []), channel] });
}

function giveUp({ channels }: State, name: string): void {
  const channel = channels.get(name);
  if (channel) channels.set(name, { ...channel, given_up: channel.given_up + 1 });
}

function drop(state: State, gone: (delivery: Delivery) => boolean): void {
  for (const delivery of state.deliveries.values()) if (gone(delivery)) state.deliveries.delete(delivery.id);
}

const waiting = (deliveries: State["deliveries"], channel: string): Delivery[] =>
  [...deliveries.values()].filter((delivery) => delivery.channel === channel);

/** Nobody should approve what they could not read. */
const unseen = (left: number): string =>
  `[${left} more characters are not shown here; look at all of it in your inbox before you allow it]`;

const short = (text: string): string => shorten(text, mostText);

export const delivery = defineBehaviour({
  decide: deliveryDecide,
  reduce: [
    {
      phase: "outside",
      looksAt: typesOf(
        ...[
          "agent",
          "run",
          "node",
          "stage",
          "worker",
          "message",
          "question",
          "proposal",
          "suggestion",
          "trigger",
          "cycle",
          "outbox",
        ],
        "delivery",
      ),
      reduce: reduceDeliveries,
    },
  ],
});
