import { describe, expect, test } from "vitest";
import { z } from "zod";
import { BackendError } from "../backend/backend.ts";
import { agentStatus } from "../core/agent/status.ts";
import { skippedHeartbeats } from "../core/time/cycle.ts";
import { defineTool } from "../toolkit/tool.ts";
import { type Answer, mail, type Play, results, use } from "./model.test-help.ts";
import { home, type Options, start } from "./runtime.test-help.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const human = { actor: "human" };
const many = (answer: Answer): Answer[] => Array(200).fill(answer);
const decline = use("decline", { reason: "nothing new" });
const last = (world: Awaited<ReturnType<typeof born>>) => mail(world.asked.at(-1)!).at(-1);

async function born(play: Play, given: object = {}, options: Partial<Options> = {}) {
  const world = start({ play, ...options });
  await world.begin();
  await world.create(given);
  await world.pass(10_000);
  return world;
}
const edit = (world: Awaited<ReturnType<typeof born>>, text: string) =>
  world.settled(world.files().write(`${home}/agents/a1/GOAL.md`, text));

/** Looks at the world outside. */
const look = defineTool({
  name: "look",
  about: "-",
  guidance: "-",
  effect: "outside",
  repeatable: true,
  input: z.object({}),
  run: async () => "three posts",
});

describe("an agent without end", () => {
  test("that watches something outside is woken at every beat, over a crash, until it is stopped", async () => {
    const watch: Answer[] = Array.from({ length: 100 }, (_, n) => (n % 2 ? {} : use("look")));
    const world = await born({ coordinator: watch }, { mode: "infinite", cycle_seconds: 30 }, { tools: [look] });
    await world.pass(2 * minute);
    expect(world.state().cycle).toMatchObject({ number: 4 });
    await world.restart();
    await world.pass(minute);
    expect(world.state().cycle).toMatchObject({ number: 6 });
    await world.send("a1", { type: "agent.stop" }, human);
    const calls = world.asked.length;
    await world.pass(day);
    expect(world.asked).toHaveLength(calls);
    await world.send("a1", { type: "message.post", text: "go on" }, human);
    await world.pass(5 * minute);
    expect(world.state().agent?.status).toBe("active");
    expect(world.state().cycle!.number).toBeGreaterThan(10);
  });

  test("with nothing new makes one call a day and no event, and says what it spared", async () => {
    const world = await born({ coordinator: many(decline) }, { mode: "infinite" });
    await world.pass(day - hour);
    const { seq } = world.state();
    expect(world.asked).toHaveLength(1);
    expect((await world.events()).filter(({ type }) => type === "cycle.began")).toEqual([]);
    expect(skippedHeartbeats(world.state(), world.sim.time.now())).toBe(46);
    await world.pass(5 * day);
    expect(world.asked).toHaveLength(6);
    expect(world.state().seq - seq).toBeLessThan(5 * 10);
    // The conversation is what it was after the first turn.
    expect(world.asked.at(-1)!.lines.length).toBe(world.asked[1]!.lines.length);
  });

  test("sees at the next beat that people edited a file while everyone slept", async () => {
    for (const restAfterMs of [undefined, 60_000]) {
      const world = await born({ coordinator: many(decline) }, { mode: "infinite" }, { restAfterMs });
      await world.pass(3 * hour + 10 * minute);
      await edit(world, "Something else\n");
      await world.pass(minute);
      expect(world.asked).toHaveLength(1);
      await world.pass(20 * minute);
      expect(world.asked).toHaveLength(2);
      expect(last(world)).toMatch(
        /^Cycle 1\. Since the last one: file\.edited\. Edited by hand: GOAL\.md\. Of the cycles, 6 /,
      );
      await world.settled(world.runtime().stop());
    }
  });

  test("goes on with its rhythm after hours without a process: one cycle, not many", async () => {
    const world = await born(
      { coordinator: [use("look"), {}, ...many(decline)] },
      { mode: "infinite" },
      { tools: [look] },
    );
    world.sim.time.jump(5 * hour);
    await world.restart();
    await world.pass(minute);
    expect(world.state().cycle).toMatchObject({ number: 1 });
    expect(last(world)).toContain("9 were missed while nobody was there");
  });

  test("that works in every cycle does not grow without bound: its conversation is shortened again and again", async () => {
    const answer = (request: { lines: unknown[]; turns: number }): Answer => ({
      ...(request.turns % 2 ? use("look") : {}),
      tokens: request.lines.length * 1_000,
    });
    const play = { coordinator: Array(400).fill(answer) };
    const world = await born(play, { mode: "infinite", cycle_seconds: 60 }, { tools: [look], window: 30_000 });
    await world.pass(100 * minute);
    expect(world.state().cycle!.number).toBeGreaterThan(90);
    expect(Math.max(...world.asked.map(({ lines }) => lines.length))).toBeLessThan(40);
    expect((await world.events()).filter(({ type }) => type === "context.shortened").length).toBeGreaterThan(5);
  });

  test("cannot finish itself, and nothing is published", async () => {
    const world = await born({ coordinator: [use("finish", { summary: "done" })] }, { mode: "infinite" });
    expect(results(world.asked[1]!)[0]).toMatchObject({ outcome: "error" });
    expect(results(world.asked[1]!)[0]?.result).toMatch(/is an infinite agent.*the next cycle wakes you/);
    expect(world.state().agent?.status).toBe("active");
    expect(await world.settled(world.files().stat(`${home}/agents/a1/runs/r1/published`))).toBeNull();
  });
});

