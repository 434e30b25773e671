import { expect, test } from "vitest";
import { BackendError } from "../backend/backend.ts";
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

test("a parked coordinator does nothing at all for an hour", async () => {
  const parked = {
    calls: [
      { tool: "spawn_worker", input: { name: "Ann" } },
      { tool: "create_work_node", input: { task: "t" } },
      { tool: "wait_for_nodes" },
    ],
  };
  const play = { coordinator: [parked], ann: [use("ask_human", { question: "which?" })] };
  const world = start({ play, limits: { seconds_per_node: 100_000 } });
  await world.begin();
  await world.create();
  await world.pass(10_000);
  const { steps } = world.sim.time;
  await world.pass(hour);
  expect(world.asked.map(({ participant }) => participant)).toEqual(["coordinator", "ann"]);
  expect(world.sim.time.steps).toBe(steps);
});

test("an open question costs no call; its answer makes one", async () => {
  const world = start({ play: { coordinator: [use("ask_human", { question: "red or blue?" })] } });
  await world.begin();
  await world.create();
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  await world.send("a1", { type: "question.answer", answer: "blue" }, { actor: "human" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(mail(world.asked[1]!)).toContain("Answer to q1: blue");
});

test("whoever waits with a deadline is called once when it comes", async () => {
  const wait = { tool: "wait_for_nodes", input: { timeout_seconds: 1_000 } };
  const ann = { tool: "spawn_worker", input: { name: "Ann" } };
  const world = start({
    play: {
      coordinator: [{ calls: [ann, { tool: "create_work_node", input: { task: "t" } }, wait] }],
      ann: [use("ask_human", { question: "which?" })],
    },
    limits: { seconds_per_node: 100_000 },
  });
  await world.begin();
  await world.create();
  const calls = () => world.asked.filter(({ participant }) => participant === "coordinator");
  await world.until(() => calls().length === 2);
  const [first, second] = calls();
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000_000);
  expect(second!.at - first!.at).toBeLessThan(1_000_100);
  await world.pass(hour);
  expect(calls()).toHaveLength(2);
  expect(mail(second!)).toContain("the wait timed out");
});

test("who waits for several nodes hears at once that one failed, and then waits on", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "spawn_worker", input: { name: "Bea" } },
            { tool: "create_work_node", input: { task: "one", worker: "Ann" } },
            { tool: "create_work_node", input: { task: "two", worker: "Bea" } },
            { tool: "wait_for_nodes" },
          ],
        },
      ],
      ann: [{ seconds: 10, error: new BackendError("permanent", "no such model") }],
      bea: [{ seconds: 300, ...use("publish", { summary: "done" }) }],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const turns = world.asked.filter((one) => one.participant === "coordinator");
  expect(turns.map((one) => Math.round((one.at - turns[0]!.at) / 1_000))).toEqual([0, 10, 300]);
  expect(mail(turns[1]!).at(-1)).toMatch(/^n1-one failed: no such model/);
  expect(world.state().nodes.get("n2-two")?.status).toBe("completed");
});

test("for a node that does not move there is a chain of reasons, as data", async () => {
  const ask = use("ask_human", { question: "which?" });
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "create_work_node", input: { task: "one" } },
            { tool: "create_work_node", input: { task: "two", depends_on: ["n1"] } },
          ],
        },
      ],
      ann: [ask],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const reading = await world.settled(world.runtime().reading("a1"));
  expect(await world.settled(reading.why("n2-two"))).toMatchObject([
    { what: "n2-two", code: "depends_on" },
    { what: "q1", code: "question", next_mover: "human", since: expect.any(String) },
  ]);
});

test("who waits for a node that nobody can do is told at once", async () => {
  const parked = { calls: [{ tool: "create_work_node", input: { task: "t" } }, { tool: "wait_for_nodes" }] };
  const world = start({ play: { coordinator: [parked] } });
  await world.begin();
  await world.create();
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(mail(world.asked[1]!).at(-1)).toMatch(
    /^Nobody can continue: Coordinator waits for n1-t \(n1-t has no worker: this run has none\)\./,
  );
});

