import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectProportional } from "../lib/growth.test-help.ts";
import { type CommandInput, parseCommand } from "../schema/command.ts";
import { type Event, events, isEventType } from "../schema/event.ts";
import { decode, encode } from "../store/log-line.ts";
import { agentStatus } from "./agent/status.ts";
import { why } from "./board/why.ts";
import { refusal, start } from "./core.test-help.ts";
import { appointments, earlierResult, settle, stamp } from "./decide.ts";
import { humanInbox } from "./human/human-inbox.ts";
import { defaultLimits } from "./limits.ts";
import { fold, reduce } from "./reduce.ts";
import { canonical, emptyState, freezeState, type State, sameState, thawState } from "./state.ts";
import { nextBeat, skippedHeartbeats } from "./time/cycle.ts";

const roundTripped = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const price = { usd: 0.01, tokens: 10 };

describe("a command that makes no sense", () => {
  test.each([
    [undefined, "unknown_command: nothing is not a command; commands: agent.create"],
    [null, "unknown_command: nothing is not a command; commands: agent.create"],
    ["node.create", "unknown_command: nothing is not a command; commands: agent.create"],
    [{}, "unknown_command: nothing is not a command; commands: agent.create"],
    [{ type: "node.explode" }, 'unknown_command: "node.explode" is not a command; commands: agent.create'],
    [{ type: "__proto__" }, 'unknown_command: "__proto__" is not a command; commands: agent.create'],
    [{ type: "toString" }, 'unknown_command: "toString" is not a command; commands: agent.create'],
    [{ type: 7 }, "unknown_command: 7 is not a command; commands: agent.create"],
    [{ type: ["node.create"] }, 'unknown_command: ["node.create"] is not a command; commands: agent.create'],
  ])("is refused: %j", (given, said) => {
    expect(refusal(() => parseCommand(given)).slice(0, said.length)).toBe(said);
  });

  test("is refused when it is too large or no valid Unicode, and the field named", () => {
    expect(refusal(() => parseCommand({ type: "message.post", text: "x".repeat(2_000_001) }))).toMatch(
      /^too_large: message.post: .* make text a resource$/,
    );
    expect(refusal(() => parseCommand({ type: "node.create", task: "x", refs: { a: "\ud800" } }))).toBe(
      "invalid: node.create: refs.a: the text is not valid Unicode (half a surrogate pair)",
    );
  });

  test("loses fields that nobody knows", () => {
    expect(parseCommand({ type: "run.plan", plan: "x", extra: 1, __proto__: { plan: "y" } })).toEqual({
      type: "run.plan",
      plan: "x",
    });
  });
});

describe("the fold", () => {
  test("gives seq and time of the last event, and when someone last spoke or thought", () => {
    const world = start();
    world.now += 5_000;
    world.tell({ type: "run.plan", plan: "x" });
    expect(world.state).toMatchObject({ seq: 5, at: "2026-01-01T00:00:05.000Z", active_at: "" });
    world.tell({ type: "message.post", text: "hi" });
    expect(world.state.active_at).toBe("2026-01-01T00:00:05.000Z");
    world.now += 5_000;
    world.begin("coordinator");
    expect(world.state.active_at).toBe("2026-01-01T00:00:10.000Z");
  });

  test.each([
    "node.exploded",
    "message.reacted",
    "turn.paused",
    "x",
    "",
    "__proto__.x",
    "constructor.x",
    "hasOwnProperty",
  ])("keeps an event of the unknown type %j and moves seq, nothing else", (type) => {
    const { tell, state } = start();
    tell({
      type: "trigger.create",
      schedule: { type: "on_event", pattern: "node.*" },
      action: { type: "wake_agent", text: "x" },
    });
    const before = canonical({ ...state, seq: 0, at: "" });
    const data = { node: "n1", message: "m9", turn: "alice.1", participant: "alice" };
    const envelope = { seq: 99, id: "chips/99", ts: "2030-01-01T00:00:00.000Z", actor: "alice", cause: "k#p" };
    reduce(state, { ...envelope, type, data } as never);
    expect(state).toMatchObject({ seq: 99, at: "2030-01-01T00:00:00.000Z" });
    expect(canonical({ ...state, seq: 0, at: "" })).toBe(before);
  });

  test("takes time in proportion to its events", () => {
    const { tell, log } = start();
    for (let n = 0; n < 50; n++) tell({ type: "message.post", to: "*", text: `${n}` });
    const base = roundTripped(log.slice(0, 4));
    const posts = roundTripped(log.slice(4));
    const long = Array.from({ length: 32_000 }, (_, n) => ({ ...posts[n % 50]!, seq: n + 5 }) as Event);
    expectProportional(2_000, (size) => fold(emptyState(), [...base, ...long.slice(0, size)]));
  });
});

