import { describe, expect, test } from "vitest";
import type { Concern } from "../../schema/delivery.ts";
import { start, type World } from "../core.test-help.ts";
import { leaderless } from "../leaderless.test-help.ts";
import { iso } from "../noun.ts";
import { defaultLead } from "../run/lead.ts";
import { nextFor } from "./delivery.ts";

const usual: Concern[] = ["questions", "approvals", "paused", "failed"];
const channels = {
  hook: { kind: "webhook", for: usual },
  mail: { kind: "email", for: ["messages", "completed"] },
} as Record<"hook" | "mail", { kind: "webhook" | "email"; for: Concern[] }>;

function routed(given = channels as Parameters<typeof route>[1]) {
  const world = start();
  route(world, given);
  return world;
}
const route = (world: World, given: Record<string, { kind: "webhook" | "email" | "slack"; for: Concern[] }>) =>
  world.tell({ type: "delivery.route", channels: given }, "system");
const ask = (world: World, more = {}, by = "alice") =>
  world.tell({ type: "question.ask", by, text: "Which?", ...more }, by);
const pending = ({ state }: World) => [...state.deliveries.keys()];
const fail = (world: World, delivery: string, more = {}) =>
  world.tell({ type: "delivery.fail", delivery, error: "500", ...more }, "system");
const confirm = (world: World, delivery: string) => world.tell({ type: "delivery.confirm", delivery }, "system");
const waits = (world: World, id: string) => Date.parse(world.state.deliveries.get(id)!.pause!.to) - world.now;

