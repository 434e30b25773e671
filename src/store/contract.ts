/**
 * The contract of every store, as tests: a store is correct when `storeContract` passes with it.
 *
 * The harness starts an empty store; `restart` gives the store that the next process would have: for one on disk a new object over the same folder,
 * for one in memory the same object.
 */
import { describe, expect, test } from "vitest";
import type { Event } from "../schema/event.ts";
import { sumOf } from "./log-line.ts";
import { events, posted, problemOf, readAll, trickyTexts } from "./sample.test-help.ts";
import type { Snapshot, Store } from "./store.ts";

export interface Harness {
  start(): Promise<{ store: Store; restart(): Promise<Store> }>;
}

export function storeContract(name: string, { start }: Harness): void {
  async function startWith(count: number) {
    const { store, restart } = await start();
    const log = await store.open("ann", { fence: 1, create: true });
    await log.append(events(1, count));
    return { store, restart, log };
  }

  const snapshotAt = (seq: number, state: unknown = { counted: seq }): Snapshot => ({
    seq,
    sum: sumOf(events(seq, seq)[0]!),
    format: "f1",
    state,
  });

  describe(`the ${name} store: agents`, () => {
    test("a new store has no agents", async () => {
      const { store } = await start();
      expect(await store.agents()).toEqual([]);
    });

    test("an agent is listed once it has an event, in order of its name", async () => {
      const { store, restart } = await start();
      for (const agent of ["zoe", "ann", "ben-2"]) {
        const log = await store.open(agent, { fence: 1, create: true });
        await log.append(events(1, 1));
      }
      await store.open("empty", { fence: 1, create: true });
      expect(await store.agents()).toEqual(["ann", "ben-2", "zoe"]);
      await store.close();
      expect(await (await restart()).agents()).toEqual(["ann", "ben-2", "zoe"]);
    });

    test("an agent that does not exist cannot be opened", async () => {
      const { store } = await start();
      const problem = await problemOf(store.open("nobody", { fence: 1 }));
      expect(problem.code).toBe("not_found");
      expect(problem.message).toContain("nobody");
    });

    test("an agent that exists cannot be created, and is not disturbed by the attempt", async () => {
      const { store, log } = await startWith(2);
      expect((await problemOf(store.open("ann", { fence: 2, create: true }))).code).toBe("name_taken");
      await log.append(events(3, 3));
      expect(log.seq).toBe(3);
    });

    test("a log that was created but got no event can be created again", async () => {
      const { store, restart } = await start();
      await store.open("ann", { fence: 1, create: true });
      await store.close();
      const again = await restart();
      expect((await problemOf(again.open("ann", { fence: 2 }))).code).toBe("not_found");
      const log = await again.open("ann", { fence: 3, create: true });
      await log.append(events(1, 1));
      expect(await readAll(log)).toEqual(events(1, 1));
    });

    test.each(["..", ".", "", "../ann", "a/b", "a\\b", "/etc", "a\0b", "c:"])(
      "%j cannot be an agent: it leads out of its folder",
      async (agent) => {
        const { store } = await start();
        const snapshot = { seq: 1, sum: "00000000", format: "f1", state: null };
        const attempts = [
          store.open(agent, { fence: 1, create: true }),
          store.open(agent, { fence: 1 }),
          store.snapshot(agent),
          store.saveSnapshot(agent, snapshot),
          store.putBlob(agent, Buffer.from("x")),
          store.getBlob(agent, "0".repeat(64)),
        ];
        for (const attempt of attempts) expect((await problemOf(attempt)).code).toBe("path_escapes");
      },
    );

    test.each(["Ann", "a b", "ä", "-a", "a".repeat(65), "a\n"])("%j cannot be an agent: it is no id", async (agent) => {
      const { store } = await start();
      expect((await problemOf(store.open(agent, { fence: 1, create: true }))).code).toBe("invalid");
    });
  });

  describe(`the ${name} store: the log`, () => {
    test("a new log is empty", async () => {
      const { store } = await start();
      const log = await store.open("ann", { fence: 1, create: true });
      expect([log.seq, log.repaired, await readAll(log)]).toEqual([0, null, []]);
    });

    test("what was appended is there after a restart, once and in order", async () => {
      const { store, restart, log } = await startWith(3);
      await log.append(events(4, 5));
      expect(log.seq).toBe(5);
      await store.close();
      const again = await (await restart()).open("ann", { fence: 2 });
      expect([again.seq, again.repaired]).toEqual([5, null]);
      expect(await readAll(again)).toEqual(events(1, 5));
      await again.append(events(6, 6));
      expect(await readAll(again)).toEqual(events(1, 6));
    });

    test("reading gives exactly what comes after a seq, wherever that is", async () => {
      const { log } = await startWith(3_000);
      for (const after of [-1, 0, 1, 2, 999, 1_000, 1_001, 1_777, 2_998, 2_999]) {
        expect(await readAll(log, after)).toEqual(events(Math.max(after, 0) + 1, 3_000));
      }
      for (const after of [3_000, 3_001, 1e9]) expect(await readAll(log, after)).toEqual([]);
    });

    test("appends made at once are all kept, and resolve in their order", async () => {
      const { restart, store, log } = await startWith(1);
      const resolved: number[] = [];
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          await log.append(events(2 + 2 * i, 3 + 2 * i));
          resolved.push(i);
        }),
      );
      expect(resolved).toEqual(Array.from({ length: 100 }, (_, i) => i));
      await store.close();
      expect(await readAll(await (await restart()).open("ann", { fence: 2 }))).toEqual(events(1, 201));
    });

    test("only the next seq is taken; anything else is a conflict and changes nothing", async () => {
      const { log } = await startWith(3);
      for (const wrong of [[posted(3)], [posted(5)], [posted(4), posted(6)], [posted(4), posted(4)]]) {
        expect((await problemOf(log.append(wrong))).code).toBe("conflict");
      }
      await log.append([posted(4)]);
      expect(await readAll(log)).toEqual(events(1, 4));
    });

    test("the next seq counts from what was handed over, not from what is durable", async () => {
      const { log } = await startWith(1);
      const first = log.append([posted(2)]);
      expect((await problemOf(log.append([posted(2)]))).code).toBe("conflict");
      const second = log.append([posted(3)]);
      await Promise.all([first, second]);
      expect(log.seq).toBe(3);
    });

    test("appending nothing is no change", async () => {
      const { log } = await startWith(1);
      await log.append([]);
      expect(log.seq).toBe(1);
    });

    test("nobody shares an object with the log", async () => {
      const { log } = await startWith(1);
      const given = posted(2, "as it was");
      const done = log.append([given]);
      given.actor = "mallory";
      await done;
      const got = await readAll(log, 1);
      expect(got).toEqual([posted(2, "as it was")]);
      got[0]!.actor = "mallory";
      expect(await readAll(log, 1)).toEqual([posted(2, "as it was")]);
    });

    test("an event of an unknown type is kept as it is", async () => {
      const { store, restart, log } = await startWith(1);
      const unknown = { ...posted(2), type: "moon.landed", data: { crater: [1, { deep: null }] } } as unknown as Event;
      await log.append([unknown]);
      await store.close();
      expect(await readAll(await (await restart()).open("ann", { fence: 2 }), 1)).toEqual([unknown]);
    });

    test.each(Object.entries(trickyTexts))("a text with %s comes back exactly", async (_, text) => {
      const { store, restart, log } = await startWith(1);
      await log.append([posted(2, text)]);
      await log.append([posted(3)]);
      await store.close();
      const again = await (await restart()).open("ann", { fence: 2 });
      const [got, next] = (await readAll(again, 1)) as [{ data: { text: string } }, Event];
      expect(got.data.text === text).toBe(true);
      expect(next).toEqual(posted(3));
      expect(await readAll(again, 2)).toEqual([posted(3)]);
    });

    test("a reader gets what was durable when it began, while appends go on", async () => {
      const { log } = await startWith(2_500);
      const seen: number[] = [];
      let next = 2_501;
      for await (const batch of log.read(0)) {
        seen.push(...batch.map(({ seq }) => seq));
        await log.append([posted(next++)]);
      }
      expect(seen).toEqual(Array.from({ length: 2_500 }, (_, i) => i + 1));
      expect(await readAll(log, 2_500)).toEqual(events(2_501, next - 1));
    });

    test("a reader may stop early", async () => {
      const { log } = await startWith(3_000);
      for await (const batch of log.read(5)) {
        expect(batch[0]).toEqual(posted(6));
        break;
      }
      await log.append([posted(3_001)]);
      expect(await readAll(log, 3_000)).toEqual([posted(3_001)]);
    });

    test("what waits when a log is closed is still written; afterwards nothing is taken", async () => {
      const { store, restart, log } = await startWith(1);
      const waiting = log.append(events(2, 3));
      await log.close();
      await waiting;
      expect((await problemOf(log.append([posted(4)]))).code).toBe("closed");
      await log.close();
      await store.close();
      expect(await readAll(await (await restart()).open("ann", { fence: 2 }))).toEqual(events(1, 3));
    });
  });

  describe(`the ${name} store: fences`, () => {
    test("a higher fence shuts out whoever opened before", async () => {
      const { store, log } = await startWith(2);
      const heir = await store.open("ann", { fence: 5 });
      expect(heir.seq).toBe(2);
      const problem = await problemOf(log.append([posted(3)]));
      expect(problem.code).toBe("fenced");
      expect(problem.message).toContain("5");
      await heir.append([posted(3, "from the heir")]);
      expect(await readAll(heir, 2)).toEqual([posted(3, "from the heir")]);
    });

    test("a fence that is not higher cannot open, and does not disturb the owner", async () => {
      const { store } = await startWith(1);
      const log = await store.open("ann", { fence: 7 });
      for (const fence of [7, 6, 0]) expect((await problemOf(store.open("ann", { fence }))).code).toBe("fenced");
      await log.append([posted(2)]);
      expect(log.seq).toBe(2);
    });

    test("the old owner's close does not disturb the new one", async () => {
      const { store, log } = await startWith(1);
      const heir = await store.open("ann", { fence: 2 });
      await log.close();
      await heir.append([posted(2)]);
      expect(await readAll(heir)).toEqual(events(1, 2));
    });

    test("what the old owner had under way is either there or refused, never both and never twice", async () => {
      const { store, log } = await startWith(1);
      const old = log.append([posted(2, "from the old owner")]).then(
        () => true,
        () => false,
      );
      const heir = await store.open("ann", { fence: 2 });
      const kept = await old;
      const before = await readAll(heir);
      expect(before.length).toBe(kept ? 2 : 1);
      expect(heir.seq).toBe(before.length);
      await heir.append([posted(heir.seq + 1)]);
      expect((await readAll(heir)).map(({ seq }) => seq)).toEqual(kept ? [1, 2, 3] : [1, 2]);
    });

    test("a fence of one agent means nothing to another", async () => {
      const { store } = await startWith(1);
      await store.open("ann", { fence: 9 });
      const log = await store.open("ben", { fence: 1, create: true });
      await log.append(events(1, 1));
      expect(log.seq).toBe(1);
    });
  });

  describe(`the ${name} store: snapshots`, () => {
    test("without one there is none", async () => {
      const { store } = await startWith(3);
      expect(await store.snapshot("ann")).toBeNull();
      expect(await store.snapshot("nobody")).toBeNull();
    });

    test("a snapshot comes back as it was kept, also after a restart, and reading goes on from it", async () => {
      const { store, restart } = await startWith(9);
      const snapshot = snapshotAt(6, { deep: [1, "zwei", null, { three: "\ud800" }] });
      await store.saveSnapshot("ann", snapshot);
      expect(await store.snapshot("ann")).toEqual(snapshot);
      await store.close();
      const again = await restart();
      const log = await again.open("ann", { fence: 2 });
      expect(await again.snapshot("ann")).toEqual(snapshot);
      expect(await readAll(log, 6)).toEqual(events(7, 9));
      expect(await readAll(log)).toEqual(events(1, 9));
      await log.append([posted(10)]);
    });

    test("a newer snapshot replaces an older one, not the other way round", async () => {
      const { store } = await startWith(9);
      for (const seq of [3, 8, 5]) await store.saveSnapshot("ann", snapshotAt(seq));
      expect((await store.snapshot("ann"))?.seq).toBe(8);
    });

    test("a snapshot of another format is not given to who asks for one", async () => {
      const { store } = await startWith(3);
      await store.saveSnapshot("ann", snapshotAt(3));
      expect(await store.snapshot("ann", "f2")).toBeNull();
      expect((await store.snapshot("ann", "f1"))?.seq).toBe(3);
    });

    test("a snapshot that is ahead of the log, or of another log, is not kept", async () => {
      const { store } = await startWith(3);
      expect((await problemOf(store.saveSnapshot("ann", snapshotAt(4)))).code).toBe("conflict");
      expect((await problemOf(store.saveSnapshot("ann", { ...snapshotAt(3), sum: "00000000" }))).code).toBe("conflict");
      expect(await store.snapshot("ann")).toBeNull();
    });

    test("nobody shares an object with a snapshot", async () => {
      const { store } = await startWith(1);
      const state = { list: [1] };
      await store.saveSnapshot("ann", snapshotAt(1, state));
      state.list.push(2);
      const got = (await store.snapshot("ann"))?.state as typeof state;
      expect(got).toEqual({ list: [1] });
      got.list.push(3);
      expect((await store.snapshot("ann"))?.state).toEqual({ list: [1] });
    });
  });

  describe(`the ${name} store: blobs`, () => {
    test("bytes are found by the hash of what they are, also after a restart", async () => {
      const { store, restart } = await startWith(1);
      const content = Buffer.from([0, 1, 2, 255, 10, 13]);
      const sha256 = await store.putBlob("ann", content);
      expect(await store.putBlob("ann", content)).toBe(sha256);
      await store.close();
      expect(await (await restart()).getBlob("ann", sha256)).toEqual(content);
    });

    test("the hash is SHA-256", async () => {
      const { store } = await start();
      const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
      expect(await store.putBlob("ann", new Uint8Array())).toBe(empty);
      expect(await store.getBlob("ann", empty)).toEqual(Buffer.alloc(0));
    });

    test("a blob may come before the first event, and makes no agent", async () => {
      const { store } = await start();
      await store.putBlob("ann", Buffer.from("early"));
      expect(await store.agents()).toEqual([]);
      const log = await store.open("ann", { fence: 1, create: true });
      await log.append(events(1, 1));
      expect(await store.agents()).toEqual(["ann"]);
    });

    test("an unknown hash is null, and an agent does not see another's blobs", async () => {
      const { store } = await start();
      const sha256 = await store.putBlob("ann", Buffer.from("hers"));
      expect(await store.getBlob("ben", sha256)).toBeNull();
      expect(await store.getBlob("ann", "0".repeat(64))).toBeNull();
    });

    test("what is no hash is refused", async () => {
      const { store } = await start();
      for (const wrong of ["", "../events.jsonl", "A".repeat(64), "0".repeat(63)]) {
        expect((await problemOf(store.getBlob("ann", wrong))).code).toBe("invalid");
      }
    });

    test("nobody shares bytes with a blob", async () => {
      const { store } = await start();
      const content = Buffer.from("as it was");
      const sha256 = await store.putBlob("ann", content);
      content.fill(0);
      const got = await store.getBlob("ann", sha256);
      expect(String(got)).toBe("as it was");
      got?.fill(0);
      expect(String(await store.getBlob("ann", sha256))).toBe("as it was");
    });
  });
}
