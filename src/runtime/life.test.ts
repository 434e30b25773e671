import { expect, test } from "vitest";
import { z } from "zod";
import { noFaults } from "../../sim/faults.ts";
import { defineTool } from "../toolkit/tool.ts";
import { mail, type Play, results, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;

const post = (text: string, to = "coordinator") => ({ type: "message.post" as const, text, to });

async function created(play: Play, options: Parameters<typeof start>[0] = {}) {
  const world = start({ play, ...options });
  await world.begin();
  await world.create();
  return world;
}

test("pausing lets the turn under way come to its end and starts no other", async () => {
  const world = await created({ coordinator: [{ seconds: 10, ...use("write_plan", { content: "p" }) }] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.pause" });
  await world.pass(hour);
  expect(world.asked.map((one) => one.outcome)).toEqual(["answered"]);
  expect(world.state().run).toMatchObject({ plan: "p" });
  expect(world.state().agent).toMatchObject({ status: "paused", reason: { code: "human" } });
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
});

test("a paused agent is still paused after a restart, and can then be resumed", async () => {
  const world = await created({ coordinator: [{ seconds: 10, ...use("write_plan", { content: "p" }) }] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.pause" });
  await world.pass(60_000);
  await world.restart();
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  expect(world.state().agent?.status).toBe("paused");
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked.map((one) => one.turns)).toEqual([1, 2]);
});

test("an agent that was paused and died in the middle of a turn takes it up when it is resumed, not before", async () => {
  const world = await created({ coordinator: [{ seconds: 100 }] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.pause" });
  await world.restart();
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked.map((one) => one.turns)).toEqual([1, 1]);
});

test("stopping ends the call under way at once; resuming goes on with the same mail", async () => {
  const world = await created({ coordinator: [{ seconds: 10_000 }] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.stop" });
  await world.pass(10);
  expect(world.asked.map((one) => one.outcome)).toEqual(["aborted"]);
  await world.pass(hour);
  await world.restart();
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  expect(world.state().agent?.status).toBe("stopped");
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked.map(mail)).toEqual([
    ["test the runtime"],
    ["test the runtime", expect.stringMatching(/^You were stopped\./)],
  ]);
});

test("stopping in the middle of a tool ends it; resuming tells the model what is not known and goes on", async () => {
  let aborted = 0;
  const stuck = defineTool({
    name: "stuck",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted++;
          reject(signal.reason);
        });
      }),
  });
  const world = await created({ coordinator: [{ calls: [{ tool: "stuck" }, { tool: "stuck" }] }] }, { tools: [stuck] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.stop" });
  await world.pass(1_000);
  expect(aborted).toBe(1);
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(results(world.asked[1]!).map((one) => one.outcome)).toEqual(["unknown", "error"]);
});

test("an archived agent takes no command, makes no call and stays so", async () => {
  const world = await created({ coordinator: [{ seconds: 10_000 }] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.archive" });
  await world.pass(10);
  expect(world.asked.map((one) => one.outcome)).toEqual(["aborted"]);
  for (let life = 0; life < 2; life++) {
    await expect(world.send("a1", post("hello"))).rejects.toMatchObject({ code: "wrong_state" });
    await expect(world.send("a1", { type: "agent.resume" })).rejects.toMatchObject({ code: "wrong_state" });
    await world.pass(hour);
    expect(world.asked).toHaveLength(1);
    expect(world.notices).toEqual([]);
    await world.restart();
  }
  expect(await world.settled(world.runtime().read("a1", (state) => state.agent?.status))).toBe("archived");
});

test("a second run begins anew, with its own people, folder and keys", async () => {
  const turn = {
    calls: [
      { tool: "send_message", input: { to: "human", content: "hi" } },
      { tool: "write_file", input: { path: "a", content: "A" } },
    ],
  };
  const world = await created({ coordinator: [turn, use("finish", { summary: "done" })] });
  await world.pass(hour);
  await expect(world.send("a1", { type: "run.plan", plan: "x" })).rejects.toMatchObject({ code: "wrong_state" });
  const { made } = await world.send("a1", { type: "run.start", goal: "again" });
  expect(made.run).toBe("r2");
  await world.pass(hour);
  expect(world.asked.map((one) => [one.turns, mail(one)])).toEqual([
    [1, ["test the runtime"]],
    [2, ["test the runtime"]],
    [1, ["again"]],
    [2, ["again"]],
  ]);
  expect(world.state().past.map((run) => run.id)).toEqual(["r1"]);
  const posted = (await world.events()).filter((event) => event.type === "message.posted");
  expect(posted.map((event) => [event.run, event.data.message])).toEqual([
    ["r1", "m1"],
    ["r2", "m2"],
  ]);
  for (const run of ["r1", "r2"])
    expect(String(world.sim.disk.peek(`/home/agents/a1/runs/${run}/published/a`))).toBe("A");
  expect(world.state().agent?.status).toBe("completed");
});

test("a message to a completed agent opens the same run again", async () => {
  const world = await created({ coordinator: [use("finish", { summary: "done" }), { say: "you are welcome" }] });
  await world.pass(hour);
  expect(world.state().agent?.status).toBe("completed");
  await world.send("a1", post("thank you"));
  await world.pass(hour);
  expect(world.state().run).toMatchObject({ id: "r1", status: "open" });
  expect(mail(world.asked.at(-1)!)).toEqual(["test the runtime", "thank you"]);
  expect(world.asked.at(-1)!.turns).toBe(2);
});

test("a log that is damaged in the middle quarantines its agent and no other", async () => {
  const world = await created({});
  await world.create({ name: "b1" });
  for (let n = 0; n < 5; n++) await world.send("a1", post(`${n}`));
  await world.pass(1_000);
  const path = "/home/agents/a1/events.jsonl";
  const text = String(world.sim.disk.peek(path));
  const damaged = text.replace("test the runtime", "best the runtime");
  world.sim.disk.edit(path, damaged);
  world.asked.length = 0;
  await world.restart();

  expect(world.runtime().fault("a1")).toMatchObject({ code: "log_corrupt", details: { offset: 0 } });
  expect(world.notices).toMatchObject([{ code: "log_corrupt", message: expect.stringContaining(path) }]);
  await expect(world.send("a1", post("hello"))).rejects.toMatchObject({ code: "log_corrupt" });
  await expect(world.settled(world.runtime().read("a1", () => 1))).rejects.toMatchObject({ code: "log_corrupt" });
  await expect(world.settled(world.runtime().follow("a1", 0).next())).rejects.toMatchObject({ code: "log_corrupt" });
  await world.send("b1", post("hello"));
  await world.pass(hour);
  expect(world.asked.map((one) => mail(one).at(-1))).toEqual(["hello"]);
  expect(String(world.sim.disk.peek(path))).toBe(damaged);
  expect(world.runtime().agents()).toEqual(["a1", "b1"]);
  // Its name is not given to another.
  expect(await world.create({ name: "a1" })).toBe("a1-2");
});

test("one agent whose backend hangs or fails does not hold up another", async () => {
  let hung = 0;
  const backend = {
    worst: () => ({ usd: 0, tokens: 0 }),
    async *call({ model }: { model: string }) {
      if (model === "hangs") {
        hung++;
        await new Promise(() => undefined);
      }
      if (model === "throws") throw new Error("boom");
      yield { type: "end" as const, cost: { usd: 0, tokens: 0 } };
    },
  };
  const world = start({ backend });
  await world.begin();
  for (const model of ["hangs", "throws", "works"]) await world.create({ name: model, model });
  await world.send("works", post("hello"));
  await world.pass(hour);
  expect(hung).toBe(1);
  expect(world.state("throws").agent).toMatchObject({ status: "paused", reason: { code: "fault" } });
  expect(world.state("works").participants.get("coordinator")).toMatchObject({ turns: 2, turn: undefined });
});

test("an agent is found under a free id: the name, then the name with a number", async () => {
  const world = start({ play: {} });
  await world.begin();
  expect(await world.create({ name: "AI Chips!" })).toBe("ai-chips");
  expect(await world.create({ name: "ai chips" })).toBe("ai-chips-2");
  expect(await world.create({ name: "ai chips" })).toBe("ai-chips-3");
  expect(await world.create({ name: "../../etc" })).toBe("etc");
  await world.restart();
  expect(await world.create({ name: "ai chips" })).toBe("ai-chips-4");
});

test("agents that are created at once get ids of their own", async () => {
  const world = start({ play: {} });
  await world.begin();
  const wish = { goal: "go", name: "a1", model: "m" };
  const ids = await world.settled(Promise.all([1, 2, 3].map(() => world.runtime().create(wish))));
  expect(ids.sort()).toEqual(["a1", "a1-2", "a1-3"]);
});

test("agents that are created at once with keys of their own get ids of their own, and each key leads to its own", async () => {
  const world = start({ play: {} });
  await world.begin();
  const wish = { goal: "go", name: "a1", model: "m" };
  const make = () => Promise.all(["k1", "k2", "k3"].map((key) => world.runtime().create(wish, { key })));
  const ids = await world.settled(make());
  expect([...ids].sort()).toEqual(["a1", "a1-2", "a1-3"]);
  await world.restart();
  expect(await world.settled(make())).toEqual(ids);
});

test("creating with the same key again gives the same agent, in this life and the next", async () => {
  const world = start({ play: {} });
  await world.begin();
  expect(await world.create({}, { key: "k" })).toBe("a1");
  expect(await world.create({}, { key: "k" })).toBe("a1");
  await world.restart();
  expect(await world.create({}, { key: "k" })).toBe("a1");
  expect(world.runtime().agents()).toEqual(["a1"]);
  expect(await world.create({}, { key: "k2" })).toBe("a1-2");
});

test.each([undefined, 1_000])(
  "a key that created one agent is refused for another, in this life and the next (at rest after %s)",
  async (restAfterMs) => {
    const world = start({ play: {}, ...(restAfterMs === undefined ? {} : { restAfterMs }) });
    await world.begin();
    expect(await world.create({}, { key: "k" })).toBe("a1");
    await world.pass(10_000);
    const other = { goal: "something else", name: "a2" };
    const refused = async (given: object) =>
      await expect(world.create(given, { key: "k" })).rejects.toMatchObject({ code: "key_reused" });
    await refused(other);
    await refused({ budget: { usd: 1 } });
    await world.restart();
    await world.pass(10_000);
    expect(world.runtime().opened("a1") === undefined).toBe(restAfterMs !== undefined);
    await refused(other);
    await refused({ budget: { usd: 1 } });
    expect(await world.create({}, { key: "k" })).toBe("a1");
    expect(world.runtime().agents()).toEqual(["a1"]);
  },
);

test("an agent that is created with a key in a process that dies anywhere is there once, whatever others create before it is asked for again", async () => {
  for (let steps = 0; steps < 60; steps += 2) {
    const world = start({ play: {}, seed: steps });
    await world.begin();
    void world.runtime().create({ goal: "go", name: "a1", model: "m" }, { key: "k" });
    await world.sim.time.run({ steps });
    await world.restart(steps % 4 ? "kill" : "power");
    const there = world.runtime().agents().length;
    const other = await world.create({ goal: "go", name: "a1", model: "m" });
    const mine = await world.create({ goal: "go", name: "a1", model: "m" }, { key: "k" });
    expect(mine).not.toBe(other);
    expect(await world.create({ goal: "go", name: "a1", model: "m" }, { key: "k" })).toBe(mine);
    expect(world.runtime().agents()).toHaveLength(2);
    if (there) expect(mine).toBe("a1");
  }
});

test("creating twice at once with the same key gives one agent; who is too early is told to ask again", async () => {
  const world = start({ play: {} });
  await world.begin();
  const wish = { goal: "go", name: "a1", model: "m" };
  const both = [1, 2].map(() => world.runtime().create(wish, { key: "k" }));
  const ended = await world.settled(Promise.allSettled(both));
  expect(ended).toMatchObject([
    { status: "fulfilled", value: "a1" },
    { status: "rejected", reason: { code: "conflict" } },
  ]);
  expect(world.runtime().agents()).toEqual(["a1"]);
  expect(await world.create(wish, { key: "k" })).toBe("a1");
});

test("whoever asks again at once, twice, for an agent that rests is given it both times", async () => {
  const world = start({ play: {}, restAfterMs: 1_000 });
  await world.begin();
  const wish = { goal: "go", name: "a1", model: "m" };
  await world.create(wish, { key: "k" });
  await world.pass(10_000);
  expect(world.runtime().opened("a1")).toBeUndefined();
  const both = [1, 2].map(() => world.runtime().create(wish, { key: "k" }));
  expect(await world.settled(Promise.all(both))).toEqual(["a1", "a1"]);
});

test("an agent that is asked for while it is created is not there yet, and is created all the same", async () => {
  for (let steps = 0; steps < 20; steps++) {
    const world = start({ play: {} });
    await world.begin();
    const making = world.runtime().create({ goal: "go", name: "a1", model: "m" });
    await world.sim.time.run({ steps });
    const read = world.runtime().read("a1", (state) => state.agent?.goal);
    const seen = await world.settled(read.catch((problem) => problem.code));
    expect(["not_found", "go"]).toContain(seen ?? "not_found");
    expect(await world.settled(making)).toBe("a1");
    expect(world.notices).toEqual([]);
  }
});

test("whoever follows an agent that is to be opened again hears of it when its log turns out to be damaged", async () => {
  const world = await created({});
  const path = "/home/agents/a1/events.jsonl";
  const following = (async () => {
    for await (const _ of world.runtime().follow("a1", 0));
  })();
  const heard = following.catch((problem) => problem.code);
  await world.pass(1_000);
  world.sim.disk.storm({ ...noFaults, quota: 0 });
  await expect(world.send("a1", post("hello"))).rejects.toMatchObject({ code: "storage_failed" });
  world.sim.disk.edit(path, String(world.sim.disk.peek(path)).replace("test the runtime", "best the runtime"));
  world.sim.disk.storm(noFaults);
  expect(await world.settled(heard)).toBe("log_corrupt");
});

test("an agent that was refused is not there, and its name and key stay free", async () => {
  const world = start({ play: {} });
  await world.begin();
  await expect(world.create({ goal: "" }, { key: "k" })).rejects.toMatchObject({ code: "invalid" });
  expect(world.runtime().agents()).toEqual([]);
  expect(world.runtime().opened("a1")).toBeUndefined();
  await expect(world.send("a1", post("hello"))).rejects.toMatchObject({ code: "not_found" });
  expect(await world.create()).toBe("a1");
  expect(await world.create({}, { key: "k" })).toBe("a1-2");
  await world.pass(1_000);
  expect(world.asked).toHaveLength(2);
});

test("an agent that a full disk refused is created when there is room, by the same key and once", async () => {
  const world = start({ play: {} });
  await world.begin();
  for (const quota of [0, 300, 300]) {
    world.sim.disk.storm({ ...noFaults, quota });
    await expect(world.create({}, { key: "k" })).rejects.toMatchObject({ code: "storage_failed" });
    await world.pass(500);
  }
  world.sim.disk.storm(noFaults);
  await world.pass(60_000);
  expect(await world.create({}, { key: "k" })).toBe("a1");
  await world.pass(1_000);
  expect(world.runtime().agents()).toEqual(["a1"]);
  expect(world.asked).toHaveLength(1);
});

test("an agent that was created in a process that died is there whole, or its name is free", async () => {
  for (let steps = 0; steps < 60; steps += 2) {
    const world = start({ play: {}, seed: steps });
    await world.begin();
    void world.runtime().create({ goal: "go", name: "a1", model: "m" });
    await world.sim.time.run({ steps });
    await world.restart();
    const there = world.runtime().agents();
    expect(await world.create({ name: "a1" })).toBe(there.length ? "a1-2" : "a1");
    await world.pass(1_000);
    expect(world.notices).toEqual([]);
    for (const agent of world.runtime().agents())
      expect(String(world.sim.disk.peek(`/home/agents/${agent}/GOAL.md`))).toMatch(/^(go|test the runtime)\n$/);
  }
});

test("without a first run an agent waits for one", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create({ start: false });
  await world.pass(hour);
  expect(world.asked).toEqual([]);
  await expect(world.send("a1", post("hello"))).rejects.toMatchObject({ code: "wrong_state" });
  await world.send("a1", { type: "run.start" });
  await world.pass(1_000);
  expect(world.asked.map(mail)).toEqual([["test the runtime"]]);
});

test("a program that an earlier life left running is ended before anything else", async () => {
  const program = defineTool({
    name: "program",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    run: async (_input, { run }) => `exit ${(await run(["work"])).code}`,
  });
  const world = await created({ coordinator: [use("program")] }, { tools: [program] });
  await world.until(() => world.sim.processes.running().length === 1);
  await world.restart("kill");
  expect(world.sim.processes.running()).toEqual([]);
  await world.pass(hour);
  expect(results(world.asked[1]!)).toMatchObject([{ outcome: "unknown" }]);
});

test("a program ends with its agent", async () => {
  const program = defineTool({
    name: "program",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    run: async (_input, { run }) => `exit ${(await run(["work"])).code}`,
  });
  const world = await created({ coordinator: [use("program")] }, { tools: [program] });
  await world.until(() => world.sim.processes.running().length === 1);
  await world.send("a1", { type: "agent.stop" });
  await world.pass(3_000);
  expect(world.sim.processes.running()).toEqual([]);
});

test("a stopped runtime refuses everything and leaves its home to the next", async () => {
  const world = await created({});
  await world.pass(1_000);
  await world.settled(world.runtime().stop());
  await expect(world.send("a1", post("hello"))).rejects.toMatchObject({ code: "closed" });
  await expect(world.settled(world.runtime().read("a1", () => 1))).rejects.toMatchObject({ code: "closed" });
  await expect(world.create({ name: "b1" })).rejects.toMatchObject({ code: "closed" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  await world.restart("kill");
  await world.send("a1", post("hello"));
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
});

test("an agent that nobody needs is closed, and a command or its appointment opens it again", async () => {
  const world = start({
    restAfterMs: 10_000,
    script: { coordinator: [{ say: "hello" }, { say: "again" }, { say: "tick" }] },
  });
  await world.begin();
  await world.create();
  await world.pass(60_000);
  expect(world.runtime().opened("a1")).toBeUndefined();
  await world.send("a1", { type: "message.post", text: "are you there?" });
  await world.pass(5_000);
  expect(world.state().participants.get("coordinator")).toMatchObject({ turns: 2, unread: [] });
  const wake = { type: "wake_agent" as const, text: "it is time" };
  await world.send("a1", { type: "trigger.create", schedule: { type: "delayed", delay_seconds: 3_600 }, action: wake });
  await world.pass(600_000);
  expect(world.runtime().opened("a1")).toBeUndefined();
  await world.pass(3_005_000);
  expect(world.state().participants.get("coordinator")).toMatchObject({ turns: 3, unread: [] });
  await world.settled(world.runtime().stop());
});

test("an agent without work is closed again as soon as a start has looked at it, and still keeps its appointment", async () => {
  const world = start({ restAfterMs: 10_000, script: { coordinator: [{ say: "hello" }, { say: "tick" }] } });
  await world.begin();
  await world.create();
  const wake = { type: "wake_agent" as const, text: "it is time" };
  await world.send("a1", { type: "trigger.create", schedule: { type: "delayed", delay_seconds: 600 }, action: wake });
  await world.pass(5_000);
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.runtime().opened("a1")).toBeUndefined();
  await world.pass(600_000 - 5_000);
  expect(world.state().participants.get("coordinator")).toMatchObject({ turns: 2, unread: [] });
});

test("a call whose run is stopped while its start is being written is not run", async () => {
  const ran: string[] = [];
  const poke = defineTool({
    name: "poke",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    run: async (_input, { key }) => `call ${ran.push(key)}`,
  });
  const world = await created({ coordinator: [{ seconds: 1, ...use("poke") }] }, { tools: [poke] });
  const started = () => {
    const turn = world.state().participants.get("coordinator");
    return turn?.kind === "coordinator" && turn.turn?.status === "acting" && turn.turn.calls[0]?.status === "started";
  };
  await world.until(() => started());
  await world.send("a1", { type: "agent.stop" });
  await world.send("a1", { type: "run.start", goal: "another" });
  await world.pass(hour);
  expect(ran.map((key) => key.split("/").slice(0, 3).join("/"))).toEqual(["a1/r2/coordinator.1"]);
});

test("a tool that ends after the next run has started changes nothing in it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const refusals: unknown[] = [];
  const late = defineTool({
    name: "late",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    async run(_input, { dispatch }) {
      await promise;
      await Promise.resolve()
        .then(() => dispatch({ type: "run.plan", plan: "of the run before" }))
        .catch((error) => refusals.push(error));
      return "late";
    },
  });
  const world = await created({ coordinator: [use("late"), use("late")] }, { tools: [late] });
  await world.pass(5_000);
  await world.send("a1", { type: "agent.stop" });
  await world.send("a1", { type: "run.start", goal: "another" });
  await world.pass(5_000);
  resolve();
  await world.pass(hour);
  expect(refusals.map(String)).toEqual([expect.stringContaining("r1 of a1 is over; r2 has started")]);
  const calls = (await world.events()).filter(({ run, type }) => run === "r2" && type.startsWith("tool."));
  expect(calls.map(({ type }) => type)).toEqual(["tool.started", "tool.ended", "tool.started", "tool.ended"]);
});

test("a disk that is full for a while between two steps of a turn is not a fault: the turn goes on when there is space again", async () => {
  const long = `@ann ${"word ".repeat(300)}`;
  let refused = 0;
  const world = start({
    play: {
      coordinator: [use("spawn_worker", { name: "Ann" }), { say: long }],
      ann: [{ say: "read" }],
    },
    files: (files) => ({
      ...files,
      async write(path, content, ...rest) {
        if (refused < 2 && path.includes("/blobs/") && String(content).startsWith("@ann")) {
          refused++;
          throw Object.assign(new Error("no space"), { code: "ENOSPC" });
        }
        await files.write(path, content, ...rest);
      },
    }),
  });
  await world.begin();
  await world.create();
  await world.until(() => world.asked.some(({ participant }) => participant === "ann"));
  expect(refused).toBe(2);
  expect(world.notices.map(({ code }) => code)).toEqual(["storage_failed", "storage_failed"]);
  const events = await world.events();
  expect(events.filter(({ type }) => type === "turn.failed")).toEqual([]);
  expect(world.asked.filter(({ participant }) => participant === "coordinator")).toHaveLength(2);
});
