/**
 * From a message to the call of the backend it wakes, durable on the way, through the runtime and its files on the disk.
 *
 * idle: the target has nothing to do; from the post to its call. asleep: the same after some milliseconds in which the whole process slept, so
 * that its code is no longer in the processor's caches. busy: its call is under way when the message is posted; from the end of
 * that call to the next one, which shows the message. The post comes at a random moment of the call's last few milliseconds, so it may or may
 * not be durable when the call ends. The baseline is one fdatasync of as many bytes.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Backend, Part, Request } from "../src/backend/backend.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { World } from "../src/lib/world.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import type { Bench, Figure } from "./figure.ts";
import { createHouse } from "./house.ts";
import { inTurns, median, pause, quantile, timed } from "./rounds.ts";

const samples = 400;
const longestPause = 6;
const lastMoments = 6;

export const hop: Bench = {
  name: "hop",
  about:
    "A message posted to a participant until its backend is called with it, durable on the way, against one fdatasync of as many bytes; all in turns.",
  async run(place) {
    const home = place.folder("hop");
    const listener = createListener();
    const { world, synced } = countSyncs();
    // They only talk, and are to go on.
    const limits = { ...defaultLimits, messages_without_effect: 1_000_000 };
    const house = { ...createHouse({ home, world, backend: () => listener.backend }), limits };
    const runtime = createRuntime(house);
    await runtime.start();
    const agent = await runtime.create({ goal: "pass it on", name: "hop", model: "bench/listener" });
    const as = { actor: "coordinator" };
    await runtime.send(agent, { type: "worker.spawn", name: "Alice", role: "listens" }, as);
    const { live, projector, running } = runtime.opened(agent)!;
    const raw = await open(join(home, "raw"), "a");
    const blocking = openSync(join(home, "blocking"), "a");
    const acks: number[] = [];
    const syncs = { idle: [] as number[], busy: [] as number[] };
    let posted = 0;

    /** Everything is over and written: nobody runs, nothing waits for the disk. */
    async function rest(): Promise<void> {
      while (running().size > 0) await new Promise(setImmediate);
      await projector.idle();
      await live.durable();
    }

    /** Posts. Resolves with the time of the acknowledgement and of the call that shows it. */
    function post(): { at: number; acked: Promise<number>; called: Promise<number> } {
      const message = `Message ${++posted}: the second candidate meets all five needs, if someone else runs it.`;
      const called = listener.expect(message);
      const at = performance.now();
      const sent = runtime.send(agent, { type: "message.post", from: "coordinator", to: "Alice", text: message }, as);
      return { at, acked: sent.then(() => performance.now()), called };
    }

    const found = await inTurns(Math.ceil(samples * Math.max(place.size, 0.1)), {
      async idle() {
        await rest();
        const already = synced();
        const { at, acked, called } = post();
        void called.then(() => syncs.idle.push(synced() - already));
        const [ack, call] = await Promise.all([acked, called]);
        acks.push(ack - at);
        return call - at;
      },
      async busy() {
        await rest();
        const hold = listener.hold();
        const first = post();
        await Promise.all([first.called, first.acked]);
        await projector.idle();
        const second = post();
        let durable = false;
        void second.acked.then(() => {
          durable = true;
        });
        await pause(Math.random() * lastMoments);
        const already = synced();
        // A post that is not durable yet shares or waits for a sync by chance; what is counted is the rule.
        if (durable) void second.called.then(() => syncs.busy.push(synced() - already));
        const ended = performance.now();
        hold();
        const [call] = await Promise.all([second.called, second.acked]);
        return call - ended;
      },
      async asleep() {
        await rest();
        await pause(Math.random() * longestPause);
        const { at, acked, called } = post();
        const [call] = await Promise.all([called, acked]);
        return call - at;
      },
      async sync() {
        await rest();
        await raw.write(bytes);
        return await timed(() => raw.datasync());
      },
      async blocking() {
        writeSync(blocking, bytes);
        return await timed(() => fdatasyncSync(blocking));
      },
    });
    await rest();
    await raw.close();
    closeSync(blocking);
    await runtime.stop();
    await house.store.close();

    const [baseline, least] = [median(found.sync), median(found.blocking)];
    const figure = (name: string, times: number[], goal: string | null, note = ""): Figure => {
      const value = median(times);
      const [p25, p75, p99] = [0.25, 0.75, 0.99].map((part) => quantile(times, part).toFixed(2));
      const spread = `p25 ${p25}, p75 ${p75}, p99 ${p99} ms; ${(value / least).toFixed(2)} times a blocking fdatasync (${least.toFixed(2)} ms)`;
      const ratio = value / baseline;
      return {
        name,
        value,
        unit: "ms",
        baseline,
        ratio,
        goal,
        ok: goal === null || ratio <= 3,
        note: `${note}${spread}`,
      };
    };
    const [idle, busy] = [median(found.idle), median(found.busy)];
    const ratio = busy / idle;
    return [
      figure("hop.idle.p50", found.idle, "ratio ≤ 3"),
      figure("hop.busy.p50", found.busy, "ratio ≤ 3"),
      figure("hop.asleep.p50", found.asleep, "ratio ≤ 3"),
      {
        name: "hop.busy-to-idle",
        value: busy,
        unit: "ms",
        baseline: idle,
        ratio,
        goal: "ratio ≤ 1.5",
        ok: ratio <= 1.5,
      },
      count("hop.idle.syncs", syncs.idle),
      count(
        "hop.busy.syncs",
        syncs.busy,
        "Syncs of the log from the post to the call (idle), from the end of a call to the next one for a message that was durable by then (busy).",
      ),
      figure("hop.ack.p50", acks, null, "From the post to its acknowledgement, target idle. "),
    ];
  },
};

/** The plainest sign of a difference in kind: it does not depend on the machine. */
function count(name: string, counts: number[], note?: string): Figure {
  const value = counts.reduce((sum, one) => sum + one, 0) / counts.length;
  return { name, value, unit: "syncs", baseline: null, ratio: null, goal: "1", ok: value < 1.1, note };
}

/** The real world, with the syncs of open files (the log is the only one) counted as they end. */
function countSyncs(): { world: World; synced(): number } {
  let syncs = 0;
  const { files } = machine;
  const open: World["files"]["open"] = async (path) => {
    const file = await files.open(path);
    const sync = () => file.sync().finally(() => syncs++);
    return { ...file, sync };
  };
  return { world: { ...machine, files: { ...files, open } }, synced: () => syncs };
}

/** As many as a hop writes: a posted message and a started turn. */
const bytes = Buffer.alloc(620, "a");

/** A backend that says when it is called with a message it was told to expect, and ends its calls at once unless it is held. */
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
    expect: (message: string) => new Promise<number>((resolve) => expected.set(message, resolve)),
    /** The next call lasts until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}
