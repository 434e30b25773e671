/**
 * What was said, beyond what the state keeps: pages of messages and of one participant's lines, the newest first, from the log.
 *
 * The index says where messages are, so that a page reads only its own part of the log; without an index the log is read from its beginning.
 * A participant's lines are made by folding the log, because only the fold knows what was in an inbox.
 */
import { reduce } from "../core/reduce.ts";
import { emptyState, type State } from "../core/state.ts";
import type { Event } from "../schema/event.ts";
import type { Message } from "../schema/message.ts";
import type { Line } from "../schema/worker.ts";
import type { Index } from "../store/search.ts";
import type { Indexing } from "./indexing.ts";

export type SaidMessage = Message & { run: string };
export interface SaidLine {
  seq: number;
  at: string;
  run: string;
  line: Line;
}

export interface Said<T> {
  /** The newest first. */
  items: T[];
  /** There is more before them. */
  more: boolean;
}

export interface Channel {
  messages(before: number | undefined, limit: number): Promise<Said<SaidMessage>>;
  /** Null if nobody of this id was ever there. Up to a seq, not with it. */
  lines(participant: string, before: number | undefined, limit: number): Promise<Said<SaidLine> | null>;
}

export interface ChannelOptions {
  agent: string;
  state(): State;
  /** What the state says is durable. */
  durable(): Promise<void>;
  past(after: number): AsyncIterable<Event[]>;
  index: Index | undefined;
  indexing: Pick<Indexing, "ready"> | undefined;
}

export function createChannel({ agent, state, durable, past, index, indexing }: ChannelOptions): Channel {
  /** From what the state keeps, if that is enough for a whole page. */
  function recent(before: number, limit: number): Said<SaidMessage> | undefined {
    const { channel, run } = state();
    const known = channel.filter(({ seq }) => seq < before);
    if (known.length <= limit) return undefined;
    return {
      items: known
        .slice(-limit)
        .reverse()
        .map((one) => ({ ...one, run: run!.id })),
      more: true,
    };
  }

  async function fromLog(after: number, before: number, limit: number): Promise<Said<SaidMessage>> {
    const found: SaidMessage[] = [];
    let more = false;
    reading: for await (const events of past(after))
      for (const event of events) {
        if (event.seq >= before) break reading;
        if (event.type !== "message.posted") continue;
        const { message: id, ...given } = event.data;
        found.push({ id, seq: event.seq, at: event.ts, run: event.run!, ...given });
        if (found.length > limit) more = Boolean(found.shift());
      }
    return { items: found.reverse(), more };
  }

  /** Where the messages are, if the index knows it: it may be behind the log, or fail, and then nobody is told less for it. */
  async function located(before: number, limit: number): Promise<number[] | undefined> {
    const needed = Math.min(before - 1, state().seq);
    try {
      await indexing?.ready();
      return (index?.position(agent)?.seq ?? -1) >= needed ? index!.spoken({ agent, before, limit }) : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async messages(before = Number.MAX_SAFE_INTEGER, limit) {
      const kept = recent(before, limit);
      await durable();
      if (kept) return kept;
      const seqs = await located(before, limit + 1);
      if (!seqs) return await fromLog(0, before, limit);
      const oldest = seqs[Math.min(limit, seqs.length) - 1];
      if (oldest === undefined) return { items: [], more: false };
      return { ...(await fromLog(oldest - 1, before, limit)), more: seqs.length > limit };
    },

    async lines(participant, before = Number.MAX_SAFE_INTEGER, limit) {
      const at = emptyState();
      const taken = new WeakSet<Line>();
      const found: SaidLine[] = [];
      let [more, known] = [false, false];
      reading: for await (const events of past(0))
        for (const event of events) {
          if (event.seq >= before) break reading;
          reduce(at, event);
          const one = at.participants.get(participant);
          known ||= one !== undefined;
          if (!one || one.kind === "human") continue;
          const fresh = one.conversation.slice(one.conversation.findLastIndex((line) => taken.has(line)) + 1);
          for (const line of fresh) taken.add(line);
          // What is shortened leaves copies behind, of lines that were seen.
          if (event.type === "context.shortened") continue;
          found.push(...fresh.map((line) => ({ seq: event.seq, at: event.ts, run: event.run ?? "", line })));
          while (found.length > limit && found[0]!.seq !== found.at(-1)!.seq) {
            // Lines of one event stay together: a cursor cannot point between them.
            const { seq } = found[0]!;
            found.splice(
              0,
              found.findIndex((other) => other.seq !== seq),
            );
            more = true;
          }
        }
      return known ? { items: found.reverse(), more } : null;
    },
  };
}
