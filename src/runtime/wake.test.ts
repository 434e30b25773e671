import fc from "fast-check";
import { expect, test } from "vitest";
import { appointments } from "../core/decide.ts";
import type { CommandInput } from "../schema/command.ts";
import { type Asked, mail, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;
const post = (text: string, to = "coordinator", from = "human") => ({ type: "message.post" as const, from, to, text });

/** Every call after a participant's first shows it something that the one before did not. */
function expectNews(asked: readonly Asked[]): void {
  const last = new Map<string, Asked>();
  for (const one of asked) {
    const before = last.get(one.participant);
    if (before) {
      const fresh = one.lines.slice(before.lines.length).filter((line) => line.role !== "assistant");
      expect(fresh, `${one.participant} turn ${one.turns} shows nothing new`).not.toEqual([]);
    }
    last.set(one.participant, one);
  }
}

test("nobody waits for a look at the clock: kickoff, tools, messages, last words, suggestions, answers and ends lead on at once", async () => {
  const call = (tool: string, input: unknown = {}) => ({ tool, input });
  const write = (n: number) => use("write_file", { path: `${n}.md`, content: `${n}` });
  const world = start({
    play: {
      coordinator: [
        ...[1, 2, 3, 4].map(write),
        { calls: [call("spawn_worker", { name: "Ann" }), call("create_work_node", { task: "work" })] },
        { say: "@Ann begin." },
        { say: "@Ann yes." },
        { say: "@Ann noted." },
        use("ask_human", { question: "done?" }),
        use("finish", { summary: "done" }),
      ],
      ann: [
        write(1),
        use("send_message", { to: "coordinator", content: "may I?" }),
        use("check_messages", { wait: true }),
        use("suggest_next", { suggestion: "more of it" }),
        use("check_messages", { wait: true }),
        use("publish", { summary: "made" }),
      ],
    },
  });
  await world.begin();
  const begun = world.sim.time.now();
  await world.create();
  await world.until(() => world.state().questions.size === 1);
  await world.send("a1", { type: "question.answer", answer: "yes" }, { actor: "human" });
  await world.until(() => world.state().agent?.status === "completed");
  // Some twenty calls and their syncs, in virtual time: any poll on the way would be seen.
  expect(world.asked.length).toBeGreaterThan(14);
  expect(world.sim.time.now() - begun).toBeLessThan(1_000);
});

test("a message that arrives during a call is shown in the next turn", async () => {
  const world = start({ play: { coordinator: [{ seconds: 10 }] } });
  await world.begin();
  await world.create();
  await world.pass(5_000);
  expect(world.asked).toHaveLength(1);
  await world.send("a1", post("one more thing"));
  expect(world.asked).toHaveLength(1);
  await world.pass(hour);
  expect(world.asked.map(mail)).toEqual([["test the runtime"], ["test the runtime", "one more thing"]]);
  expect(world.state().participants.get("coordinator")).toMatchObject({ unread: [] });
});

test("a message that arrives at any moment of a turn is shown exactly once, and never leads to a call without news", async () => {
  for (let steps = 0; steps < 60; steps++) {
    const world = start({ play: { coordinator: [use("write_file", { path: "a", content: "A" })] } });
    await world.begin();
    const created = world.runtime().create({ goal: "go", name: "a1", model: "m" });
    await world.until(() => world.runtime().opened("a1")?.live.state().agent != null);
    await world.sim.time.run({ steps });
    const sent = world.runtime().send("a1", post("hello"));
    await world.settled(Promise.all([created, sent]));
    await world.pass(1_000);
    const { length } = world.asked;
    await world.pass(hour);
    expect(world.asked, `after ${steps} steps`).toHaveLength(length);
    expect(mail(world.asked.at(-1)!), `after ${steps} steps`).toEqual(["go", "hello"]);
    expectNews(world.asked);
  }
});

test("a message that arrives in any microtask while the reader's loop comes to its end is not lost", async () => {
  let before = 0;
  let after = 0;
  for (let ticks = 0; ticks < 60; ticks++) {
    let sent: Promise<unknown> | undefined;
    const answer = () => {
      let later = Promise.resolve();
      for (let tick = 0; tick < ticks; tick++) later = later.then(() => undefined);
      sent = later.then(() => {
        const one = world.state().participants.get("coordinator");
        if (one && "turn" in one && one.turn) before++;
        else after++;
        return world.runtime().send("a1", post("hello"));
      });
      return {};
    };
    const world = start({ play: { coordinator: [{}, answer] } });
    await world.begin();
    await world.create();
    await world.pass(1_000);
    // From here on nothing else happens that could wake anybody.
    await world.send("a1", post("begin"));
    await world.settled(sent!);
    await world.pass(1_000);
    expect(
      world.asked.map((one) => mail(one).at(-1)),
      `after ${ticks} ticks`,
    ).toEqual(["test the runtime", "begin", "hello"]);
  }
  // It came while the turn was under way, and after it.
  expect(before).toBeGreaterThan(5);
  expect(after).toBeGreaterThan(5);
});

test("messages that arrive together are all shown, each once", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  await world.settled(Promise.all(["a", "b", "c"].map((text) => world.runtime().send("a1", post(text)))));
  await world.pass(1_000);
  expect(mail(world.asked.at(-1)!)).toEqual(["test the runtime", "a", "b", "c"]);
  expectNews(world.asked);
});