test("a heartbeat makes no call until something is new, also a file that people edited", async () => {
  const world = await born({ coordinator: [{}, ...many(decline)] });
  const schedule = { type: "heartbeat" as const, interval_seconds: 600 };
  await world.send("a1", { type: "trigger.create", schedule, action: { type: "wake_agent", text: "look" } }, human);
  await world.pass(3 * day);
  expect(world.asked).toHaveLength(1);
  await edit(world, "Something else\n");
  await world.pass(20 * minute);
  expect(world.asked).toHaveLength(2);
  await world.pass(day);
  expect(world.asked).toHaveLength(2);
  expect(world.state().triggers.get("t1")).toMatchObject({ fires: 1, saved: 3 * 144 });
});

test("a stop ends the workers' calls at once; a word of the human goes on with the conversation and the board's summary", async () => {
  const play: Play = {
    coordinator: [
      {
        calls: [
          { tool: "spawn_worker", input: { name: "Ann" } },
          { tool: "create_work_node", input: { task: "long work", worker: "Ann" } },
          { tool: "wait_for_nodes" },
        ],
      },
      { say: "I see." },
    ],
    ann: [{ seconds: 500 }],
  };
  const world = await born(play);
  await world.send("a1", { type: "agent.stop" }, human);
  await world.pass(10);
  expect(world.asked.find(({ participant }) => participant === "ann")?.outcome).toBe("aborted");
  await world.pass(day);
  await world.restart();
  await world.pass(day);
  expect(world.asked).toHaveLength(2);
  expect(world.state().nodes.get("n1-long-work")).toMatchObject({ status: "cancelled", reason: { code: "stopped" } });
  await world.send("a1", { type: "message.post", text: "and now?" }, human);
  await world.pass(minute);
  expect(world.asked.map((one) => `${one.participant} ${one.turns}`)).toEqual([
    "coordinator 1",
    "ann 1",
    "coordinator 2",
  ]);
  expect(mail(world.asked[2]!)).toEqual([
    "test the runtime",
    expect.stringContaining("- n1-long-work: was running by ann and is cancelled"),
    "and now?",
  ]);
  expect(results(world.asked[2]!)).toHaveLength(3);
  expect(world.state().run).toMatchObject({ id: "r1", status: "open" });
});

