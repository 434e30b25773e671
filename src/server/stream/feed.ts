/**
 * The events of the home, broadcast to many readers: exactly those after a reader's cursor, each once, in the order of their log.
 *
 * A durable event comes from the runtime once, is serialised once and handed to all live readers; the latest stay in memory for readers that
 * reconnect. A reader that is further behind is served from the log at its own pace until it has caught up; the switch to live events is
 * synchronous, so nothing can be missed. Reading does not keep an agent open.
 *
 * Not here: the queue of one reader (outlet.ts), the stream of all agents (all.ts).
 */
import type { Random } from "../../lib/world.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { assertKnown } from "../routes/agents.ts";
import { type AllFeed, createAll } from "./all.ts";
import { damageOf } from "./catch-up.ts";
import { createPlaces, type Keep } from "./cursor.ts";
import { deltaFrames, type Form, type Line, lineOf } from "./frame.ts";
import type { Outlet } from "./outlet.ts";

export interface Feed {
  /** Where a reader of one agent begins. Throws `not_found`, or `invalid` for a seq in the future. */
  seqOf(agent: string, after: string | undefined): Promise<number>;
  /** Serves until the outlet ends. */
  serve(agent: string, after: number, outlet: Outlet): void;
  all: AllFeed;
  close(): void;
}

/** A reader that has caught up. */
export interface Reader {
  take(lines: readonly Line[]): void;
  delta(frame: (form: Form) => Uint8Array): void;
  end(): void;
}

interface Tail {
  agent: string;
  head: number;
  lines: Line[];
  size: number;
  readers: Set<Reader>;
  filling: boolean;
}

const mostInMemory = 256 * 1024;

export interface FeedOptions {
  runtime: Runtime;
  /** For the cursors of the stream of all agents. */
  keep: Keep;
  random: Random;
}

export function createFeed({ runtime, keep, random }: FeedOptions): Feed {
  const places = createPlaces({ keep, random });
  const tails = new Map<string, Tail>();
  /** Outlets that are served, from the first to the last moment. */
  const outlets = new Set<Outlet>();
  let closed = false;
  const all = createAll({ runtime, places, headOf, serving });
  const unwatch = runtime.watch({
    told(agent, events, before) {
      const tail = tails.get(agent) ?? (all.readers() > 0 ? tailOf(agent, before) : undefined);
      if (!tail || tail.filling) return;
      if (tail.readers.size === 0 && all.readers() === 0) return void tails.delete(agent);
      if (events[0]?.seq === tail.head + 1) push(tail, events);
      else if ((runtime.seq(agent) ?? 0) > tail.head) void fill(tail);
    },
    delta(agent, delta) {
      const tail = tails.get(agent);
      if (!tail?.readers.size && all.readers() === 0) return;
      const frame = deltaFrames(agent, delta);
      for (const reader of tail?.readers ?? []) reader.delta(frame);
      all.delta(frame);
    },
  });

  /** How far live readers have been served. */
  function headOf(agent: string): number | undefined {
    return tails.get(agent)?.head ?? runtime.seq(agent);
  }

  function tailOf(agent: string, head: number): Tail {
    const tail = tails.get(agent) ?? { agent, head, lines: [], size: 0, readers: new Set(), filling: false };
    tails.set(agent, tail);
    return tail;
  }

  function push(tail: Tail, events: readonly Event[]): void {
    const lines = events.map((event) => {
      tail.head = event.seq;
      return lineOf(tail.agent, event, all.placeAfter(tail.agent, event.seq));
    });
    tail.lines.push(...lines);
    for (const { size } of lines) tail.size += size;
    let old = 0;
    while (tail.size > mostInMemory && old < tail.lines.length) tail.size -= tail.lines[old++]!.size;
    if (old > 0) tail.lines.splice(0, old);
    for (const reader of tail.readers) reader.take(lines);
    all.take(lines);
  }

  /** Events that were not broadcast, because the disk kept them although their append failed. */
  async function fill(tail: Tail): Promise<void> {
    tail.filling = true;
    try {
      for await (const events of runtime.follow(tail.agent, tail.head)) {
        push(tail, events);
        if (tail.head >= (runtime.seq(tail.agent) ?? 0)) return;
      }
    } catch {
      // It cannot be read now: live readers start over, and find the rest or get the error.
      for (const reader of tail.readers) reader.end();
      all.end();
      tails.delete(tail.agent);
    } finally {
      tail.filling = false;
    }
  }

  /** Releases what nobody needs any more. */
  function leave(tail: Tail, reader: Reader): void {
    tail.readers.delete(reader);
    if (tail.readers.size === 0 && all.readers() === 0 && !tail.filling) tails.delete(tail.agent);
  }

  function serving(outlet: Outlet, work: () => Promise<void>): void {
    if (closed) {
      outlet.end();
      return;
    }
    outlets.add(outlet);
    outlet.signal.addEventListener("abort", () => {
      outlets.delete(outlet);
      if (outlets.size === 0) tails.clear();
    });
    // A reader whose log cannot be read has been told so.
    work().catch(() => outlet.end());
  }

  async function serveOne(agent: string, seq: number, outlet: Outlet): Promise<void> {
    while (!outlet.over()) {
      const head = headOf(agent) ?? 0;
      const kept = tails.get(agent)?.lines ?? [];
      if (seq >= head || (kept[0] && kept[0].seq <= seq + 1)) return join(agent, seq, kept, outlet);
      const before = seq;
      for await (const events of runtime.follow(agent, seq, outlet.signal)) {
        for (const event of events) {
          await outlet.feed(lineOf(agent, event));
          seq = event.seq;
        }
        if (seq >= (headOf(agent) ?? 0)) break;
      }
      if (seq === before) outlet.end(); // the runtime was stopped
    }
  }

  function join(agent: string, seq: number, kept: readonly Line[], outlet: Outlet): void {
    const reader: Reader = {
      take(lines) {
        const fresh = lines[0]!.seq > seq ? lines : lines.filter((line) => line.seq > seq);
        if (fresh.length === 0) return;
        seq = fresh.at(-1)!.seq;
        outlet.take(fresh);
      },
      delta: outlet.delta,
      end: outlet.end,
    };
    if (kept.length > 0) reader.take(kept);
    if (outlet.over()) return;
    const tail = tailOf(agent, runtime.seq(agent) ?? 0);
    tail.readers.add(reader);
    outlet.signal.addEventListener("abort", () => leave(tail, reader));
  }

  return {
    async seqOf(agent, after) {
      assertKnown(runtime, agent);
      const seq = await runtime.read(agent, (state) => state.seq);
      if (after === undefined) return 0;
      if (after === "now") return seq;
      if (!/^\d{1,15}$/.test(after))
        throw new Problem("invalid", `invalid cursor after=${after}; expected the seq of an event, or now`);
      if (Number(after) > seq)
        throw new Problem("invalid", `after=${after} is beyond the last event of ${agent}, ${seq}`);
      return Number(after);
    },
    serve: (agent, after, outlet) =>
      serving(outlet, () =>
        serveOne(agent, after, outlet).catch((error) => {
          if (error instanceof Problem) outlet.damage(damageOf(agent, error));
          throw error;
        }),
      ),
    all,
    close() {
      closed = true;
      unwatch();
      for (const outlet of outlets) outlet.end();
    },
  };
}
