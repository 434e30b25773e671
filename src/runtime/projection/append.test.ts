import { expect, test } from "vitest";
import { createSimWorld } from "../../../sim/world.ts";
import { start as startCore } from "../../core/core.test-help.ts";
import { type Mail, mailOf } from "../../core/message/inbox.ts";
import { reduce } from "../../core/reduce.ts";
import { emptyState } from "../../core/state.ts";
import type { Files } from "../../lib/world.ts";
import type { Event } from "../../schema/event.ts";
import { createFaulty } from "../../store/faulty.test-help.ts";
import { createMemoryStore } from "../../store/memory-store.ts";
import { type Appender, createAppender, linesBefore, type Tail } from "./append.ts";

const root = "/home/agents/chips";
const thread = "conversation.jsonl";
const alice = "runs/r1/workers/alice/conversation.jsonl";
const bob = "runs/r1/workers/bob/conversation.jsonl";
const noTail: Tail = { after: Number.POSITIVE_INFINITY, events: [] };

/** An agent of the core whose log is in a store; an appender writes its files on a disk in memory. */
async function start({ files = (real: Files) => real } = {}) {
  const sim = createSimWorld({ seed: 1, config: { buggify: 0, late: 0 } });
  const core = startCore();
  const log = await createMemoryStore().open("chips", { fence: 1, create: true });
  const reads: number[] = [];
  const failures: string[] = [];
  const life = sim.incarnate();
  const world = { ...life, files: files(life.files) };

  /** Lets virtual time pass until the promise has settled. */
  async function settled<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    promise.catch(() => undefined).finally(() => (done = true));
    await sim.time.run({ until: () => done, ms: 60_000 });
    return await promise;
  }
  /** Makes durable what the core has decided since the last time, and gives it. */
  async function save(): Promise<Event[]> {
    const events = core.log.slice(log.seq);
    await log.append(events);
    return events;
  }
  await save();

  const at = emptyState();
  const mails = new Map<number, Mail | undefined>();
  /** What the event brought when it happened. */
  function mail({ seq }: Event): Mail | undefined {
    for (const event of core.log.slice(at.seq, seq)) {
      reduce(at, event);
      mails.set(event.seq, mailOf(at, event));
    }
    return mails.get(seq);
  }

  return {
    sim,
    core,
    log,
    reads,
    failures,
    settled,
    save,
    /** What a process has that opened the agent just now. */
    open: (tail: Tail = noTail): Appender =>
      createAppender({
        root,
        world,
        log: {
          ...log,
          read(after) {
            reads.push(after);
            return log.read(after);
          },
        },
        tail,
        state: () => core.state,
        mail,
        failed: (path, error) => failures.push(`${path}: ${error}`),
      }),
    async post(text: string, to?: string): Promise<Event[]> {
      core.tell({ type: "message.post", text, ...(to ? { to } : {}) });
      return await save();
    },
    /** Lets one thing happen: `idle` if nothing is left that would. */
    next: () => sim.time.run({ steps: 1 }),
    pass: (ms: number) => sim.time.run({ ms }),
    read: (path: string): string | null => sim.disk.peek(`${root}/${path}`)?.toString() ?? null,
    edit: (path: string, text: string | null) => sim.disk.edit(`${root}/${path}`, text),
  };
}