describe("a pause over a restart and into another day", () => {
  const question = (deadline_seconds?: number) =>
    use("ask_human", { question: "which?", default: "a", deadline_seconds });

  test("keeps an open question; it is answered then, and its asker goes on", async () => {
    const world = await born({ coordinator: [question()] });
    await world.send("a1", { type: "agent.pause" }, human);
    await world.restart();
    await world.pass(day);
    await world.send("a1", { type: "question.answer", answer: "b" }, human);
    await world.pass(hour);
    expect(world.asked).toHaveLength(1);
    await world.send("a1", { type: "agent.resume" }, human);
    await world.pass(minute);
    expect(last(world)).toBe("Answer to q1: b");
  });

  test("lets no deadline pass unseen: what was due is done when it goes on", async () => {
    const world = await born({ coordinator: [question(600)] });
    await world.send("a1", { type: "agent.pause" }, human);
    await world.restart("kill");
    await world.pass(day);
    expect(agentStatus(world.state())).toBe("paused");
    expect(world.state().questions.get("q1")?.status).toBe("open");
    await world.send("a1", { type: "agent.resume" }, human);
    await world.pass(minute);
    expect(last(world)).toBe("Answer to q1: a");
    expect(world.asked).toHaveLength(2);
  });

  test("keeps a wait, a call that is to be tried again, and the rhythm", async () => {
    const waiting = use("check_messages", { wait: true });
    const busy = { error: new BackendError("transient", "overloaded", 30_000) };
    const play: Play = {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "create_work_node", input: { task: "work" } },
          ],
        },
        waiting,
        ...many(decline),
      ],
      ann: [(_request, attempt) => (attempt === 1 ? busy : use("publish", { summary: "done" }))],
    };
    const world = await born(play, { mode: "infinite" }, { limits: { seconds_per_node: 100_000 } });
    const before = world.asked.length;
    await world.send("a1", { type: "agent.pause" }, human);
    await world.restart();
    await world.pass(day + hour);
    expect(world.asked).toHaveLength(before);
    await world.send("a1", { type: "agent.resume" }, human);
    await world.pass(hour);
    expect(world.state().nodes.get("n1-work")?.status).toBe("completed");
    expect(world.asked.slice(before).map(({ participant }) => participant)).toEqual([
      "ann",
      "coordinator",
      "coordinator",
    ]);
    expect(mail(world.asked.at(-1)!).at(-1)).toMatch(/^Cycle 1\. .*node\.completed/);
  });
});

describe("the next run", () => {
  test.each(["agent.stop", "run.finish"] as const)(
    "after %s has the memory and the soul, a new board and a new team",
    async (how) => {
      const calls = [
        { tool: "memory_write", input: { path: "MEMORY.md", content: "Chips are hot." } },
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "create_work_node", input: { task: "long work", worker: "Ann" } },
      ];
      const world = await born({
        coordinator: [(request) => (mail(request).includes("And cooling") ? {} : { calls })],
        ann: [use("ask_human", { question: "which?" })],
      });
      await edit(world, "Know chips\n");
      await world.send("a1", how === "run.finish" ? { type: how, summary: "s" } : { type: how }, human);
      const again = { type: "run.start", goal: "And cooling", budget: { usd: 1 } } as const;
      for (const repeated of [false, true])
        expect(await world.send("a1", again, { ...human, key: "again" })).toMatchObject({
          made: { run: "r2" },
          repeated,
        });
      await world.pass(minute);
      const state = world.state();
      expect(state.run).toMatchObject({ id: "r2", goal: "And cooling", status: "open" });
      expect([state.nodes.size, state.questions.size, state.participants.size]).toEqual([0, 0, 2]);
      expect(state.accounts.get("run")?.limit).toEqual({ usd: 1 });
      const asked = world.asked.at(-1)!;
      expect(mail(asked)).toEqual(["And cooling"]);
      const shown = JSON.stringify(asked);
      for (const text of ["Chips are hot.", "A careful colleague", "Know chips", "In this run: And cooling"])
        expect(shown).toContain(text);
      expect((await world.events()).find(({ type }) => type === "question.expired")?.data).toMatchObject({
        question: "q1",
      });
      await world.restart();
      expect(world.state().run?.id).toBe("r2");
    },
  );
});

