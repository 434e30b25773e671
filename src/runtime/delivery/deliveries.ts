/**
 * The outbox: sends notifications through the configured channels, one at a time for each channel, in the order of core/human/delivery.ts, with
 * retry and backoff.
 *
 * It looks only at the state, so it does not matter how often, or when, it is called. A notification is durable before it is sent, and recorded
 * as sent once the other side has accepted it. A crash in between sends it again, with the same idempotency key.
 *
 * The backoff after a failure is measured by the monotonic clock: when the wall clock is set back, a wake-up at a time of day would be late by
 * as much. So an agent with something to send stays open (assembly.ts, atRest).
 */
import { ChannelError, noticeOf } from "../../channel/channel.ts";
import type { Channels } from "../../channel/channels.ts";
import { nextFor, sameChannels } from "../../core/human/delivery.ts";
import { iso } from "../../core/noun.ts";
import type { World } from "../../lib/world.ts";
import type { Delivery } from "../../schema/delivery.ts";
import type { Live } from "../live.ts";

export interface Deliveries {
  /** Sends everything that is due and not under way. */
  start(): void;
  /** Nothing is being sent. */
  idle(): Promise<void>;
}

export interface DeliveriesOptions {
  live: Live;
  world: World;
  channels: Channels;
  /** Work that an orderly end waits for. */
  track(job: Promise<void>): void;
}

export function createDeliveries({ live, world, channels, track }: DeliveriesOptions): Deliveries {
  const wishes = Object.fromEntries(
    [...channels].map(([name, { kind, for: wanted }]) => [name, { kind, for: [...wanted] }]),
  );
  /** What is being sent, by channel. */
  const busy = new Map<string, Promise<void>>();
  /** What ends the timer of a channel that has to wait. */
  const timers = new Map<string, () => void>();
  live.signal.addEventListener("abort", () => {
    for (const cancel of timers.values()) cancel();
  });

  /** Looks again when the time has come, and at least every minute: timers do not notice a wall clock that is set forward. */
  function wait(name: string, ms: number): void {
    timers.get(name)?.();
    timers.set(name, world.clock.after(Math.min(ms, lookAgainMs), start));
  }

  function start(): void {
    const state = live.state();
    if (!state.agent || state.agent.status === "archived" || live.signal.aborted) return;
    if (!sameChannels(state, wishes))
      live.dispatch({ type: "delivery.route", channels: wishes }).catch(() => undefined);
    if (state.deliveries.size === 0) return;
    const now = world.clock.now();
    for (const name of channels.keys()) {
      const next = nextFor(state, name, iso(now));
      if (busy.has(name) || !next) continue;
      if (next.at) {
        wait(name, Date.parse(next.at) - now);
        continue;
      }
      const job = send(name, next.delivery).then(() => {
        busy.delete(name);
        start();
      });
      busy.set(name, job);
      track(job);
    }
  }

  async function send(name: string, delivery: Delivery): Promise<void> {
    try {
      await live.durable();
      if (live.signal.aborted || !live.state().deliveries.has(delivery.id)) return;
      const failed = await attempt(name, delivery);
      await world.point?.("delivery.tried");
      if (live.signal.aborted) return;
      await live.dispatch(failed ?? { type: "delivery.confirm", delivery: delivery.id });
    } catch {
      // The log is closed, or the agent archived: what is pending stays so, or does not matter any more.
    }
  }

  async function attempt(name: string, delivery: Delivery) {
    try {
      await channels.get(name)!.send(noticeOf(live.agent, delivery), live.signal);
      return undefined;
    } catch (error) {
      if (live.signal.aborted) throw error;
      const told = error instanceof ChannelError ? error : new ChannelError("an unexpected fault");
      const { message, retryAfterSeconds: seconds } = told;
      return {
        type: "delivery.fail" as const,
        delivery: delivery.id,
        error: message.toWellFormed().slice(0, 500) || "no reason given",
        ...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
      };
    }
  }

  return {
    start,
    async idle() {
      while (busy.size) await Promise.allSettled(busy.values());
    },
  };
}

const lookAgainMs = 60_000;
