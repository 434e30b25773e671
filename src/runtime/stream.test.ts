/** The stream of one agent's durable events, over a log that grows at any moment. */
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory-store.ts";
import { events } from "../store/sample.test-help.ts";
import type { Log } from "../store/store.ts";
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
        streams.told();
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
