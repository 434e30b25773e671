/**
 * Keeps log lines short: the data of a large event goes to a blob, and its line holds only the hash. Readers get the whole event.
 *
 * Always holds: the blob is durable before the line that names it is written, and the order of appends is kept. A line whose blob is missing or
 * damaged is `log_corrupt`. Appends without a large event go straight through, in the same group commit.
 */

import { parseJson } from "../lib/json/json.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Log } from "./store.ts";

/** The most characters of data in a line. */
const most = 256 * 1024;
const mark = "$blob";

export interface Blobs {
  put(content: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Buffer | null>;
  asNewest(event: Event): void;
}

/** `asNewest` upcasts an event of an older shape, in place. */
export function spillLarge<L extends Log>(log: L, { put, get, asNewest }: Blobs): L {
  let earlier: Promise<void> | null = null;

  async function spill(event: Event): Promise<Event> {
    if (!isLarge(event)) return event;
    const content = Buffer.from(JSON.stringify(event.data));
    return { ...event, data: { [mark]: await put(content), size: content.length } } as unknown as Event;
  }

  async function whole(event: Event): Promise<Event> {
    const hash = (event.data as Record<string, unknown>)[mark];
    if (typeof hash !== "string") return event;
    const content = await get(hash);
    if (!content)
      throw new Problem(
        "log_corrupt",
        `event ${event.seq} needs the blob ${hash}, which is gone; restore it from a backup`,
      );
    const found = { ...event, data: parseJson(content.toString()) } as Event;
    asNewest(found);
    return found;
  }

  return Object.create(log, {
    append: {
      value(events: readonly Event[]): Promise<void> {
        if (!earlier && !events.some(isLarge)) return log.append(events);
        const mine: Promise<void> = (earlier ?? Promise.resolve())
          .then(() => Promise.all(events.map(spill)))
          .then((lines) => log.append(lines));
        const turn = mine.catch(() => undefined); // its caller gets the error; the log refuses all later appends
        earlier = turn;
        void turn.then(() => {
          if (earlier === turn) earlier = null;
        });
        return mine;
      },
    },
    read: {
      async *value(after: number): AsyncGenerator<Event[]> {
        for await (const events of log.read(after))
          yield events.some(isSpilled) ? await Promise.all(events.map(whole)) : events;
      },
    },
  });
}

/** Not with `in`, which is five times slower on objects of many shapes: this runs for every event of every opening. */
export const isSpilled = (event: Event): boolean => (event.data as { [mark]?: string })[mark] !== undefined;

/** Without serialising it: only text can be large. */
function isLarge(event: Event): boolean {
  let left = most;
  const walk = (value: unknown): boolean => {
    if (typeof value === "string") left -= value.length;
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) if (walk(inner)) return true;
    return left < 0;
  };
  return walk(event.data);
}