test.each([
  ["skip", [], 3],
  ["once", ["look"], 2],
  ["all", ["look", "look", "look"], 0],
] as const)(
  "three days of sleep of the machine with %s: shown in one call, and the rest is recorded",
  async (missed, shown, lost) => {
    for (const process of ["lives on", "is started again"]) {
      const world = await born({});
      const schedule = { type: "scheduled" as const, cron: "0 9 * * *", zone: "America/New_York" };
      const action = { type: "wake_agent" as const, text: "look" };
      await world.send("a1", { type: "trigger.create", schedule, action, missed }, human);
      world.sim.time.jump(3 * day);
      if (process === "is started again") await world.restart();
      await world.pass(5 * minute);
      const late = (await world.events()).filter(({ type }) => type === "trigger.missed");
      const count = late.reduce((sum, { data }) => sum + (data as { count: number }).count, 0);
      expect(world.asked, process).toHaveLength(shown.length ? 2 : 1);
      expect(mail(world.asked.at(-1)!).slice(1), process).toEqual(shown);
      expect(count, process).toBe(lost);
    }
  },
);

test("an archived agent has nothing left that could wake it, over restarts", async () => {
  const world = await born(
    { coordinator: [use("ask_human", { question: "which?", deadline_seconds: 600 })] },
    { mode: "infinite" },
  );
  const schedule = { type: "scheduled" as const, cron: "0 * * * *" };
  await world.send("a1", { type: "trigger.create", schedule, action: { type: "wake_agent", text: "x" } }, human);
  await world.send("a1", { type: "agent.archive" }, human);
  await world.pass(day);
  await world.restart();
  const { seq } = world.state();
  await world.pass(3 * day);
  expect(world.asked).toHaveLength(1);
  expect(world.state().seq).toBe(seq);
  expect(world.state().run?.status).toBe("stopped");
  await expect(world.send("a1", { type: "run.start" }, human)).rejects.toMatchObject({ code: "wrong_state" });
});

test("a node that it is time for is done again by its worker, from its spec", async () => {
  const publish = use("publish", { summary: "counted" });
  const play: Play = {
    coordinator: [
      {
        calls: [
          { tool: "spawn_worker", input: { name: "Ann" } },
          { tool: "create_work_node", input: { task: "count" } },
        ],
      },
    ],
    ann: many(publish),
  };
  const world = await born(play);
  const schedule = { type: "heartbeat" as const, interval_seconds: 3_600 };
  await world.send("a1", { type: "trigger.create", schedule, action: { type: "run_node", node: "n1-count" } }, human);
  await world.pass(3 * hour + minute);
  expect([...world.state().nodes.values()].map(({ id, status, again }) => [id, status, again])).toEqual([
    ["n1-count", "completed", undefined],
    ["n2-count", "completed", "n1-count"],
    ["n3-count", "completed", "n1-count"],
    ["n4-count", "completed", "n1-count"],
  ]);
  expect(
    String(await world.settled(world.files().read(`${home}/agents/a1/runs/r1/nodes/n4-count/_spec.md`))),
  ).toContain("count");
});

describe("triggers of the config", () => {
  const daily = {
    name: "daily",
    agent: "a1",
    type: "scheduled" as const,
    config: { cron: "0 9 * * *", zone: "Europe/Berlin" },
    action: "Good morning",
    missed: "once" as const,
  };
  const others = { ...daily, name: "others", agent: "b1" };
  const all = { ...daily, name: "all", agent: "*", type: "heartbeat" as const, config: { interval_seconds: 1 } };

  test("are set at the first start, once over all starts, each for its agent; what is wrong is a notice", async () => {
    const triggers = [daily, others, all];
    const world = await born({}, {}, { triggers });
    const set = () => [...world.state().triggers.values()].map(({ id, key, status }) => `${id} ${key} ${status}`);
    expect(set()).toEqual(["t1 config:daily active"]);
    expect(world.notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the trigger all of the config: every 1 s is too often/),
    ]);
    await world.restart();
    await world.pass(minute);
    expect(set()).toEqual(["t1 config:daily active"]);
    await world.pass(day);
    expect(last(world)).toBe("Good morning");
    triggers.splice(0, 1, { ...daily, action: "Good day" });
    await world.restart();
    await world.pass(minute);
    expect(set()).toEqual(["t1 config:daily cancelled", "t2 config:daily active"]);
    triggers.splice(0, 1);
    await world.restart();
    await world.pass(minute);
    expect(set()).toEqual(["t1 config:daily cancelled", "t2 config:daily cancelled"]);
    triggers.push({ ...daily, action: "Good day" });
    await world.restart();
    await world.pass(minute);
    expect(set().at(-1)).toBe("t3 config:daily active");
  });
});