test("who waits for nodes hears whoever writes at once, and then waits on", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "spawn_worker", input: { name: "Bea" } },
            { tool: "create_work_node", input: { task: "long", worker: "ann" } },
            { tool: "wait_for_nodes" },
          ],
        },
        { say: "yes, human" },
      ],
      ann: [{ seconds: 100, ...use("publish", { summary: "made" }) }],
      bea: [use("send_message", { to: "coordinator", content: "I am bored" })],
    },
  });
  const calls = () => world.asked.filter((one) => one.participant === "coordinator");
  await world.begin();
  await world.create();
  await world.pass(1_000);
  await world.send("a1", post("wake up, Bea", "bea"), { actor: "human" });
  await world.pass(10_000);
  expect(calls()).toHaveLength(2);
  expect(mail(calls()[1]!).at(-1)).toBe("I am bored");
  expect(world.state().participants.get("coordinator")).toMatchObject({ wait: { for: "nodes" } });

  await world.send("a1", post("how is it going?"), { actor: "human" });
  await world.pass(10_000);
  expect(calls()).toHaveLength(3);
  expect(mail(calls()[2]!).at(-1)).toBe("how is it going?");
  expect(world.state().participants.get("coordinator")).toMatchObject({ wait: { for: "nodes" } });

  await world.pass(200_000);
  expect(calls()).toHaveLength(4);
  expect(mail(calls()[3]!).at(-1)).toBe("n1-long completed, claimed: made");
  await world.pass(hour);
  expect(calls()).toHaveLength(4);
  expectNews(world.asked);
});

test("who waits for nodes hears the reminder that was set for it, and then waits on", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "create_work_node", input: { task: "work" } },
            { tool: "schedule", input: { type: "delayed", config: { delay_seconds: 60 }, action: "See how Ann is." } },
            { tool: "wait_for_nodes" },
          ],
        },
        {},
      ],
      ann: [{ seconds: 300, ...use("publish", { summary: "done" }) }],
    },
  });
  await world.begin();
  const begun = world.sim.time.now();
  await world.create();
  await world.pass(hour);
  const [, reminded, ended] = world.asked.filter((one) => one.participant === "coordinator");
  expect(mail(reminded!).at(-1)).toBe("See how Ann is.");
  expect(Math.round((reminded!.at - begun) / 1000)).toBe(60);
  expect(mail(ended!).at(-1)).toBe("n1-work completed, claimed: done");
  expect(world.asked).toHaveLength(4);
});

test("a worker that asks a colleague and says that it waits keeps its node until the answer is there", async () => {
  const call = (tool: string, input: unknown = {}) => ({ tool, input });
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            call("spawn_worker", { name: "Ann" }),
            call("spawn_worker", { name: "Dan" }),
            call("create_work_node", { task: "ask Dan", worker: "Ann" }),
            call("wait_for_nodes"),
          ],
        },
        use("finish", { summary: "done" }),
      ],
      ann: [
        use("send_message", { to: "Dan", content: "Which colour?" }),
        { say: "I asked Dan and wait for the answer." },
        { say: "I cannot go on before Dan has answered." },
        { calls: [call("write_file", { path: "colour.md", content: "blue" }), call("publish", { summary: "blue" })] },
      ],
      dan: [{ ...use("send_message", { to: "Ann", content: "Blue." }), seconds: 90 }],
    },
  });
  await world.begin();
  await world.create();
  await world.until(() => world.state().agent?.status === "completed");
  const types = (await world.events()).map(({ type }) => type);
  expect(types).not.toContain("node.failed");
  expect(types.filter((type) => /^worker\.(nudged|parked|unparked)$/.test(type))).toEqual([
    "worker.nudged",
    "worker.parked",
  ]);
  expect(mail(world.asked.filter(({ participant }) => participant === "ann").at(-1)!).at(-1)).toContain("Blue.");
});