describe("what is delivered", () => {
  test("is nothing as long as there is no channel", () => {
    const world = start();
    ask(world);
    expect(pending(world)).toEqual([]);
    expect(nextFor(world.state, "hook", iso(world.now))).toBeUndefined();
  });

  test("are the questions that are open, when a channel that wants them is there later; each once", () => {
    const world = start();
    ask(world, { options: ["a", "b"] });
    ask(world);
    ask(world, { channel: "mail" });
    world.tell({ type: "question.answer", question: "q2", answer: "this" }, "human");
    route(world, { mail: channels.mail });
    expect([...world.state.deliveries.values()].map(({ channel, question }) => [channel, question])).toEqual([
      ["mail", "q3"],
    ]);
    for (const id of pending(world)) confirm(world, id);
    route(world, channels);
    const told = [...world.state.deliveries.values()];
    expect(told).toMatchObject([
      { channel: "hook", question: "q1", concern: "questions", options: ["a", "b"], run: "r1" },
    ]);
    expect(told[0]!.id).toBe(`${world.state.questions.get("q1")!.seq}/hook`);
    for (const id of pending(world)) confirm(world, id);
    route(world, { ...channels, chat: { kind: "slack", for: ["messages"] } });
    route(world, {});
    route(world, channels);
    expect(pending(world)).toEqual([]);
  });

  test("is nothing that ends with an archived agent, also where nobody leads and the human would be told", () => {
    const world = start();
    world.tell({ type: "run.finish", summary: "s" });
    world.tell({
      type: "run.start",
      team: { workers: [{ name: "Rae", role: "" }], nodes: [{ id: "a", title: "a", spec: "s" }], lead: false },
    });
    route(world, { hook: { kind: "webhook", for: ["messages", "completed", "failed"] } });
    expect(world.all("node.assigned")).toHaveLength(1);
    world.tell({ type: "agent.archive" });
    expect(world.all("node.cancelled")).toHaveLength(1);
    expect(pending(world)).toEqual([]);
  });

  test("goes to each channel that wants it, with all that an answer needs", () => {
    const world = routed();
    ask(world, { options: ["a", "b"], default: "a", deadline_seconds: 60 });
    expect([...world.state.deliveries.values()]).toEqual([
      {
        id: "6/hook",
        channel: "hook",
        concern: "questions",
        seq: 6,
        run: "r1",
        at: iso(world.now),
        from: "alice",
        text: "Which?",
        question: "q1",
        options: ["a", "b"],
        default: "a",
        deadline: iso(world.now + 60_000),
        attempts: 0,
      },
    ]);
    world.tell({ type: "message.post", from: "alice", to: "human", text: "News" }, "alice");
    world.tell({ type: "message.post", from: "alice", to: "bob", text: "Not for people" }, "alice");
    expect(pending(world)).toEqual(["6/hook", "7/mail"]);
  });

  test("is the agent's standstill and its end, but not a pause of the human's own", () => {
    const world = routed();
    world.tell({ type: "agent.pause" });
    expect(pending(world)).toEqual([]);
    world.tell({ type: "agent.resume" });
    world.tell({ type: "agent.pause", reason: { code: "budget", message: "no money", next_mover: "human" } }, "system");
    expect([...world.state.deliveries.values()]).toMatchObject([
      { concern: "paused", channel: "hook", text: "no money" },
    ]);
    world.tell({ type: "agent.resume" });
    expect(pending(world)).toEqual([]);
    world.tell({ type: "run.finish", summary: "42" }, "coordinator");
    expect([...world.state.deliveries.values()]).toMatchObject([{ concern: "completed", channel: "mail", text: "42" }]);
  });

  test.each([
    ["mail", ["mail"]],
    ["email", ["mail"]],
    ["HOOK", ["hook"]],
    ["cli", ["hook"]],
    ["nowhere", ["hook"]],
  ])("is a question for the channel it names, or else for those that want questions: %s", (channel, to) => {
    const world = routed();
    ask(world, { channel });
    expect(pending(world)).toEqual(to.map((name) => `6/${name}`));
  });

  test("is not what has been overtaken: answered, expired, another run, archived", () => {
    for (const overtake of [
      (world: World) => world.tell({ type: "question.answer", question: "q1", answer: "b" }),
      (world: World) => {
        world.now += 60_000;
        world.tick();
      },
      (world: World) => world.tell({ type: "agent.archive" }),
      (world: World) => {
        world.tell({ type: "run.finish", summary: "s" }, "coordinator");
        confirm(world, "9/mail");
        world.tell({ type: "run.start" });
      },
    ]) {
      const world = routed();
      ask(world, { deadline_seconds: 60 });
      expect(pending(world)).toEqual(["6/hook"]);
      overtake(world);
      expect(pending(world)).toEqual([]);
    }
  });

  test("is not what follows when the human archives, although nobody else is told of it where nobody leads", () => {
    const world = routed({ mail: channels.mail });
    world.state.participants.delete(defaultLead.id);
    world.node({ task: "Do it", worker: "alice" }, "human");
    const ended = world.tell({ type: "agent.archive" }).map(({ type }) => type);
    expect(ended).toContain("node.cancelled");
    expect(pending(world)).toEqual([]);
  });

  test("is cut if it is long, and never more than a hundred things wait for one channel; questions stay longest", () => {
    const world = routed({ mail: { kind: "email", for: ["messages", "questions"] } });
    ask(world);
    world.tell({ type: "message.post", from: "alice", to: "human", text: `${"x".repeat(1_999)}😀y` }, "alice");
    expect(world.state.deliveries.get("7/mail")?.text).toBe(`${"x".repeat(1_999)}…`);
    for (let n = 0; n < 100; n++) {
      world.tell({ type: "message.post", from: "bob", to: "human", text: `${n}` }, "bob");
    }
    expect(world.state.deliveries.size).toBe(100);
    expect(world.state.deliveries.has("6/mail")).toBe(true);
    expect(world.state.deliveries.has("7/mail")).toBe(false);
    expect(world.state.channels.get("mail")?.given_up).toBe(2);
  });
});