describe("a frozen state", () => {
  test("is plain JSON and thaws to the same state", () => {
    const { state } = history();
    const thawed = thawState(roundTripped(freezeState(state)));
    expect(canonical(thawed)).toBe(canonical(state));
    expect(thawed.nodes).toBeInstanceOf(Map);
  });

  test("stays as it is while the state goes on", () => {
    const { tell, turn, state } = start();
    tell({ type: "message.post", text: "one" });
    turn("coordinator", "look");
    tell({ type: "message.post", from: "alice", to: ["human", "coordinator"], text: "two" }, "alice");
    const frozen = freezeState(state);
    const before = JSON.stringify(frozen);
    tell({ type: "message.post", from: "alice", to: ["human", "coordinator"], text: "three" }, "alice");
    turn("coordinator", "look");
    tell({ type: "run.finish", summary: "s" });
    tell({ type: "run.start" });
    expect(JSON.stringify(frozen)).toBe(before);
  });

  test("goes on exactly as the state it was made of", () => {
    const { log } = history();
    for (const place of [1, 10, 50, log.length - 1]) {
      const early = fold(emptyState(), roundTripped(log.slice(0, place)));
      const thawed = fold(thawState(roundTripped(freezeState(early))), roundTripped(log.slice(place)));
      expect(canonical(thawed)).toBe(canonical(fold(emptyState(), log)));
    }
  });
});

describe("canonical", () => {
  test("is equal for equal states, whatever the order of fields and whether undefined is written", () => {
    const { state } = start();
    const alice = state.participants.get("alice")!;
    const other: State = { ...state, participants: new Map(state.participants) };
    other.participants.set("alice", {
      ...Object.fromEntries(Object.entries(alice).reverse()),
      wait: undefined,
    } as typeof alice);
    expect(canonical(other)).toBe(canonical(state));
    expect(sameState(other, state) && sameState(state, other)).toBe(true);
    expect(canonical({ ...state, seq: 99 })).not.toBe(canonical(state));
  });

  test("says of any two moments of a history what sameState says", () => {
    const { log } = history();
    const moments = log.map((_, at) => fold(emptyState(), roundTripped(log.slice(0, at + 1))));
    const still = moments.map((one) => ({ ...one, seq: 0, at: "", active_at: "" }));
    for (const [at, one] of still.entries())
      for (const other of [...still.slice(at, at + 12), fold(emptyState(), log.slice(0, at + 1))]) {
        expect(sameState(one, other)).toBe(canonical(one) === canonical(other));
        expect(sameState(other, one)).toBe(canonical(one) === canonical(other));
      }
  });
});