test("an idle agent does nothing at all for an hour", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create();
  await world.pass(10_000);
  const { steps } = world.sim.time;
  expect(await world.pass(hour)).toBe("time");
  expect(world.asked).toHaveLength(1);
  expect(world.sim.time.steps).toBe(steps);
});

test("nobody is woken by what they did themselves", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "send_message", input: { to: "*", content: "hello all" } },
            { tool: "write_plan", input: { content: "rest" } },
          ],
        },
        { say: "done" },
      ],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  expect(world.asked.map((one) => `${one.participant}.${one.turns}`).sort()).toEqual([
    "ann.1",
    "coordinator.1",
    "coordinator.2",
  ]);
  for (const one of world.asked.filter(({ participant }) => participant === "coordinator"))
    expect(mail(one)).toEqual(["test the runtime"]);
});

test("a worker that gives a node to itself is woken by it, and told of its end by nobody", async () => {
  const world = start({
    play: {
      coordinator: [use("spawn_worker", { name: "Ann" })],
      ann: [use("create_work_node", { task: "mine", worker: "ann" }), use("publish", { summary: "mine is done" })],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  await world.send("a1", post("do something", "ann"));
  await world.pass(hour);
  const ann = world.asked.filter((one) => one.participant === "ann");
  expect(ann.map((one) => mail(one).at(-1))).toEqual(["do something", "n1-mine: mine"]);
  expect(mail(world.asked.at(-1)!).at(-1)).toBe("n1-mine completed, claimed: mine is done");
});

test("a paused agent is not woken by mail, and has it when it goes on", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  await world.send("a1", { type: "agent.pause" });
  await world.send("a1", post("are you there?"));
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked.map(mail)).toEqual([["test the runtime"], ["test the runtime", "are you there?"]]);
});

test("a trigger wakes at its time, once, also when its time came while nobody was there", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create();
  const wake = { type: "wake_agent" as const, text: "it is time" };
  for (const delay_seconds of [1_000, 10_000])
    await world.send("a1", { type: "trigger.create", schedule: { type: "delayed", delay_seconds }, action: wake });
  await world.pass(999_000);
  expect(world.asked).toHaveLength(1);
  await world.pass(2_000);
  expect(world.asked.map((one) => mail(one).at(-1))).toEqual(["test the runtime", "it is time"]);
  await world.settled(world.runtime().stop());
  await world.pass(10_000_000);
  await world.restart("kill");
  await world.pass(hour);
  expect(world.asked).toHaveLength(3);
  const { steps } = world.sim.time;
  await world.pass(24 * hour);
  expect(world.sim.time.steps).toBe(steps);
});

test("a trigger on silence counts from the last word or turn, and its alarm wakes nobody before", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create();
  await world.send("a1", {
    type: "trigger.create",
    schedule: { type: "on_idle", idle_seconds: 600 },
    action: { type: "wake_agent", text: "so quiet" },
  });
  for (let n = 0; n < 5; n++) {
    await world.pass(500_000);
    await world.send("a1", post(`${n}`));
  }
  await world.pass(599_000);
  expect(world.asked).toHaveLength(6);
  await world.pass(2_000);
  expect(mail(world.asked.at(-1)!).at(-1)).toBe("so quiet");
});

