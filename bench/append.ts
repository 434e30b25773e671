/**
 * Durable append: what the log of the files store reaches of what the disk gives.
 *
 * The baseline writes the same bytes in the same batches with plain, blocking write and fdatasync: no promise, no thread to hand over to, no
 * checksum. So everything that Agiraph adds counts: encoding, checksums, the check that nobody touched the file, the way through the pool.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { machine } from "../src/lib/machine/index.ts";
import type { Event } from "../src/schema/event.ts";
import { createFilesStore } from "../src/store/files.ts";
import { encode } from "../src/store/line.ts";
import type { Log } from "../src/store/store.ts";
import type { Bench, Figure } from "./figure.ts";
import { compare, pause, quantile, scatter } from "./rounds.ts";

const rounds = 15;
const batchesPerRound = 10;

export const append: Bench = {
  name: "append",
  about:
    "Events of about 300 bytes through the files store, posted N at once and acknowledged when durable, against blocking write + fdatasync of the same bytes in the same batches.",
  async run(place) {
    const home = place.folder("append");
    const store = createFilesStore({ home, files: machine.files });
    const log = await store.open("writer", { fence: 1, create: true });
    const raw = openSync(join(home, "raw"), "a");
    let seq = 0;
    const next = (count: number): Event[] => Array.from({ length: count }, () => event(++seq));
    await log.append(next(1));

    const figures: Figure[] = [];
    for (const size of [1, 8, 64, 512]) {
      let bytes: Buffer[] = [];
      const { a, b, ratio, spread } = await compare(
        rounds,
        async () => {
          const batches = Array.from({ length: batchesPerRound }, () => next(size));
          bytes = batches.map((batch) => Buffer.from(batch.map(encode).join("")));
          return await rate(batches, (batch) => Promise.all(batch.map((one) => log.append([one]))));
        },
        async () => await rate(bytes, async (batch) => writeAndSync(raw, batch), size),
      );
      const note = scatter(spread);
      figures.push({
        name: `append.${size}`,
        value: a,
        unit: "events/s",
        baseline: b,
        ratio,
        goal: "ratio ≥ 0.5",
        ok: ratio >= 0.5,
        note,
      });
    }
    figures.push(...(await acknowledgement(log, next, raw)));

    closeSync(raw);
    await store.close();
    return figures;
  },
};

/** Post to acknowledged for 64 writers that write, wait, think for a moment and write again: most posts meet a sync under way. */
async function acknowledgement(log: Log, next: (count: number) => Event[], raw: number): Promise<Figure[]> {
  const posts: number[] = [];
  const syncs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const writer = async () => {
      for (let n = 0; n < 5; n++) {
        await pause(Math.random() * 10);
        const began = performance.now();
        await log.append(next(1));
        posts.push(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: 64 }, writer));
    for (let n = 0; n < 20; n++) {
      const began = performance.now();
      writeAndSync(raw, Buffer.alloc(300, 10));
      syncs.push(performance.now() - began);
    }
  }
  return [0.5, 0.99].map((part) => {
    const [value, baseline] = [quantile(posts, part), quantile(syncs, part)];
    const name = `append.ack.p${part * 100}`;
    return { name, value, unit: "ms", baseline, ratio: value / baseline, goal: null, ok: true, note: ackNote[name] };
  });
}

const ackNote: Record<string, string> = {
  "append.ack.p50":
    "Post to acknowledged, 64 writers at random moments, against one blocking write + fdatasync. A post that meets a sync under way waits for the rest of it and for the next: 1.5 is what group commit gives.",
};

/** Events a second. */
async function rate<T extends ArrayLike<unknown>>(
  batches: T[],
  write: (batch: T) => Promise<unknown>,
  size?: number,
): Promise<number> {
  const began = performance.now();
  for (const batch of batches) await write(batch);
  const seconds = (performance.now() - began) / 1000;
  return (batches.length * (size ?? batches[0]!.length)) / seconds;
}

export function writeAndSync(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  fdatasyncSync(file);
}

const text = "The second candidate meets all five needs, if someone else runs it; the first is enough for one server.";

function event(seq: number): Event {
  const at = { seq, id: `writer/${seq}`, ts: "2026-01-02T03:04:05.006Z" };
  const post = { message: `m${seq}`, from: "alice", to: ["coordinator"], text, priority: "normal" as const };
  return {
    ...at,
    type: "message.posted",
    run: "r1",
    actor: "alice",
    cause: `writer/r1/alice.${seq}/c1#8a7b6c5d`,
    data: post,
  };
}
