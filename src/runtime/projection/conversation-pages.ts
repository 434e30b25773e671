/**
 * What was said, beyond what the state keeps: pages of the conversation (core/message/utterance.ts) and of one participant's lines, the newest first, from
 * the log.
 *
 * The index says where it is, so that a page reads only its own part of the log; without an index the messages that the state keeps say how far
 * back the page can reach, and before those the log is read from its beginning.
 * A participant's lines are made by folding the log, because only the fold knows what was in an inbox.
 */

import { utteranceIn } from "../../core/message/utterance.ts";
import { reduce } from "../../core/reduce.ts";
import { emptyState, type State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import type { Utterance } from "../../schema/utterance.ts";
import type { Line } from "../../schema/worker.ts";
import type { Index } from "../../search/search.ts";
import type { Indexing } from "../events/index-follower.ts";

export interface SaidLine {
  seq: number;
  at: string;
  run: string;
  line: Line;
}

export interface Page<T> {
  /** The newest first. */
  items: T[];
  /** There is more before them. */
  more: boolean;
}

export interface Channel {
  said(before: number | undefined, limit: number): Promise<Page<Utterance>>;
  /** Null if nobody of this id was ever there. Up to a seq, not with it. */
  lines(participant: string, before: number | undefined, limit: number): Promise<Page<SaidLine> | null>;
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
  async function fromLog(after: number, before: number, limit: number): Promise<Page<Utterance>> {
    const found: Utterance[] = [];
    let more = false;
    reading: for await (const events of past(after))
      for (const event of events) {
        if (event.seq >= before) break reading;
        const said = utteranceIn(event);
        if (!said) continue;
        found.push(said);
        if (found.length > limit) more = Boolean(found.shift());
      }
    return { items: found.reverse(), more };
  }

  /** The newest messages that the state keeps: with one more than a page there is nothing older on it. */
  function recent(before: number, limit: number): number[] | undefined {
    const known = state().channel.filter(({ seq }) => seq < before);
    return known.length > limit
      ? known
          .slice(-limit - 1)
          .map(({ seq }) => seq)
          .reverse()
      : undefined;
  }

  /** Where it is, if the index knows it: it may be behind the log, or fail, and then nobody is told less for it. */
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
    async said(before = Number.MAX_SAFE_INTEGER, limit) {
      const kept = recent(before, limit);
      await durable();
      const seqs = (await located(before, limit + 1)) ?? kept;
      if (!seqs) return await fromLog(0, before, limit);
      const oldest = seqs[Math.min(limit, seqs.length) - 1];
      if (oldest === undefined) return { items: [], more: false };
      const { items, more } = await fromLog(oldest - 1, before, limit);
      return { items, more: more || seqs.length > limit };
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
