/** The stream of one agent's durable events, over a log that grows at any moment. */
import { describe, expect, test } from "vitest";
import { createMemoryStore } from "../../store/memory-store.ts";
import { events } from "../../store/sample.test-help.ts";
import type { Log } from "../../store/store.ts";
import { createStreams } from "./stream.ts";

test("an event that becomes durable between reading and waiting is shown without another one", async () => {
  const log = await createMemoryStore().open("ann", { fence: 1, create: true });
  await log.append(events(1, 1));
  const streams = createStreams(grownAtItsEnd());

  /** The last reading has ended when the next event comes, and nobody is waiting to be told yet. */
  function grownAtItsEnd(): Log {
    let left = 1;
    return {
      ...log,
      get seq() {
        return log.seq;
      },
      async *read(after) {
        yield* log.read(after);
        if (left-- <= 0) return;
        await log.append(events(2, 2));
        streams.told(events(2, 2));
      },
    };
  }

  const seqs: number[] = [];
  for await (const some of streams.follow(0)) {
    seqs.push(...some.map(({ seq }) => seq));
    if (seqs.length === 2) break;
  }
  expect(seqs).toEqual([1, 2]);
});

describe("over a log whose readings are counted", async () => {
  async function counted() {
    const log = await createMemoryStore().open("ann", { fence: 1, create: true });
    let readings = 0;
    const streams = createStreams({
      ...log,
      get seq() {
        return log.seq;
      },
      read(after) {
        readings++;
        return log.read(after);
      },
    });
    const append = async (from: number, to: number) => {
      const batch = events(from, to);
      await log.append(batch);
      streams.told(batch);
    };
    const next = async (reader: ReturnType<typeof streams.follow>) =>
      ((await reader.next()).value as { seq: number }[]).map(({ seq }) => seq);
    return { streams, append, next, readings: () => readings };
  }

  test("who is up to date is given what was appended, and the log is not read for it", async () => {
    const { streams, append, next, readings } = await counted();
    const readers = [streams.follow(0), streams.follow(0)];
    const both = () => Promise.all(readers.map(next));
    let asked = both();
    await append(1, 2);
    expect(await asked).toEqual([
      [1, 2],
      [1, 2],
    ]);
    asked = both();
    await append(3, 3);
    expect(await asked).toEqual([[3], [3]]);
    expect(readings()).toBe(0);
  });

  test("who begins within the last batch is given the rest of it", async () => {
    const { streams, append, next, readings } = await counted();
    await append(1, 4);
    const reader = streams.follow(2);
    expect(await next(reader)).toEqual([3, 4]);
    expect(readings()).toBe(0);
  });

  test("who lags is served from the log, without a gap and nothing twice", async () => {
    const { streams, append, next, readings } = await counted();
    const reader = streams.follow(0);
    const asked = next(reader);
    await append(1, 1);
    expect(await asked).toEqual([1]);
    await append(2, 3);
    await append(4, 5);
    expect(await next(reader)).toEqual([2, 3, 4, 5]);
    expect(readings()).toBe(1);
    const last = next(reader);
    await append(6, 6);
    expect(await last).toEqual([6]);
  });
});