const parse = (text: string | null): { seq: number; text?: string; type?: string }[] =>
  (text ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const texts = (text: string | null) => parse(text).map((line) => line.text);

/** One whose files are as the log says. */
async function opened(options?: Parameters<typeof start>[0]) {
  const agent = await start(options);
  const appender = agent.open();
  await agent.settled(appender.verify());
  return { ...agent, appender };
}

test("lines wait half a second for others and are written together, again and again", async () => {
  let opens = 0;
  const files = (real: Files): Files => ({
    ...real,
    open(path) {
      if (path === `${root}/${thread}`) opens++;
      return real.open(path);
    },
  });
  const { appender, post, pass, read } = await opened({ files });
  for (const [a, b] of [
    ["one", "two"],
    ["three", "four"],
  ] as const) {
    const before = texts(read(thread));
    opens = 0;
    appender.touch(await post(a));
    await pass(300);
    appender.touch(await post(b));
    await pass(199);
    expect(texts(read(thread))).toEqual(before);
    await pass(100);
    expect(texts(read(thread))).toEqual([...before, a, b]);
    expect(opens).toBe(1);
  }
});

test("three hundred events wait; with one more they are written at once, and nothing is left to do", async () => {
  const { appender, core, save, post, pass, read, next } = await opened();
  for (let n = 1; n <= 300; n++) core.tell({ type: "message.post", text: `${n}` });
  const events = await save();
  expect(events).toHaveLength(300);
  appender.touch(events);
  await pass(100);
  expect(parse(read(thread))).toHaveLength(1);
  appender.touch(await post("301"));
  await pass(100);
  expect(parse(read(thread))).toHaveLength(302);
  expect(await next()).toBe("idle");
});

test("events that no file tells of wake nobody", async () => {
  const { appender, core, save, next } = await opened();
  core.append({ type: "log.closed", data: {} });
  appender.touch(await save());
  expect(await next()).toBe("idle");
});

test("whoever asks for it has everything written at once", async () => {
  const { appender, post, read, settled, next } = await opened();
  appender.touch(await post("one"));
  await settled(appender.idle());
  expect(texts(read(thread))).toEqual(["Know chips", "one"]);
  expect(await next()).toBe("idle");
});

test("what is abandoned writes nothing any more", async () => {
  const { appender, post, read, settled, pass, next } = await opened();
  appender.touch(await post("one"));
  appender.abandon();
  expect(await next()).toBe("idle");
  appender.touch(await post("two"));
  await pass(1_000);
  await settled(appender.idle());
  expect(texts(read(thread))).toEqual(["Know chips"]);
});

test("nothing is added before it is known how far the files are, and then each line once", async () => {
  const { open, post, read, settled, pass } = await start();
  const appender = open();
  appender.touch(await post("one"));
  await pass(1_000);
  expect(read(thread)).toBeNull();
  await settled(appender.verify());
  appender.touch(await post("two"));
  await settled(appender.idle());
  expect(texts(read(thread))).toEqual(["Know chips", "one", "two"]);
});

test("an opening that the disk disturbs says so and changes nothing; the next one goes on", async () => {
  const faulty = { current: undefined as ReturnType<typeof createFaulty> | undefined };
  const { open, post, read, settled } = await opened({
    files: (real) => {
      faulty.current = createFaulty(real);
      return faulty.current;
    },
  });
  const before = read(thread);
  const appender = open();
  appender.touch(await post("one"));
  faulty.current!.fail({ on: "read", code: "EIO" });
  await expect(settled(appender.verify())).rejects.toMatchObject({ code: "EIO" });
  await settled(appender.idle());
  expect(read(thread)).toBe(before);
  await settled(appender.verify());
  expect(texts(read(thread))).toEqual(["Know chips", "one"]);
  expect(faulty.current!.handles.now).toBe(0);
});

test("what comes while the files are being looked at is added right after", async () => {
  const files = (real: Files): Files => ({
    ...real,
    async stat(path) {
      await slow.sim.time.sleep(400);
      return await real.stat(path);
    },
  });
  const slow = await start({ files });
  const { open, post, pass, read, settled, next } = slow;
  const appender = open();
  const verified = appender.verify();
  await pass(100);
  appender.touch(await post("one"));
  await settled(verified);
  expect(texts(read(thread))).toEqual(["Know chips", "one"]);
  expect(await next()).toBe("idle");
});

test("whoever asks for it while the files are being looked at waits for that", async () => {
  const { open, post, read, settled } = await start();
  const appender = open();
  appender.touch(await post("one"));
  void appender.verify();
  await settled(appender.idle());
  expect(texts(read(thread))).toEqual(["Know chips", "one"]);
});

test("files are looked at a second time with what the log has then", async () => {
  const { open, post, read, settled, core } = await start();
  const appender = open({ after: 0, events: core.log });
  await settled(appender.verify());
  await post("one");
  await settled(appender.verify());
  expect(texts(read(thread))).toEqual(["Know chips", "one"]);
});

test("an agent that has no run yet has no files", async () => {
  const { open, core, settled, sim } = await start();
  Object.assign(core, { state: emptyState() });
  core.tell({ type: "agent.create", agent: "chips", goal: "Watch", model: "m", start: false });
  await settled(open().verify());
  expect(sim.disk.paths()).toEqual([]);
});

test("a file that cannot be written is named, and the others are written", async () => {
  const files = (real: Files): Files => ({
    ...real,
    async open(path) {
      if (path === `${root}/${thread}`) throw new Error("EACCES");
      return await real.open(path);
    },
  });
  const { appender, post, failures, read, settled } = await opened({ files });
  appender.touch(await post("hello", "alice"));
  await settled(appender.idle());
  expect(failures).toEqual([`${thread}: Error: EACCES`]);
  expect(texts(read(alice))).toEqual(["hello"]);
});

/** An agent that has said so much that a crash cannot have lost all of it; its files are whole. */
async function old() {
  const agent = await opened();
  agent.core.tell({ type: "message.post", to: "bob", text: "long ago" });
  for (let n = 1; n <= 1_500; n++) agent.core.tell({ type: "message.post", text: `${n}` });
  agent.appender.touch(await agent.save());
  await agent.settled(agent.appender.idle());
  agent.reads.length = 0;
  return agent;
}

test("of a long log an opening reads the last thousand events, or none if it has them already", async () => {
  const { open, settled, log, reads, core } = await old();
  await settled(open().verify());
  expect(reads).toEqual([log.seq - 1_000]);
  const tail = (after: number) => ({ after, events: core.log.slice(after) });
  for (const after of [0, log.seq - 1_000]) await settled(open(tail(after)).verify());
  expect(reads).toHaveLength(1);
  await settled(open(tail(log.seq - 999)).verify());
  expect(reads).toHaveLength(2);
});

test("what a crash left out is added from the events at hand as well", async () => {
  const { open, settled, core, log, read, edit } = await old();
  const whole = read(thread)!;
  for (const lost of [1, 1_000]) {
    edit(
      thread,
      whole
        .split(/(?<=\n)/)
        .slice(0, -lost)
        .join(""),
    );
    await settled(open({ after: log.seq - 1_000, events: core.log.slice(-1_000) }).verify());
    expect(read(thread) === whole, `${lost} lost`).toBe(true);
  }
});

test("a file that is missing is made from the whole log", async () => {
  const { open, settled, log, reads, read, edit } = await old();
  const coordinator = "runs/r1/workers/coordinator/conversation.jsonl";
  for (const path of [thread, coordinator]) {
    const whole = read(path);
    expect(parse(whole).length).toBeGreaterThan(1_400);
    edit(path, null);
    reads.length = 0;
    await settled(open().verify());
    expect(read(path)).toBe(whole);
    expect(reads).toEqual([log.seq - 1_000, 0]);
  }
});

test("a conversation that has only mail has its file, the human has none", async () => {
  const { open, core, post, read, edit, settled, sim, reads } = await opened();
  core.tell({ type: "message.post", from: "coordinator", to: "human", text: "good morning" }, "coordinator");
  await post("hello", "alice");
  await settled(open().verify());
  expect(texts(read(alice))).toEqual(["hello"]);
  edit(alice, null);
  await settled(open().verify());
  expect(texts(read(alice))).toEqual(["hello"]);
  reads.length = 0;
  await settled(open().verify());
  expect(reads).toHaveLength(1);
  expect(sim.disk.paths().filter((path) => path.includes("/human/") || path.includes("/bob/"))).toEqual([]);
});

test("a conversation of one turn that has no mail left has its file too", async () => {
  const { open, core, save, read, edit, settled } = await start();
  core.turn("coordinator", "look");
  await save();
  const path = "runs/r1/workers/coordinator/conversation.jsonl";
  await settled(open().verify());
  const whole = read(path);
  expect(core.thinker("coordinator")).toMatchObject({ turns: 1, unread: [] });
  expect(parse(whole).length).toBeGreaterThan(2);
  edit(path, null);
  await settled(open().verify());
  expect(read(path)).toBe(whole);
});

test("a file of which the last thousand events say nothing stays as it is, and is made again when it is missing", async () => {
  const { open, settled, log, reads, read, edit } = await old();
  const whole = read(bob);
  expect(texts(whole)).toEqual(["long ago"]);
  await settled(open().verify());
  expect(reads).toEqual([log.seq - 1_000]);
  for (const [path, text] of [
    [bob, null],
    [`${bob}/x`, "in its place"],
  ] as const) {
    edit(bob, null);
    edit(path, text);
    reads.length = 0;
    await settled(open().verify());
    expect(reads).toHaveLength(2);
    if (text === null) expect(read(bob)).toBe(whole);
  }
});

test("a turn that was under way at the opening still belongs to its node", async () => {
  const { open, core, save, read, edit, settled } = await start();
  const node = core.node({ task: "count", worker: "alice" });
  const path = `runs/r1/nodes/${node}/log.jsonl`;
  core.begin("alice");
  await save();
  const appender = open();
  await settled(appender.verify());
  const before = parse(read(path)).map(({ type }) => type);
  expect(before).toEqual(["node.created", "node.assigned", "node.started", "turn.started"]);
  const { turn } = core.thinker("alice");
  const cost = { usd: 0, tokens: 0 };
  core.tell({ type: "turn.answer", turn: turn!.id, participant: "alice", text: "ok", calls: [], cost }, "alice");
  appender.touch(await save());
  await settled(appender.idle());
  const whole = read(path);
  expect(parse(whole).map(({ type }) => type)).toEqual([...before, "turn.answered"]);
  for (const spoiled of [null, whole!.slice(0, whole!.lastIndexOf("{"))]) {
    edit(path, spoiled);
    await settled(open({ after: 0, events: core.log }).verify());
    expect(read(path)).toBe(whole);
  }
});

test("a last line that lacks only its end is torn", async () => {
  const { appender, open, post, read, edit, settled } = await opened();
  appender.touch(await post("one"));
  await settled(appender.idle());
  const whole = read(thread)!;
  edit(thread, whole.slice(0, -1));
  await settled(open().verify());
  expect(read(thread)).toBe(whole);
});

const longLines = [4_000, 4_096, 5_000, 32_768, 40_000, 300_000];

test.each(longLines)("the end of a file is found when its last line has %i characters and more", async (length) => {
  for (const first of [false, true]) {
    const { open, post, read, edit, settled } = await opened();
    await post("before", "alice");
    await post("x".repeat(length), "alice");
    await settled(open().verify());
    const whole = read(alice)!;
    // Alone in the file it is what the file begins with as well.
    if (first) edit(alice, whole.slice(whole.indexOf("\n") + 1));
    await post("after", "alice");
    await settled(open().verify());
    expect(read(alice)?.length).toBeGreaterThan(length);
    expect(texts(read(alice)).map((text) => text?.slice(0, 6))).toEqual([
      ...(first ? [] : ["before"]),
      "xxxxxx",
      "after",
    ]);
  }
});

/** Alice works until her conversation is shortened; gives the events of it and of one letter to her after it. */
async function shortened(agent: Awaited<ReturnType<typeof start>>) {
  const { core, save } = agent;
  core.node({ task: "count", worker: "alice" });
  for (let n = 1; n <= 6; n++) core.turn("alice", `look-${n}`);
  const before = await save();
  core.tell({ type: "context.fill", participant: "alice", why: "window", tokens: 800, window: 1_000 }, "alice");
  core.turn("alice", "write");
  const events = await save();
  const at = events.find(({ type }) => type === "context.shortened")!.seq;
  return { before, events, at };
}

test("a conversation that was shortened begins anew, and goes on from there", async () => {
  const agent = await opened();
  const { appender, post, read, settled } = agent;
  const { before, events, at } = await shortened(agent);
  appender.touch(before);
  await settled(appender.idle());
  expect(parse(read(alice)).length).toBeGreaterThan(6);
  appender.touch(events);
  await settled(appender.idle());
  expect(parse(read(alice)).every(({ seq }) => seq > at)).toBe(true);
  appender.touch(await post("hello", "alice"));
  await settled(appender.idle());
  appender.touch(await post("again", "alice"));
  await settled(appender.idle());
  expect(texts(read(alice)).slice(-2)).toEqual(["hello", "again"]);
});

test("a conversation that was shortened while nobody wrote it is after the opening what it would be", async () => {
  const agent = await opened();
  const { appender, open, post, read, edit, settled, reads } = agent;
  const { before, events } = await shortened(agent);
  appender.touch(before);
  await settled(appender.idle());
  const old = read(alice)!;
  for (const there of [old, "", null]) {
    edit(alice, there);
    reads.length = 0;
    await settled(open().verify());
    expect([read(alice), reads.length]).toEqual(["", 2]); // a look, and the fold
  }
  const letters = [...(await post("hello", "alice")), ...(await post("again", "alice"))];
  await settled(open().verify());
  const whole = read(alice)!;
  expect(texts(whole)).toEqual(["hello", "again"]);
  for (const there of [null, old, "", whole.slice(0, whole.indexOf("\n") + 1), whole]) {
    edit(alice, there);
    const next = open();
    await settled(next.verify());
    next.touch([...events, ...letters]);
    await settled(next.idle());
    expect(read(alice)).toBe(whole);
  }
});

test("what a conversation held before it was shortened can be read from the log, since the time before", async () => {
  const agent = await start();
  const { log } = agent;
  const first = await shortened(agent);
  const lines = (seq: number) => linesBefore(log, alice, "alice", seq);
  const text = await lines(first.at);
  expect(parse(text).length).toBeGreaterThan(6);
  expect(parse(text).every(({ seq }) => seq < first.at)).toBe(true);
  const coordinator = "runs/r1/workers/coordinator/conversation.jsonl";
  expect(texts(await linesBefore(log, coordinator, "coordinator", log.seq))).toContain("Know chips");
  const [letter] = await agent.post("hello", "alice");
  await agent.post("for bob", "bob");
  expect(texts(await lines(log.seq + 1))).toEqual(["hello"]);
  expect(await lines(letter!.seq)).toBe("");
});
