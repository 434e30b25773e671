import { expect, test } from "vitest";
import { createRandom } from "../../../sim/random.ts";
import { createTime } from "../../../sim/time.ts";
import type { Event } from "../../schema/event.ts";
import { openIndex } from "../../search/search.ts";
import { createMemoryStore } from "../../store/memory-store.ts";
import { start } from "../runtime.test-help.ts";
import { createIndexing } from "./index-follower.ts";

const message = (seq: number): Event =>
  ({
    seq,
    id: `a1/${seq}`,
    ts: "2026-01-01T00:00:00.000Z",
    type: "message.posted",
    run: "r1",
    actor: "human",
    data: { message: `m${seq}`, from: "human", to: ["coordinator"], text: `hello ${seq}`, priority: "normal" },
  }) as Event;

/** A log that takes `slowMs` to be read and refuses the first `refusals` times. */
async function stand({ slowMs = 0, refusals = 0 } = {}) {
  const time = createTime({ random: createRandom(1), start: 0, late: 0 });
  const index = await openIndex({ path: ":memory:" });
  const log = await createMemoryStore().open("a1", { fence: 1, create: true });
  const closing = new AbortController();
  const failures: unknown[] = [];
  let left = refusals;
  const indexing = createIndexing({
    index,
    agent: "a1",
    log: {
      ...log,
      get seq() {
        return log.seq;
      },
      async *read(after) {
        await time.sleep(slowMs);
        if (left-- > 0) throw new Error("EIO");
        yield* log.read(after);
      },
    },
    clock: { now: time.now, mono: time.mono, after: time.after },
    signal: closing.signal,
    failed: (error) => failures.push(error),
  });
  return {
    time,
    indexing,
    failures,
    closing,
    position: () => index.position("a1")?.seq ?? 0,
    async write(...events: Event[]) {
      await log.append(events);
      indexing.touch(events);
    },
  };
}

test("what is written while the index catches up is taken in, too", async () => {
  const { time, indexing, position, write } = await stand({ slowMs: 500 });
  await write(message(1));
  void indexing.ready();
  await time.run({ ms: 100 });
  await write(message(2));
  await time.run({ ms: 2_000 });
  expect(position()).toBe(2);
  await write(message(3));
  await time.run({ ms: 2_000 });
  expect(position()).toBe(3);
  expect(indexing.isIdle()).toBe(true);
});

test("an index that could not be brought in step is tried again with growing pauses, and one failure is told", async () => {
  const { time, indexing, position, failures, write } = await stand({ refusals: 3 });
  await write(message(1));
  await time.run({ ms: 3_500 });
  expect(position()).toBe(0);
  expect(indexing.isIdle()).toBe(false);
  await time.run({ ms: 4_500 });
  expect(position()).toBe(1);
  expect(failures).toHaveLength(1);
});

test("nothing is tried again for an agent that was closed", async () => {
  const { time, indexing, closing, position, write } = await stand({ refusals: 1 });
  await write(message(1));
  await time.run({ ms: 100 });
  closing.abort();
  await time.run({ ms: 600_000 });
  expect(position()).toBe(0);
  expect(indexing.isIdle()).toBe(true);
});

test("what an archived agent said is found after the index was lost", async () => {
  let index = await openIndex({ path: ":memory:" });
  const home = start({ script: { coordinator: [] }, index: () => index });
  await home.begin();
  await home.create();
  await home.send("a1", { type: "message.post", text: "hello" });
  await home.send("a1", { type: "agent.archive" });
  const found = () => index.messages("hello", { agent: "a1", limit: 10 }).length;
  await home.until(() => found() === 1);
  index = await openIndex({ path: ":memory:" });
  await home.restart();
  await home.pass(5_000);
  expect(found()).toBe(1);
});