describe("a delivery", () => {
  test("that was sent is recorded once and is gone", () => {
    const world = routed();
    ask(world);
    expect(confirm(world, "6/hook")).toMatchObject([
      { type: "delivery.sent", data: { delivery: "6/hook", attempts: 1 } },
    ]);
    expect(confirm(world, "6/hook")).toEqual([]);
    expect(fail(world, "6/hook")).toEqual([]);
    expect(pending(world)).toEqual([]);
  });

  test("that fails is tried again after 1, 2, 4 … minutes, at most an hour, and given up after twelve times", () => {
    const world = routed();
    ask(world);
    const minutes: number[] = [];
    for (let n = 1; n < 12; n++) {
      fail(world, "6/hook");
      minutes.push(waits(world, "6/hook") / 60_000);
      const { at } = nextFor(world.state, "hook", iso(world.now))!;
      expect(at).toBe(world.state.deliveries.get("6/hook")!.pause!.to);
      world.now = Date.parse(at);
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]);
    expect(fail(world, "6/hook")).toMatchObject([{ data: { attempts: 12, error: "500" } }]);
    expect(pending(world)).toEqual([]);
    expect(world.state.channels.get("hook")).toMatchObject({ given_up: 1, failing: { attempts: 12, error: "500" } });
  });

  test("waits as long as the other side asked, within two hours, and so does the channel", () => {
    const world = routed();
    ask(world);
    ask(world, {}, "bob");
    fail(world, "6/hook", { retry_after_seconds: 600 });
    expect(waits(world, "6/hook")).toBe(600_000);
    expect(nextFor(world.state, "hook", iso(world.now))).toMatchObject({
      delivery: { id: "7/hook" },
      at: iso(world.now + 600_000),
    });
    fail(world, "7/hook", { retry_after_seconds: 1e12 });
    expect(waits(world, "7/hook")).toBe(7_200_000);
  });

  test("does not wait for a clock that was set back to come there again", () => {
    const world = routed();
    ask(world);
    fail(world, "6/hook");
    expect(nextFor(world.state, "hook", iso(world.now))?.at).toBe(iso(world.now + 60_000));
    expect(nextFor(world.state, "hook", iso(world.now - 1))?.at).toBe("");
    expect(nextFor(world.state, "hook", iso(world.now + 60_000))?.at).toBe("");
  });

  test("that alone is refused does not hold up the others", () => {
    const world = routed();
    ask(world, { text: "poison" });
    for (let n = 0; n < 5; n++) {
      fail(world, "6/hook");
      world.now += 60_000;
      ask(world, {}, "bob");
      const next = nextFor(world.state, "hook", iso(world.now))!;
      expect(next.delivery.text).toBe("Which?");
      expect(next.at).toBe("");
      confirm(world, next.delivery.id);
    }
  });
});

describe("a channel", () => {
  test("that fails is tried with one thing at a time, and after twelve times all that waits is given up", () => {
    const world = routed();
    for (let n = 0; n < 20; n++) ask(world);
    let tries = 0;
    for (; world.state.deliveries.size; tries++) {
      const { delivery, at } = nextFor(world.state, "hook", iso(world.now))!;
      world.now = Math.max(world.now, Date.parse(at || "1970-01-01"));
      fail(world, delivery.id);
    }
    expect(tries).toBe(12);
    expect(world.now - Date.parse(world.state.channels.get("hook")!.failing!.since)).toBe(363 * 60_000);
    expect(world.state.channels.get("hook")?.given_up).toBe(20);
    ask(world);
    expect(Date.parse(nextFor(world.state, "hook", iso(world.now))!.at) - world.now).toBe(3_600_000);
  });

  test("that works again has not failed", () => {
    const world = routed();
    ask(world);
    ask(world);
    fail(world, "6/hook");
    expect(world.state.channels.get("hook")?.failing).toMatchObject({ attempts: 1, since: iso(world.now) });
    confirm(world, "7/hook");
    expect(world.state.channels.get("hook")).not.toHaveProperty("failing");
  });

  test("that is no longer in the config loses what waits; one that changes keeps it", () => {
    const world = routed();
    ask(world);
    expect(route(world, channels as never)).toEqual([]);
    route(world, { hook: { kind: "webhook", for: ["messages"] } });
    expect(pending(world)).toEqual(["6/hook"]);
    route(world, {});
    expect([pending(world), world.state.channels.size]).toEqual([[], 0]);
  });
});

test("all of it is there after a restart, and a cut-off record leaves what was to be recorded", () => {
  const world = routed();
  ask(world);
  fail(world, "6/hook");
  world.restart();
  expect(world.state.deliveries.get("6/hook")).toMatchObject({ attempts: 1, pause: { to: iso(world.now + 60_000) } });
  confirm(world, "6/hook");
  world.restart(1);
  expect(pending(world)).toEqual(["6/hook"]);
});

test("what went wrong for good is told in the words of its reason", () => {
  const world = routed();
  world.append({ type: "agent.failed", data: { reason: { code: "x", message: "broken", next_mover: "human" } } });
  expect([...world.state.deliveries.values()]).toMatchObject([
    { channel: "hook", concern: "failed", from: "system", text: "broken", attempts: 0 },
  ]);
});

