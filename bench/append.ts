/**
 * Durable append: what the log of the files store reaches of what the disk gives.
 *
 * The baseline writes the same bytes in the same batches with nothing but FileHandle.write and datasync: no encoding, no checksums, no
 * promise per event, no look whether someone else touched the file. All of that counts as ours. How fast the same system calls are when they
 * block the process is told beside it; a runtime that serves others cannot do that.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { machine } from "../src/lib/machine/index.ts";
import type { Files } from "../src/lib/world.ts";
import type { Event } from "../src/schema/event.ts";
import { createFilesStore } from "../src/store/file-store.ts";
import { encode } from "../src/store/log-line.ts";
import type { Log } from "../src/store/store.ts";
import type { Bench, Figure } from "./figure.ts";
import { inTurns, median, pause, quantile, ratioOf, timed } from "./rounds.ts";

/** As many as a big team's participants, all posting at the same moment. Above it JSON and checksums of one core are the limit, not the disk. */
const everyone = 64;
const rounds = 25;
const batchesPerRound = 8;

export const append: Bench = {
  name: "append",
  about:
    "Events of about 300 bytes through the files store, N posted at once and acknowledged when durable, the next N while the sync of these is under way; against bare write + fdatasync of the same bytes in the same batches.",
  async run(place) {
    const home = place.folder("append");
    const { files, syncing } = announceSyncs(machine.files);
    const store = createFilesStore({ home, files });
    const log = await store.open("writer", { fence: 1, create: true });
    const raw = await open(join(home, "raw"), "a");
    const blocking = openSync(join(home, "blocking"), "a");
    let seq = 0;
    const next = (count: number): Event[] => Array.from({ length: count }, () => event(++seq));

    const figures: Figure[] = [];
    for (const size of [1, 8, 64, 512]) {
      let bytes: Buffer[] = [];
      /** Events a second. */
      const rate = (ms: number) => (batchesPerRound * size) / (ms / 1000);
      const found = await inTurns(rounds, {
        async store() {
          const batches = Array.from({ length: batchesPerRound }, () => next(size));
          bytes = batches.map((batch) => Buffer.from(batch.map(encode).join("")));
          return rate(
            await timed(async () => {
              let acknowledged: Promise<unknown> = Promise.resolve();
              for (const batch of batches) {
                const under = syncing();
                const posted = Promise.all(batch.map((one) => log.append([one])));
                await Promise.all([acknowledged, under]);
                acknowledged = posted;
              }
              await acknowledged;
            }),
          );
        },
        async raw() {
          return rate(
            await timed(async () => {
              for (const batch of bytes) await writeAndSync(raw, batch);
            }),
          );
        },
        async blocking() {
          return rate(
            await timed(() => {
              for (const batch of bytes) block(blocking, batch);
            }),
          );
        },
      });
      const ratio = ratioOf(found.store, found.raw);
      figures.push({
        name: `append.${size}`,
        value: median(found.store),
        unit: "events/s",
        baseline: median(found.raw),
        ratio: ratio.value,
        goal: size <= everyone ? "ratio ≥ 0.5" : null,
        ok: size > everyone || ratio.value >= 0.5,
        note: `${ratio.scatter}; of the blocking calls ${ratioOf(found.store, found.blocking).value.toFixed(2)}`,
      });
    }
    figures.push(...(await acknowledgement(log, next, raw)));

    await raw.close();
    closeSync(blocking);
    await store.close();
    return figures;
  },
};

/** `syncing` resolves when the next sync begins. */
function announceSyncs(files: Files): { files: Files; syncing(): Promise<void> } {
  let begins = Promise.withResolvers<void>();
  const open: Files["open"] = async (path) => {
    const file = await files.open(path);
    const sync = () => {
      const done = file.sync();
      begins.resolve();
      begins = Promise.withResolvers();
      return done;
    };
    return { ...file, sync };
  };
  return { files: { ...files, open }, syncing: () => begins.promise };
}

/** Post to acknowledged for 64 writers that write, wait, think for a moment and write again: most posts meet a sync under way. */
async function acknowledgement(log: Log, next: (count: number) => Event[], raw: FileHandle): Promise<Figure[]> {
  const posts: number[] = [];
  const syncs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const writer = async () => {
      for (let n = 0; n < 5; n++) {
        await pause(Math.random() * 10);
        posts.push(await timed(() => log.append(next(1))));
      }
    };
    await Promise.all(Array.from({ length: 64 }, writer));
    for (let n = 0; n < 20; n++) syncs.push(await timed(() => writeAndSync(raw, Buffer.alloc(300, 10))));
  }
  const figure = (part: number, note?: string): Figure => {
    const [value, baseline] = [quantile(posts, part), quantile(syncs, part)];
    const name = `append.ack.p${part * 100}`;
    return { name, value, unit: "ms", baseline, ratio: value / baseline, goal: null, ok: true, note };
  };
  const note =
    "Post to acknowledged, 64 writers at random moments, against one write + fdatasync. A post that meets a sync under way waits for the rest of it and for the next one: 1.5 is what group commit gives.";
  return [figure(0.5, note), figure(0.99)];
}

async function writeAndSync(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
  await file.datasync();
}

function block(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  fdatasyncSync(file);
}

const text = "The second candidate meets all five needs, if someone else runs it; the first is enough for one server.";

function event(seq: number): Event {
  const at = { seq, id: `writer/${seq}`, ts: "2026-01-02T03:04:05.006Z" };
  const from = { run: "r1", actor: "alice", cause: `writer/r1/alice.${seq}/c1#8a7b6c5d` };
  const data = { message: `m${seq}`, from: "alice", to: ["coordinator"], text, priority: "normal" as const };
  return { ...at, type: "message.posted", ...from, data };
}