test("who reconvenes has what was published in front of it, as data, until the stage is completed", async () => {
  const call = (tool: string, input: unknown = {}) => ({ tool, input });
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            call("spawn_worker", { name: "Ann" }),
            call("reconvene", { assessment: "we begin", next_stage: { name: "find" } }),
            call("create_work_node", { name: "one", task: "find it" }),
          ],
        },
        {},
        use("reconvene", { assessment: "good" }),
        {},
      ],
      ann: [
        use("write_file", { path: "found.md", content: "The treasure is in the cellar." }),
        use("publish", { summary: "found" }),
      ],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const shown = world.asked
    .filter(({ participant }) => participant === "coordinator")
    .map(({ data }) => data?.includes("The treasure is in the cellar.") === true);
  expect(shown[0]).toBe(false);
  expect(shown).toContain(true);
  expect([...world.state().stages.values()].map(({ status }) => status)).toEqual(["completed"]);
});

test("an agent that sets a trigger on silence in its turn is woken by it, from the end of that turn on", async () => {
  const onIdle = (idle_seconds: number) =>
    use("schedule", { type: "on_idle", config: { idle_seconds }, action: "look" });
  const world = start({ play: { coordinator: [onIdle(10), { say: "set", seconds: 25 }, { say: "looked" }] } });
  await world.begin();
  const begun = world.sim.time.now();
  await world.create();
  await world.pass(hour);
  const [fired] = (await world.events()).filter(({ type }) => type === "trigger.fired");
  // The second turn takes longer than the silence; it counts from where that turn ends.
  const after = Date.parse(fired!.ts) - begun;
  expect([after >= 35_000, after < 36_000]).toEqual([true, true]);
  expect(world.asked).toHaveLength(3);
});

test("whatever happens, the engine is told to wake the agent at its first appointment", async () => {
  const schedules = [
    { type: "delayed", delay_seconds: 40 },
    { type: "scheduled", cron: "*/5 * * * *" },
    { type: "heartbeat", interval_seconds: 60 },
    { type: "on_idle", idle_seconds: 15 },
    { type: "on_event", pattern: "message.sent" },
  ] as const;
  const action = { type: "wake_agent", text: "look" } as const;
  const commands: CommandInput[] = [
    ...schedules.map((schedule) => ({ type: "trigger.create" as const, schedule, action })),
    { type: "trigger.cancel", trigger: "t1" },
    { type: "message.post", text: "hello" },
    { type: "message.post", text: "hello", to: "ann" },
    { type: "node.create", task: "t" },
    { type: "question.ask", by: "coordinator", text: "well?", deadline_seconds: 30 },
    { type: "question.answer", answer: "yes" },
    { type: "agent.pause" },
    { type: "agent.resume" },
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(commands.length - 1), fc.constantFrom(0, 300, 7_000, 20_000)), { maxLength: 12 }),
      fc.constantFrom("finite" as const, "infinite" as const),
      async (steps, mode) => {
        const work = [{ say: "ok", seconds: 3 }, use("check_messages", { wait: true }), { say: "done", seconds: 12 }];
        const world = start({ play: { coordinator: Array(20).fill(work).flat(), ann: Array(20).fill(work).flat() } });
        await world.begin();
        await world.create({ mode, ...(mode === "infinite" ? { cycle_seconds: 90 } : {}) });
        await world.send("a1", { type: "worker.spawn", name: "Ann", kind: "harnessed" });
        for (const [which, ms] of steps) {
          await world.send("a1", commands[which]!, { actor: "human" }).catch(() => undefined);
          await world.pass(ms);
          const first = appointments(world.state())[0]?.at;
          // It may look in earlier, at the files; later it must not be.
          const due = first === undefined ? Number.POSITIVE_INFINITY : Date.parse(first);
          expect(world.alarm() ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(due);
        }
      },
    ),
    { numRuns: 25, seed: 14 },
  );
});