test("an answer in another run overtakes nothing here", () => {
  const world = routed();
  ask(world);
  const [id] = pending(world);
  const answered = { type: "question.answered", data: { question: "q1", answer: "x", by: "human" } };
  world.state.deliveries.set("0/old", { ...world.state.deliveries.get(id!)!, id: "0/old", run: "r0" });
  world.append(answered as never, "human");
  expect(pending(world)).toEqual(["0/old"]);
});

test("of what was tried equally often and may be tried at the same time the oldest comes first", () => {
  const world = routed();
  ask(world);
  ask(world);
  const [first, second] = pending(world);
  expect(nextFor(world.state, "hook", iso(world.now))).toMatchObject({ delivery: { id: first }, at: "" });
  fail(world, first!);
  world.now += 3 * 3_600_000;
  expect(nextFor(world.state, "hook", iso(world.now))).toMatchObject({ delivery: { id: second, attempts: 0 }, at: "" });
});

test("one thing that is refused twelve times is given up, however well its channel works otherwise", () => {
  const world = routed();
  ask(world);
  const [bad] = pending(world) as [string];
  for (let n = 1; n <= 12; n++) {
    ask(world, { text: `${n}?` });
    expect(world.state.deliveries.has(bad)).toBe(true);
    fail(world, bad);
    for (const id of pending(world)) if (id !== bad) confirm(world, id);
    world.now += 2 * 3_600_000;
  }
  expect(pending(world)).toEqual([]);
  expect(world.state.channels.get("hook")).toMatchObject({ given_up: 1 });
});

describe("an approval", () => {
  const approves = { turn: "alice.1", call: "c1", tool: "bash" };
  const told = (text: string, more: object) => {
    const world = routed();
    world.append({ type: "question.asked", data: { question: "q1", by: "alice", text, ...more } } as never, "alice");
    return [...world.state.deliveries.values()].map(({ concern, text }) => ({ concern, text }));
  };

  test("that is too long to be shown says how much nobody has read; a question does not, nor one that is shown whole", () => {
    const rest = "\n[1001 more characters are not shown here; look at all of it in your inbox before you allow it]";
    const long = "x".repeat(3_000);
    const shown = `${"x".repeat(1_999)}…`;
    expect(told(long, { approves })).toEqual([{ concern: "approvals", text: shown + rest }]);
    expect(told(long, {})).toEqual([{ concern: "questions", text: shown }]);
    expect(told("rm -r x", { approves })).toEqual([{ concern: "approvals", text: "rm -r x" }]);
  });
});

test("a hundred questions wait for a channel; the next one takes the place of the oldest", () => {
  const world = routed();
  for (let n = 0; n < 101; n++) ask(world);
  expect(world.state.deliveries.size).toBe(100);
  expect([pending(world)[0], world.state.channels.get("hook")?.given_up]).toEqual(["7/hook", 1]);
});

test("a pause that somebody intended is not told; a pause is told by the system, a result by who leads", () => {
  const pause = (code: string, actor: string) => {
    const world = routed();
    world.append({ type: "agent.paused", data: { reason: { code, message: "m", next_mover: "human" } } }, actor);
    return [...world.state.deliveries.values()].map(({ from }) => from);
  };
  expect([pause("imported", "system"), pause("budget", "human"), pause("budget", "system")]).toEqual([
    [],
    [],
    ["system"],
  ]);
  const completed = (world: World) => {
    route(world, { mail: { kind: "email", for: ["completed"] } });
    world.append({ type: "agent.completed", data: { run: "r1", summary: "s" } } as never);
    return [...world.state.deliveries.values()].map(({ from }) => from);
  };
  expect(completed(start())).toEqual(["coordinator"]);
  expect(completed(leaderless())).toEqual([defaultLead.id]);
});

test("what a person says to everyone is not sent to them", () => {
  const world = routed();
  world.tell({ type: "message.post", to: "*", text: "Hello all" });
  expect(pending(world)).toEqual([]);
});

