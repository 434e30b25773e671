import { expect, test } from "vitest";
import { createSessions, type KeptSession } from "./sessions.ts";

function start() {
  let now = 0;
  let n = 0;
  const clock = { now: () => now, mono: () => now, after: () => () => undefined };
  const random = { next: () => 0, hex: () => `secret-${n++}` };
  return {
    sessions: createSessions({ clock, random }),
    pass(ms: number) {
      now += ms;
    },
  };
}

test("T7 a code is good for a minute and once", () => {
  const { sessions, pass } = start();
  const one = sessions.code();
  expect(one.expires_at).toBe("1970-01-01T00:01:00.000Z");
  pass(59_999);
  const session = sessions.open(one.code);
  expect(session).toMatchObject({ token: expect.any(String) });
  expect(sessions.open(one.code)).toBeNull();
  const two = sessions.code();
  pass(60_000);
  expect(sessions.open(two.code)).toBeNull();
});

test("B18 whatever ends a session tells who listens", async () => {
  const { sessions, pass } = start();
  const open = () => sessions.open(sessions.code().code)!.token;
  const signalOf = (token: string) => sessions.find(token)!.ended;
  const [one, two, three, four] = [open(), open(), open(), open()];
  const signals = [one, two, three, four].map(signalOf);
  await sessions.close(one);
  await sessions.end(sessions.list(two).find(({ here }) => here)!.id);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, false, false]);
  for (let n = 0; n < 99; n++) open();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, false]);
  pass(12 * 3_600_000);
  expect([sessions.find(four), signals[3]!.aborted]).toEqual([null, true]);
});

test("T7 a session ends by itself, by its window, and when too many others came", async () => {
  const { sessions, pass } = start();
  const isGood = (token: string) => sessions.find(token) !== null;
  const open = () => sessions.open(sessions.code().code)!.token;
  const [one, two] = [open(), open()];
  await sessions.close(one);
  expect([isGood(one), isGood(two)]).toEqual([false, true]);
  for (let n = 0; n < 100; n++) open();
  expect(sessions.find(two)).toBeNull();
  const three = open();
  pass(12 * 3_600_000);
  expect(sessions.find(three)).toBeNull();
  expect(sessions.find("")).toBeNull();
});

test("sessions outlive a restart where they are kept, without their ids, and not longer than they would have", async () => {
  let now = 0;
  let n = 0;
  const clock = { now: () => now, mono: () => now, after: () => () => undefined };
  const random = { next: () => 0, hex: () => `secret-${n++}` };
  let kept: KeptSession[] = [];
  const live = () =>
    createSessions({
      clock,
      random,
      kept,
      async keep(all) {
        kept = all;
      },
    });
  const first = live();
  const [one, two] = [first.open(first.code().code)!, first.open(first.code().code)!];
  await first.close(two.token);
  expect(JSON.stringify(kept)).not.toContain(one.token);
  now = 3_600_000;
  const second = live();
  expect(second.find(one.token)).toMatchObject({ expires_at: one.expires_at });
  expect(second.find(kept[0]!.hash)).toBeNull();
  expect(second.find(two.token)).toBeNull();
  now = 12 * 3_600_000;
  expect(second.find(one.token)).toBeNull();
  expect(live().find(one.token)).toBeNull();
});

test("a window is known by what it said it is, cut and without signs, and by when it was last seen, over a restart too", () => {
  let [now, n] = [0, 0];
  const clock = { now: () => now, mono: () => now, after: () => () => undefined };
  const random = { next: () => 0, hex: () => `secret-${n++}` };
  const writes: KeptSession[][] = [];
  const live = () =>
    createSessions({ clock, random, kept: writes.at(-1) ?? [], keep: async (all) => void writes.push(all) });
  const first = live();
  const { token } = first.open(first.code().code, `Fire\u0007fox\n${"x".repeat(1_000)}`)!;
  expect(first.list("")[0]).toMatchObject({
    browser: expect.stringMatching(/^Fire fox x+$/),
    seen_at: new Date(0).toISOString(),
  });
  expect(first.list("")[0]!.browser).toHaveLength(300);
  now = 60_000;
  first.find(token);
  expect([first.list("")[0]!.seen_at, writes.length]).toEqual([new Date(60_000).toISOString(), 1]);
  now = 400_000;
  first.find(token);
  now = 500_000;
  first.find(token);
  expect(writes).toHaveLength(2);
  now = 600_000;
  expect(live().list("")[0]).toMatchObject({
    browser: expect.stringMatching(/^Fire/),
    seen_at: new Date(400_000).toISOString(),
  });
});

test("windows are listed by a name that opens nothing, and one of them can be shut out", async () => {
  const { sessions, pass } = start();
  const isGood = (token: string) => sessions.find(token) !== null;
  const open = () => sessions.open(sessions.code().code)!.token;
  const [one, two] = [open(), open()];
  const list = sessions.list(one);
  expect(list.map(({ here }) => here)).toEqual([true, false]);
  expect(list[0]).toMatchObject({ opened_at: "1970-01-01T00:00:00.000Z", expires_at: "1970-01-01T12:00:00.000Z" });
  for (const { id } of list) expect(sessions.find(id)).toBeNull();
  expect(await sessions.end(list[1]!.id)).toBe(true);
  expect([isGood(one), isGood(two)]).toEqual([true, false]);
  expect(await sessions.end(list[1]!.id)).toBe(false);
  pass(12 * 3_600_000);
  expect(sessions.list(one)).toEqual([]);
});

test("the end of a session is answered when it is on the disk, or refused; it is not good meanwhile either", async () => {
  const clock = { now: () => 0, mono: () => 0, after: () => () => undefined };
  let n = 0;
  const random = { next: () => 0, hex: () => `secret-${n++}` };
  const disk: { durable: boolean; write: PromiseWithResolvers<void> }[] = [];
  const sessions = createSessions({
    clock,
    random,
    keep(_all, durable) {
      const write = Promise.withResolvers<void>();
      disk.push({ durable, write });
      return durable ? write.promise : Promise.resolve();
    },
  });
  const isGood = (token: string) => sessions.find(token) !== null;
  const open = () => sessions.open(sessions.code().code)!.token;
  const [one, two] = [open(), open()];
  expect(disk.map(({ durable }) => durable)).toEqual([false, false]);
  let over = false;
  const closing = sessions.close(one).then(() => (over = true));
  await Promise.resolve();
  expect([over, isGood(one)]).toEqual([false, false]);
  disk[2]!.write.resolve();
  await closing;
  const ending = sessions.end(sessions.list(two)[0]!.id);
  expect(disk[3]!.durable).toBe(true);
  disk[3]!.write.reject(new Error("the disk is full"));
  await expect(ending).rejects.toThrow("the disk is full");
});