describe("a command with a key", () => {
  const context = { now: 0, actor: "human", limits: defaultLimits };
  const later = (state: State, days: number) => ({
    ...context,
    now: Date.parse(state.at) + days * 86_400_000,
  });

  function keyed() {
    const world = start();
    const fact = { type: "stage.completed", data: { stage: "s1", assessment: "x" } } as const;
    const take = (key: string, days = 0) =>
      reduce(world.state, stamp(world.state, fact, later(world.state, days), key));
    return { ...world, take };
  }

  test("is remembered with its first event and everything it made", () => {
    const { state } = start();
    const node = { node: "n1", task: "x", name: "x", depends_on: [], refs: {}, max_turns: 1, timeout_seconds: 1 };
    reduce(state, stamp(state, { type: "node.created", data: node }, context, "k#p"));
    reduce(state, stamp(state, { type: "run.planned", data: { run: "r1", plan: "x" } }, context, "k#p"));
    reduce(state, stamp(state, { type: "node.created", data: { ...node, node: "n2" } }, context, "k#p"));
    const posted = { message: "m1", from: "human", to: ["alice"], text: "x", priority: "normal" as const };
    reduce(state, stamp(state, { type: "message.posted", data: posted }, context, "k#p"));
    expect(earlierResult(state, "k", "p")).toMatchObject({ seq: 5, made: { node: "n1", message: "m1" } });
    expect(earlierResult(state, "other", "p")).toBeUndefined();
  });

  test("and another body is refused", () => {
    const { state, take } = keyed();
    take("k#p");
    expect(refusal(() => earlierResult(state, "k", "q"))).toBe(
      "key_reused: the idempotency key k was used for another command (event 5); use a new key",
    );
  });

  test("is forgotten after a day, not before", () => {
    const { state, take } = keyed();
    take("old#p");
    take("young#p", 0.99);
    expect([...state.keys.keys()]).toEqual(["old", "young"]);
    take("new#p", 0.02);
    expect([...state.keys.keys()]).toEqual(["young", "new"]);
  });

  test("of a tool call is kept as long as its turn is open: a machine may be off for days in the middle of it", () => {
    const { take, ...world } = keyed();
    world.tell({ type: "message.post", to: "alice", text: "go" });
    const { turn } = world.answer("alice", ["send_message"]);
    take(`chips/r1/${turn}/c1#p`);
    take("later#p", 3);
    expect([...world.state.keys.keys()]).toEqual([`chips/r1/${turn}/c1`, "later"]);
    world.tell({ type: "tool.end", turn, participant: "alice", call: "c1", outcome: "ok", result: "done" }, "alice");
    world.tell({ type: "turn.end", turn, participant: "alice" }, "alice");
    take("much later#p", 6);
    expect([...world.state.keys.keys()]).toEqual(["much later"]);
  });

  const cutShort: [string, CommandInput, (state: State) => boolean][] = [
    [
      "finishes a run",
      { type: "run.finish", summary: "42" },
      (state) => state.past.concat(state.run!).at(-1)?.status === "completed",
    ],
    [
      "writes to a completed agent",
      { type: "message.post", text: "hi" },
      (state) => state.channel.at(-1)?.text === "hi",
    ],
  ];
  test.each(cutShort)(
    "that %s is known as done only if it is, wherever a crash cut it short",
    (_what, command, done) => {
      const world = start();
      for (let n = 0; n < 3; n++) world.node();
      if (command.type === "message.post") world.tell({ type: "run.finish", summary: "first" });
      const base = world.log.length;
      for (const fact of world.decide(command)) {
        const event = stamp(world.state, fact, { ...context, now: world.now }, "k#p");
        world.log.push(event);
        reduce(world.state, event);
      }
      world.settle();
      for (let length = base; length <= world.log.length; length++) {
        const { log } = world;
        const again = Object.assign(start(), { log: log.slice(0, length) });
        again.restart();
        if (earlierResult(again.state, "k", "p")) expect(done(again.state)).toBe(true);
        else again.tell(command);
        expect(done(again.state)).toBe(true);
        expect(again.state.agent?.status).toBe(command.type === "run.finish" ? "completed" : "active");
        expect([...again.state.nodes.values()].map((node) => node.status)).toEqual(Array(3).fill("cancelled"));
      }
    },
  );

  test("an event that follows from another is no command", () => {
    const { state, take } = keyed();
    take("chips/4");
    expect(state.keys.size).toBe(0);
  });
});

test("an event is stamped with its place, its time, its run and who caused it", () => {
  const { state, now } = start();
  const context = { now, actor: "alice", limits: defaultLimits };
  const fact = { type: "run.planned", data: { run: "r1", plan: "x" } } as const;
  expect(stamp(state, fact, context, "k#p")).toEqual({
    seq: 5,
    id: "chips/5",
    ts: "2026-01-01T00:00:00.000Z",
    type: "run.planned",
    run: "r1",
    actor: "alice",
    cause: "k#p",
    data: fact.data,
  });
  expect(stamp(state, { ...fact, actor: "system" }, context)).toMatchObject({ actor: "system" });
  expect(stamp(state, fact, context)).not.toHaveProperty("cause");
  const created = { agent: "chips", goal: "g", mode: "finite", model: "m", version: 1 } as const;
  const first = stamp(emptyState(), { type: "agent.created", data: created }, context);
  expect(first).toMatchObject({ seq: 1, id: "chips/1" });
  expect(first).not.toHaveProperty("run");
  expect(stamp(emptyState(), { type: "run.started", data: { run: "r7", goal: "g" } }, context).run).toBe("r7");
});