test("a new run overtakes questions and pauses, but no message; an archived agent has nothing to tell", () => {
  const world = routed({ hook: { kind: "webhook", for: ["messages", "questions", "paused"] } });
  ask(world);
  world.tell({ type: "message.post", from: "alice", to: "human", text: "News" }, "alice");
  world.append({ type: "agent.paused", data: { reason: { code: "budget", message: "m", next_mover: "human" } } });
  const concerns = () => [...world.state.deliveries.values()].map(({ concern }) => concern);
  expect(concerns()).toEqual(["questions", "messages", "paused"]);
  world.append({ type: "run.started", data: { run: "r2", goal: "Go on" } });
  expect(concerns()).toEqual(["messages"]);
  world.append({ type: "agent.archived", data: {} } as never, "human");
  expect(concerns()).toEqual([]);
});

test("a channel that is given other subjects keeps its failures, and what waits for it its attempts", () => {
  const world = routed();
  ask(world);
  fail(world, "6/hook");
  const failing = world.state.channels.get("hook")?.failing;
  expect(route(world, { ...channels, hook: { kind: "webhook", for: [...usual, "completed"] } })).toHaveLength(1);
  expect(world.state.channels.get("hook")?.failing).toEqual(failing);
  expect(world.state.deliveries.get("6/hook")).toMatchObject({ attempts: 1 });
  expect(route(world, { ...channels, hook: { kind: "slack", for: usual } })).toHaveLength(1);
  const { mail, hook } = channels;
  expect(route(world, { mail, other: hook })).toHaveLength(1);
  expect([...world.state.channels.keys()]).toEqual(["mail", "other"]);
});

test("a question that a channel gave up is not sent there again when the channel is removed and added", () => {
  const world = routed();
  ask(world);
  for (let n = 0; n < 12; n++) fail(world, "6/hook");
  expect(pending(world)).toEqual([]);
  route(world, {});
  route(world, channels);
  expect(pending(world)).toEqual([]);
});

test("a delivery that alone is refused waits for its own time, not for that of its channel", () => {
  const world = routed();
  ask(world);
  for (let n = 0; n < 3; n++) fail(world, "6/hook");
  ask(world, {}, "bob");
  confirm(world, "9/hook");
  for (const id of pending(world)) if (id !== "6/hook") confirm(world, id);
  expect(nextFor(world.state, "hook", iso(world.now))).toMatchObject({
    delivery: { id: "6/hook" },
    at: iso(world.now + 4 * 60_000),
  });
  // One that may be tried sooner comes first, although it was tried more often.
  const waiting = world.state.deliveries.get("6/hook")!;
  const sooner = { from: iso(world.now), to: iso(world.now + 60_000) };
  world.state.deliveries.set("1/hook", { ...waiting, id: "1/hook", attempts: 9, pause: sooner });
  expect(nextFor(world.state, "hook", iso(world.now))).toMatchObject({ delivery: { id: "1/hook" }, at: sooner.to });
});

describe("where nobody leads, people hear on their channels", () => {
  const reason = { code: "x", message: "it broke", next_mover: "human" };
  test.each<[string, object]>([
    ["node.failed", { node: "n1-do-it", reason }],
    ["stage.reconvened", { stage: "s1", completed: [], open: [] }],
    ["worker.halted", { worker: "alice", reason }],
    ["suggestion.made", { suggestion: "sg1", by: "alice", text: "Look there" }],
    ["trigger.failed", { trigger: "t1", fire: "f1", reason }],
    ["cycle.began", { cycle: 1, at: iso(0), skipped: 0, missed: 0, changes: {}, files: [] }],
    ["outbox.refused", { outgoing: "9/dan", to: "dan", by: "gone", message: "m1", reason }],
    [
      "proposal.created",
      {
        ...{ proposal: "p1", by: "alice", kind: "decision", text: "?", options: ["a", "b"], voters: ["human"] },
        rule: { rule: "plurality", quorum: 0, tie: "none" },
      },
    ],
    ["run.led", { run: "r1", lead: "alice" }],
  ])("of %s", (type, data) => {
    const world = start();
    world.node({ worker: "alice" });
    route(world, { mail: { kind: "email", for: ["messages"] } });
    world.state.participants.delete(defaultLead.id);
    expect(pending(world)).toEqual([]);
    world.append({ type, data } as never);
    expect([...world.state.deliveries.values()]).toMatchObject([{ concern: "messages", channel: "mail" }]);
  });
});
