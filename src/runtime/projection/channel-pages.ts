/**
 * Pages of one run's channel, the newest first: from the state while that has all its messages, else from the log. Only messages are here: what
 * participants do, and what tools give back, never enters a channel.
 */
import {
  type ChannelPage,
  type ChannelQuery,
  type ChannelWish,
  matchesQuery,
} from "../../core/message/channel-search.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import type { Message } from "../../schema/message.ts";
import { Problem } from "../../schema/problem.ts";

export type ReadChannel = (wish: ChannelWish) => Promise<ChannelPage>;

export interface ChannelPagesOptions {
  agent: string;
  state(): State;
  /** What the state says is durable. */
  durable(): Promise<void>;
  past(after: number): AsyncIterable<Event[]>;
  blob(sha256: string): Promise<Buffer | null>;
}

export function createReadChannel({ agent, state, durable, past, blob }: ChannelPagesOptions): ReadChannel {
  /** Also by what a long message says after its beginning. */
  async function matches(message: Message, wish: ChannelQuery): Promise<boolean> {
    if (matchesQuery(message, wish)) return true;
    if (message.resource === undefined || wish.query === undefined) return false;
    const whole = await blob(message.resource);
    return whole !== null && matchesQuery(message, wish, String(whole));
  }

  /** All messages of the current run if the state still has them. */
  function kept(run: string): Message[] | undefined {
    const { channel, counts, run: now } = state();
    return run === now?.id && channel.length >= counts.messages - counts.messages_before_run ? [...channel] : undefined;
  }

  async function* fromLog(after: number, run: string): AsyncGenerator<Message> {
    for await (const events of past(after))
      for (const event of events) {
        if (event.type === "run.started" && event.run !== run) return;
        if (event.type !== "message.posted") continue;
        const { message: id, ...given } = event.data;
        yield { id, seq: event.seq, at: event.ts, ...given };
      }
  }

  return async ({ run: wanted, before = Number.MAX_SAFE_INTEGER, limit, ...query }) => {
    const { run, past: ended } = state();
    const one = [...ended, ...(run ? [run] : [])].findLast(({ id }) => wanted === undefined || id === wanted);
    if (!one) throw new Problem("not_found", wanted ? `${agent} has no run ${wanted}` : `${agent} has no run yet`);
    const messages = kept(one.id);
    await durable();
    const found: Message[] = [];
    let more = false;
    for await (const message of messages ?? fromLog(one.first_seq - 1, one.id)) {
      if (message.seq >= before) break;
      if (!(await matches(message, query))) continue;
      found.push(message);
      if (found.length > limit) more = Boolean(found.shift());
    }
    return { run: one.id, messages: found.reverse(), more };
  };
}
