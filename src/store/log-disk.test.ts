import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Files } from "../lib/world.ts";
import { createFaulty } from "./faulty.test-help.ts";
import { createFilesStore } from "./file-store.ts";
import { appendEach, ramLog, textOf } from "./log.test-help.ts";
import { encode } from "./log-line.ts";
import { createRam } from "./ram.test-help.ts";
import { events, posted, problemOf, readAll } from "./sample.test-help.ts";
import { tempFolder, tempStore } from "./temp.test-help.ts";

describe("a failing disk", () => {
  async function failing() {
    const home = await tempFolder();
    const path = join(home, "agents", "ann", "events.jsonl");
    const faulty = createFaulty(files);
    const store = tempStore({ home, files: faulty });
    const log = await store.open("ann", { fence: 1, create: true });
    await appendEach(log, events(1, 3));
    return { home, path, faulty, store, log, content: async () => String(await readFile(path)) };
  }
  const durable = textOf(events(1, 3));

  test("that is full in the middle of a write acknowledges nothing, keeps nothing half, and goes on when there is space", async () => {
    const length = Buffer.byteLength(encode(posted(4)));
    for (let bytes = 0; bytes <= length; bytes += 13) {
      const { path, faulty, store, log, content } = await failing();
      faulty.fail({ on: "append", code: "ENOSPC", bytes });
      const problem = await problemOf(log.append([posted(4)]));
      expect([problem.code, problem.details]).toEqual(["storage_failed", { path, errno: "ENOSPC" }]);
      expect(problem.message).toBe(`could not append to ${path}: ENOSPC; the disk is full: free some space`);
      expect((problem.cause as { code: string }).code).toBe("ENOSPC");
      expect(log.seq).toBe(3);
      expect(await content()).toBe(durable);
      expect((await problemOf(log.append([posted(4)]))).code).toBe("closed");
      expect((await problemOf(readAll(log))).code).toBe("closed");

      const healed = await store.open("ann", { fence: 2 });
      expect([healed.seq, healed.repaired]).toEqual([3, null]);
      await healed.append([posted(4)]);
      expect(await content()).toBe(textOf(events(1, 4)));
      expect(await readAll(healed)).toEqual(events(1, 4));
    }
  });

  test.each(["EIO", "EROFS", "EDQUOT", "EACCES", "ENOENT", "EWHATEVER"])(
    "that says %s to an append is named with what to do",
    async (code) => {
      const { path, faulty, log, content } = await failing();
      faulty.fail({ on: "append", code });
      const problem = await problemOf(log.append([posted(4)]));
      expect(problem.message).toMatch(new RegExp(`^could not append to ${path}: ${code}; .{10,}`));
      expect(await content()).toBe(durable);
    },
  );

  test("whose sync fails is never asked to sync that again, and what it wrote is not acknowledged and cut off", async () => {
    const { faulty, store, log, content } = await failing();
    const before = faulty.count.sync;
    faulty.fail({ on: "sync", code: "EIO" });
    const outcomes = await Promise.allSettled([log.append([posted(4)]), log.append([posted(5)])]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(faulty.count.sync).toBe(before + 1);
    expect([log.seq, await content()]).toEqual([3, durable]);
    expect((await problemOf(log.append([posted(6)]))).code).toBe("closed");
    await log.close();
    expect(faulty.count.sync).toBe(before + 1);
    const healed = await store.open("ann", { fence: 2 });
    await healed.append([posted(4, "another one")]);
    expect(await readAll(healed, 3)).toEqual([posted(4, "another one")]);
  });

  test("rejects what waited behind the failed write too, and writes none of it", async () => {
    const { faulty, log, content } = await failing();
    faulty.fail({ on: "append", code: "ENOSPC", bytes: 10 });
    const first = problemOf(log.append([posted(4)]));
    await null;
    await null;
    const later = [problemOf(log.append([posted(5)])), problemOf(log.append([posted(6)]))];
    for (const problem of await Promise.all([first, ...later])) expect(problem.code).toBe("storage_failed");
    expect(await content()).toBe(durable);
  });

  test("that was cut back keeps what another writes behind it", async () => {
    const { path, faulty, store, log } = await failing();
    faulty.fail({ on: "append", code: "EIO", bytes: 20 });
    await problemOf(log.append([posted(4)]));
    await appendFile(path, encode(posted(4)));
    expect(await readAll(await store.open("ann", { fence: 2 }))).toEqual(events(1, 4));
  });

  test("refuses what comes while it is cut back, with what is wrong", async () => {
    const ram = createRam();
    const faulty = createFaulty(ram);
    const { promise: gate, resolve: go } = Promise.withResolvers<void>();
    const { promise: held, resolve: reached } = Promise.withResolvers<void>();
    const slow: Files = {
      ...faulty,
      async open(path) {
        const file = await faulty.open(path);
        return {
          ...file,
          async truncate(size) {
            reached();
            await gate;
            await file.truncate(size);
          },
        };
      },
    };
    const log = await createFilesStore({ home: "/home", files: slow }).open("ann", { fence: 1, create: true });
    await appendEach(log, events(1, 3));
    faulty.fail({ on: "append", code: "EIO", bytes: 20 });
    const failed = problemOf(log.append([posted(4)]));
    await held;
    const late = problemOf(log.append([posted(5)]));
    go();
    for (const problem of [await failed, await late]) expect(problem.details).toEqual({ path: ramLog, errno: "EIO" });
    expect(String(ram.content.get(ramLog))).toBe(durable);
  });

  test("that does not even let us cut back is cut back by the next opening, before it reads", async () => {
    for (const fault of [{ on: "append", bytes: 60 } as const, { on: "sync" } as const]) {
      const { path, faulty, store, log, content } = await failing();
      faulty.fail({ ...fault, code: "EIO" });
      faulty.fail({ on: "truncate", code: "EIO", lasting: true });
      await problemOf(log.append([posted(4, "never acknowledged")]));
      expect(faulty.handles.now).toBe(0);
      expect(await content()).not.toBe(durable);

      const still = await problemOf(store.open("ann", { fence: 2 }));
      expect([still.code, still.details?.errno]).toEqual(["storage_failed", "EIO"]);
      faulty.heal();
      const syncs = faulty.count.sync;
      const healed = await store.open("ann", { fence: 2 });
      expect([healed.seq, healed.repaired, await content()]).toEqual([3, null, durable]);
      expect(faulty.count.sync).toBe(syncs + 1);
      await healed.append([posted(4)]);
      expect(await readAll(healed)).toEqual(events(1, 4));
      // What comes behind a log that was mended is not what the failed write left.
      await healed.close();
      await appendFile(path, encode(posted(5)));
      expect(await readAll(await store.open("ann", { fence: 3 }))).toEqual(events(1, 5));
    }
  });

  test("that fails over and over loses nothing that was acknowledged and keeps nothing that was not", async () => {
    const { faulty, store, content, log: first } = await failing();
    let log = first;
    const acknowledged = events(1, 3);
    for (let round = 0; round < 60; round++) {
      const on = (["append", "sync", "append"] as const)[round % 3]!;
      faulty.fail({ on, code: "EIO", nth: 1 + (round % 2), bytes: round * 5 });
      if (round % 4 === 0) faulty.fail({ on: "truncate", code: "EIO" });
      for (let i = 0; i < 2; i++) {
        const event = posted(acknowledged.length + 1, `round ${round}, ${i}`);
        await log.append([event]).then(
          () => acknowledged.push(event),
          () => undefined,
        );
      }
      faulty.heal();
      log = await store.open("ann", { fence: round + 2 });
      expect(await readAll(log)).toEqual(acknowledged);
    }
    expect(await content()).toBe(textOf(acknowledged));
    expect(acknowledged.length).toBeGreaterThan(30);
  });

  test("that has no handle to spare says so and is left as it was", async () => {
    const { home, path, faulty } = await failing();
    faulty.fail({ on: "open", code: "EMFILE" });
    const problem = await problemOf(tempStore({ home, files: faulty }).open("ann", { fence: 1 }));
    expect(problem.message).toContain(`could not open ${path}: EMFILE; too many files are open: raise the limit`);
  });

  test("that cannot be read says so; reading again works when it heals", async () => {
    const { path, faulty, log } = await failing();
    for (const after of [0, 1]) {
      faulty.heal();
      faulty.fail({ on: "read", code: "EIO" });
      const problem = await problemOf(readAll(log, after));
      expect([problem.code, problem.details?.errno]).toEqual(["storage_failed", "EIO"]);
      expect(problem.message).toContain(`could not read ${path}: EIO`);
    }
    expect(await readAll(log)).toEqual(events(1, 3));
    await log.append([posted(4)]);
  });
});
