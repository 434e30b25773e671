/**
 * From a message to the call of the backend it wakes, durable on the way, through the runtime and its files on the disk.
 *
 * idle: the target has nothing to do; from the post to its call. busy: its call is under way when the message is posted; from the end of
 * that call, or from the post if that is later, to the next call, which shows the message. The post comes at a random moment of the last
 * few milliseconds of the call, so it may or may not be durable by then.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Backend, Part, Request } from "../src/backend/backend.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import type { Bench, Figure } from "./figure.ts";
import { createHouse } from "./house.ts";
import { median, pause, quantile } from "./rounds.ts";

const samples = 300;
const warmUp = 50;

export const hop: Bench = {
  name: "hop",
  about:
    "A message posted to a participant until its backend is called with it, durable on the way, against one blocking fdatasync of as many bytes; idle, busy and fdatasync in turns.",
  async run(place) {
    const home = place.folder("hop");
    const listener = createListener();
    const runtime = createRuntime(createHouse({ home, backend: () => listener.backend }));
    await runtime.start();
    const agent = await runtime.create({ goal: "pass it on", name: "hop", model: "bench/listener" });
    await runtime.send(agent, { type: "worker.spawn", name: "Alice", role: "listens" }, { actor: "coordinator" });
    const raw = openSync(join(home, "raw"), "a");
    const { live, projector, running } = runtime.opened(agent)!;
    let posted = 0;

    /** Everything is over and written: nobody runs, nothing waits for the disk. */
    async function rest(): Promise<void> {
      while (running().size > 0) await new Promise(setImmediate);
      await projector.idle();
      await live.durable();
    }

    /** Posts, and resolves with the milliseconds of the clock at the post, at the acknowledgement and at the call that shows it. */
    function post(): { at: number; acked: Promise<number>; called: Promise<number> } {
      const text = `Message ${++posted}: the second candidate meets all five needs, if someone else runs it.`;
      const called = listener.expect(text);
      const at = performance.now();
      const sent = runtime.send(
        agent,
        { type: "message.post", from: "coordinator", to: "Alice", text },
        { actor: "coordinator" },
      );
      return { at, acked: sent.then(() => performance.now()), called };
    }

    async function idle(before: number): Promise<{ hop: number; ack: number }> {
      await rest();
      await pause(before);
      const { at, acked, called } = post();
      const [ack, call] = await Promise.all([acked, called]);
      return { hop: call - at, ack: ack - at };
    }

    async function busy(before: number): Promise<number> {
      await rest();
      const hold = listener.hold();
      const first = post();
      await first.called;
      await Promise.all([first.acked, projector.idle()]);
      const second = post();
      await pause(before);
      const ended = performance.now();
      hold();
      const [call] = await Promise.all([second.called, second.acked]);
      return call - Math.max(ended, second.at);
    }

    async function sync(before: number): Promise<number> {
      await rest();
      await pause(before);
      writeSync(raw, bytes);
      const began = performance.now();
      fdatasyncSync(raw);
      return performance.now() - began;
    }

    const found = { idle: [] as number[], ack: [] as number[], busy: [] as number[], sync: [] as number[] };
    const turns = Math.ceil(samples * Math.max(place.size, 0.1));
    for (let n = -warmUp; n < turns; n++) {
      // The same pause before each, so that all three find the machine in the same mood.
      const before = Math.random() * 8;
      const one = await idle(before);
      const other = await busy(before);
      const raw = await sync(before);
      if (n < 0) continue;
      found.idle.push(one.hop);
      found.ack.push(one.ack);
      found.busy.push(other);
      found.sync.push(raw);
    }
    await rest();
    closeSync(raw);
    await runtime.stop();

    const baseline = median(found.sync);
    const figure = (name: string, times: number[], goal: string | null): Figure => {
      const value = median(times);
      const ratio = value / baseline;
      const note = `p25 ${quantile(times, 0.25).toFixed(2)}, p75 ${quantile(times, 0.75).toFixed(2)}, p99 ${quantile(times, 0.99).toFixed(2)} ms`;
      return { name, value, unit: "ms", baseline, ratio, goal, ok: goal === null || ratio <= 3, note };
    };
    const [whenIdle, whenBusy] = [median(found.idle), median(found.busy)];
    const ratio = whenBusy / whenIdle;
    return [
      figure("hop.idle.p50", found.idle, "ratio ≤ 3"),
      figure("hop.busy.p50", found.busy, "ratio ≤ 3"),
      {
        ...{ name: "hop.busy-to-idle", value: whenBusy, unit: "ms", baseline: whenIdle, ratio },
        ...{ goal: "ratio within 0.5 and 2", ok: ratio >= 0.5 && ratio <= 2 },
        note: "No difference in kind: in both cases one sync lies between the message and the call, and nothing is polled for.",
      },
      { ...figure("hop.ack.p50", found.ack, null), note: "From the post to its acknowledgement, target idle." },
    ];
  },
};

/** As many bytes as a hop writes: a posted message and a started turn. */
const bytes = Buffer.alloc(620, "a");

/** A backend that says when it is called with a text it was told to expect, and ends its calls at once unless it is held. */
function createListener() {
  const expected = new Map<string, (at: number) => void>();
  let held: Promise<void> | undefined;

  async function* end(until: Promise<void> | undefined): AsyncGenerator<Part> {
    await until;
    yield { type: "end", cost: { usd: 0, tokens: 0 } };
  }
  const backend: Backend = {
    worst: () => ({ usd: 0, tokens: 0 }),
    call({ lines }: Request) {
      const at = performance.now();
      const last = lines.at(-1);
      for (const { text } of last?.role === "inbox" ? last.entries : []) {
        expected.get(text)?.(at);
        expected.delete(text);
      }
      const until = held;
      held = undefined;
      return end(until);
    },
  };
  return {
    backend,
    expect: (text: string) => new Promise<number>((resolve) => expected.set(text, resolve)),
    /** The next call lasts until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}