test("what is due is sorted, soonest first", () => {
  const { tell, state } = start();
  for (const deadline_seconds of [30, 10, 20])
    tell({ type: "question.ask", by: "alice", text: "?", deadline_seconds }, "alice");
  expect(appointments(state).map(({ at }) => at.slice(17, 19))).toEqual(["10", "20", "30"]);
  tell({ type: "agent.stop" });
  expect(appointments(state)).toEqual([]);
});

/* ── I25 ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/** One for each time the shape of an event changed; with the hash of all states it folds to, and how many types of events it has. */
const goldens = [
  ["v1", "be2e33e8a89b0ec6445edd6b875bc63dad90069116640222c2acd00391afaa5a", 56],
  ["v2", "72f79b41bb5fd29685a81590ead80d8d1bfdde60babd00d6ab0ede154cd17341", 58],
] as const;
type Golden = (typeof goldens)[number][0];

const goldenFile = (name: string) => new URL(`../../test/golden/${name}`, import.meta.url);
const goldenLog = (version: Golden): Event[] =>
  readFileSync(goldenFile(`${version}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => decode(Buffer.from(line)));

/** The state when most is there: just before the first run ends. */
const richest = (log: Event[]): unknown => {
  const end = log.findIndex((event) => event.type === "run.completed");
  return JSON.parse(canonical(fold(emptyState(), log.slice(0, end))));
};

function record(version: Golden): void {
  const written = goldenFile(`${version}.jsonl`);
  if (!existsSync(written)) writeFileSync(written, history().log.map(encode).join(""));
  writeFileSync(goldenFile(`${version}.state.txt`), `${JSON.stringify(richest(goldenLog(version)), null, 1)}\n`);
}

/**
 * The log was written once by `history` and must fold to the same state for ever: agents sleep for weeks while the code changes.
 * If the state only gained a field, record it (GOLDEN=1 npx vitest run src/core/state.test.ts, and the new hash here) and see in the diff of
 * the state that nothing else changed. A log itself is never written anew; the next version gets its own.
 */
test.each(goldens)("a log of version %s still folds to its recorded state at every place", (version, expected) => {
  if (process.env.GOLDEN) record(version);
  expect(richest(goldenLog(version))).toEqual(JSON.parse(readFileSync(goldenFile(`${version}.state.txt`), "utf8")));
  const state = emptyState();
  const hash = createHash("sha256");
  for (const event of goldenLog(version)) hash.update(canonical(reduce(state, event)));
  expect(hash.digest("hex")).toBe(expected);
});

test.each(goldens)(
  "the golden log %s has every type of event there was, and each has its shape",
  (version, _, count) => {
    const types = new Set<string>();
    for (const [index, event] of goldenLog(version).entries()) {
      expect(event.seq).toBe(index + 1);
      expect(isEventType(event.type)).toBe(true);
      expect(events[event.type].safeParse(event.data).error).toBeUndefined();
      types.add(event.type);
    }
    expect(types.size).toBe(count);
  },
);

/** Two runs of a small team in which everything happens that can. */
function history() {
  const world = Object.assign(start({ resumes: 1, seconds_per_node: 60 }), { state: emptyState(), log: [] });
  const { tell, node, turn, begin, answer, append, tick } = world;
  const one = "1".repeat(64);
  const later = (seconds: number) => {
    world.now += seconds * 1000;
    tick();
  };
  const retry = { error: "503", not_before: "2026-01-01T00:00:05.000Z", lost: price };
  const create = { type: "agent.create", agent: "chips", goal: "Know chips", model: "scripted/golden" } as const;
  tell({ ...create, budget: { usd: 5, tokens: 100_000 } });
  for (const name of ["Alice", "Bob"]) tell({ type: "worker.spawn", name }, "coordinator");
  tell({ type: "budget.set", scope: { of: "day" }, limit: { usd: 4 } });
  tell({ type: "file.write", path: "GOAL.md", sha256: one });
  tell({ type: "file.edit", path: "GOAL.md", sha256: "2".repeat(64) });
  tell({ type: "run.plan", plan: "First look, then write." }, "coordinator");
  tell({ type: "stage.start", name: "look", policy: "majority" }, "coordinator");
  tell({ type: "worker.spawn", name: "Zoë", role: "checks", budget: { usd: 1 } }, "coordinator");
  tell({
    type: "trigger.create",
    schedule: { type: "on_event", pattern: "node.completed" },
    action: { type: "send_message", to: "Zoë", text: "Check it" },
  });
  tell({
    type: "trigger.create",
    schedule: { type: "heartbeat", interval_seconds: 20 },
    action: { type: "wake_agent", text: "Still there?" },
  });
  tell({
    type: "trigger.create",
    schedule: { type: "delayed", delay_seconds: 30 },
    action: { type: "wake_agent", text: "Once" },
  });
  const looks = [node({ task: "Look at A", worker: "alice" }), node({ task: "Look at B", worker: "bob" })];
  const write = node({ task: "Write it up", depends_on: looks, refs: { a: `${looks[0]}/a.md` }, parent: looks[0] });
  tell({ type: "budget.set", scope: { of: "node", node: write }, limit: { tokens: 900 } });
  turn("coordinator", "wait", { wait: { for: "nodes", nodes: [write], deadline: "2026-01-01T00:30:00.000Z" } });
  const acting = answer("alice", ["read", "bash"], price);
  tell({ type: "tool.start", ...acting, call: "c1" }, "alice");
  tell({ type: "tool.end", ...acting, call: "c1", outcome: "ok", result: "text" }, "alice");
  tell({ type: "tool.start", ...acting, call: "c2" }, "alice");
  append({ type: "log.repaired", data: { bytes: 12, kept_as: "events.torn-1.bin" } });
  tell({ type: "turn.resume", ...acting }, "alice");
  tell({ type: "tool.end", ...acting, call: "c2", outcome: "unknown", result: "outcome unknown" }, "alice");
  tell({ type: "turn.end", ...acting }, "alice");
  const calling = begin("bob", price);
  tell({ type: "turn.retry", ...calling, ...retry }, "bob");
  append({ type: "log.closed", data: {} });
  tell({ type: "turn.resume", ...calling }, "bob");
  tell({ type: "turn.answer", ...calling, text: "hm", calls: [], cost: price }, "bob");
  tell({ type: "turn.end", ...calling }, "bob");
  const files = [{ path: "a.md", size: 3, sha256: one }];
  tell({ type: "node.publish", node: looks[0]!, summary: "A is good", files }, "alice");
  tell({ type: "question.ask", by: "bob", text: "Which B?", options: ["B1", "B2"] }, "bob");
  turn("bob", "ask", { wait: { for: "question", question: "q1" } });
  later(25);
  tell({ type: "question.answer", answer: "B2" });
  tell({ type: "question.ask", by: "zoe", text: "Now?", default: "yes", deadline_seconds: 10 }, "zoe");
  later(30);
  turn("bob", "write");
  tell({ type: "node.publish", node: looks[1]!, summary: "B2", partial: true, files: [] }, "bob");
  tell({ type: "stage.complete", assessment: "good enough" }, "coordinator");
  tell({ type: "message.post", text: "How is it going?", resource: one });
  tell({ type: "resource.create", resource: one, title: "Long", size: 5_000, preview: "How" });
  tell({ type: "message.post", text: "Read it whole", attachments: [one] });
  tell({ type: "suggestion.make", by: "alice", text: "Look at prices too" }, "alice");
  tell({ type: "suggestion.dismiss", suggestion: "sg1", reason: "not now" }, "coordinator");
  tell({ type: "document.write", document: "plan.md", sha256: one, size: 3 }, "alice");
  tell({ type: "document.own", document: "plan.md", owner: "alice" }, "coordinator");
  tell({ type: "document.write", document: "old.md", sha256: one, size: 3 }, "alice");
  tell({ type: "document.remove", document: "old.md" }, "alice");
  tell({ type: "proposal.create", text: "Ship?", options: ["yes", "no"], voters: ["alice", "bob"] }, "coordinator");
  tell({ type: "proposal.vote", proposal: "p1", voter: "alice", option: "yes" }, "alice");
  tell({ type: "proposal.vote", proposal: "p1", voter: "bob", option: "yes" }, "bob");
  tell({ type: "proposal.create", text: "Really?", options: ["yes", "no"], rule: "unanimous" }, "zoe");
  tell({ type: "proposal.withdraw", proposal: "p2" }, "zoe");
  tell({ type: "inbox.ack", participant: "human", upto: world.state.seq });
  tell({ type: "agent.pause" });
  later(100);
  tell({ type: "agent.resume" });
  turn("alice", "look");
  later(61);
  node({ task: "Extra", worker: "alice" });
  turn("alice");
  turn("alice");
  tell({ type: "node.cancel", node: node({ task: "Never mind" }), reason: "not needed" }, "human");
  turn("coordinator", "wait", { wait: { for: "mail", deadline: "2026-01-01T00:20:00.000Z" } });
  tell({ type: "trigger.cancel", trigger: "t2" });
  later(1_800);
  tell({ type: "worker.retire", worker: "Zoë", reason: "done" }, "coordinator");
  tell({ type: "agent.stop" });
  tell({ type: "agent.resume" });
  const failing = begin("coordinator", price);
  tell({ type: "turn.fail", ...failing, reason: { code: "provider", message: "quota", next_mover: "human" } });
  tell({ type: "agent.resume" });
  tell({ type: "run.finish", summary: "It is done." }, "coordinator");
  tell({ type: "message.post", text: "One more thing" });
  tell({ type: "run.finish", summary: "Now it is." }, "coordinator");
  tell({ type: "run.start", goal: "Again" });
  append({ type: "run.stopped", data: { run: "r2" } });
  append({ type: "agent.failed", data: { reason: { code: "x", message: "broken", next_mover: "human" } } });
  tell({ type: "run.start", goal: "And again" });
  tell({ type: "message.post", to: "*", text: "Hello" });
  tell({ type: "agent.archive" });
  return world;
}

test("every question can be put to the state that any prefix of a log gives", () => {
  const { log } = history();
  const state = emptyState();
  const limits = defaultLimits;
  for (const event of [undefined, ...roundTripped(log)]) {
    if (event) reduce(state, event);
    const now = Date.parse(state.at || "2026-01-01T00:00:00.000Z");
    const before = canonical(state);
    settle(state, { now, actor: "system", limits });
    for (const { at } of appointments(state)) expect(Date.parse(at)).not.toBeNaN();
    nextBeat(state, now);
    expect(skippedHeartbeats(state, now)).toBe(0);
    agentStatus(state);
    const { items, counts } = humanInbox(state);
    expect(items.length).toBe(counts.questions + counts.approvals + counts.messages + counts.notices);
    for (const id of state.nodes.keys()) expect(why(state, id, { limits }).length).toBeGreaterThan(0);
    expect(canonical(state)).toBe(before);
  }
});

/** Everything below, for good; but for the lists that the header of state.ts names. */
function freezeDeep(value: unknown, name = ""): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  expect(value instanceof Map || value instanceof Set).toBe(false);
  const grows = name === "unread" || name === "conversation";
  for (const [inner, one] of Object.entries(value)) freezeDeep(one, inner);
  if (!grows) Object.freeze(value);
}

test("no value of the state is ever edited, but for the four lists that are said to grow in place", () => {
  for (const log of [...goldens.map(([version]) => goldenLog(version)), roundTripped(history().log)]) {
    const state = emptyState();
    for (const event of log) {
      freezeDeep(event);
      reduce(state, event);
      for (const [name, part] of Object.entries(state)) {
        const growing = part instanceof Map || name === "past" || name === "channel";
        if (growing) for (const one of part.values()) freezeDeep(one);
        else freezeDeep(part);
      }
    }
    expect(state.seq).toBe(log.length);
  }
});

test("two values are the same exactly if canonical says so, whatever they are made of", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, 0, 1, "", "0", true),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("0", "a", "length"), tie("value"), { maxKeys: 2 }),
    ),
  })).value;
  const state = (cycle: unknown) => ({ ...emptyState(), cycle }) as State;
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sameState(state(a), state(b))).toBe(canonical(state(a)) === canonical(state(b)));
      expect(sameState(state(a), state(roundTripped(a)))).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(sameState(state([]), state({}))).toBe(false);
  expect(sameState(state({}), state([]))).toBe(false);
  expect(sameState(state([1]), state({ 0: 1 }))).toBe(false);
  expect(sameState(state([1]), state([1, 2]))).toBe(false);
});
