import { expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start } from "../core.test-help.ts";

const born = "2025-12-01T00:00:00.000Z";
const from = (seq: number, more: object = {}): CommandInput =>
  ({ type: "message.receive", from: "dan", born, seq, hops: 1, text: `hi ${seq}`, ...more }) as CommandInput;
const to = (agent: string, text = "hi"): CommandInput => ({
  type: "message.post",
  from: "coordinator",
  to: `agent:${agent}`,
  text,
});

test("a message from an agent is received once and in order, however often it is sent", () => {
  const { tell, all, restart } = start();
  for (const seq of [3, 3, 7, 3, 7]) tell(from(seq), "agent:dan");
  restart();
  for (const seq of [3, 7, 8]) tell(from(seq), "agent:dan");
  expect(all("message.posted").map(({ data }) => data.text)).toEqual(["hi 3", "hi 7", "hi 8"]);
  expect(all("message.posted")[0]).toMatchObject({
    actor: "agent:dan",
    data: { from: "agent:dan", to: ["coordinator"], mail: { hops: 1, origin: { born, seq: 3 } } },
  });
});

test("one that was received is known also when the agent would not take it any more", () => {
  const { tell, decide, refused } = start();
  tell(from(3), "agent:dan");
  tell({ type: "agent.stop" });
  expect(decide(from(3), "agent:dan")).toEqual([]);
  expect(refused(from(4), "agent:dan")).toMatch(/^wrong_state: chips is stopped and takes no messages from agents/);
  tell({ type: "agent.archive" });
  expect(decide(from(3), "agent:dan")).toEqual([]);
  expect(refused(from(4), "agent:dan")).toBe("wrong_state: chips is archived and takes no messages from agents");
});

test("an agent of the same name that was created later is another one", () => {
  const { tell, all } = start();
  tell(from(30), "agent:dan");
  tell(from(2, { born: "2026-01-01T00:00:00.000Z" }), "agent:dan");
  expect(all("message.posted")).toHaveLength(2);
});

test("no participant can pretend to be another agent, or that its message was delivered", () => {
  const { refused, tell } = start();
  tell(to("dan"), "coordinator");
  expect(refused(from(1), "coordinator")).toMatch(/^forbidden: .* only the runtime can$/);
  const reason = { code: "x", message: "x", next_mover: "human" };
  expect(refused({ type: "outbox.confirm", outgoing: "5/dan" }, "alice")).toMatch(/^forbidden/);
  expect(refused({ type: "outbox.refuse", outgoing: "5/dan", reason }, "alice")).toMatch(/^forbidden/);
});

test("nobody is called like an agent elsewhere", () => {
  const { refused } = start();
  for (const name of ["agent:dan", "Agent: Dan"])
    expect(refused({ type: "worker.spawn", name, role: "" })).toMatch(/^invalid: worker.spawn: name/);
});

test("who may write to agents: the lead, not its workers, not the human in its name, nobody to itself", () => {
  const { refused, tell, all } = start();
  expect(refused({ ...to("dan"), from: "alice" } as CommandInput, "alice")).toBe(
    "forbidden: only Coordinator writes to other agents; tell it what dan should know",
  );
  expect(refused({ ...to("dan"), from: "human" } as CommandInput)).toBe(
    "invalid: write to dan itself: it is an agent of yours",
  );
  expect(refused(to("chips"), "coordinator")).toBe("invalid: chips cannot write to itself");
  expect(refused(to("../x"), "coordinator")).toMatch(/^invalid: .* is not the address of an agent/);
  tell({ ...to("dan"), to: "@Agent:DAN, alice" } as CommandInput, "coordinator");
  expect(all("message.posted").at(-1)!.data).toMatchObject({ to: ["agent:dan", "alice"], mail: { hops: 1 } });
});

test("what is on its way is in the outbox until it is delivered or refused; then its writer is told", () => {
  const world = start();
  const { tell, thinker } = world;
  tell(to("dan"), "coordinator");
  tell(to("eve"), "coordinator");
  world.restart();
  const [first, second] = [...world.state.outbox.keys()];
  expect([first, second]).toEqual([`${world.log.length - 1}/dan`, `${world.log.length}/eve`]);
  tell({ type: "outbox.confirm", outgoing: first! }, "system");
  tell({ type: "outbox.confirm", outgoing: first! }, "system");
  expect(thinker("coordinator").unread).toHaveLength(1);
  const reason = { code: "not_found", message: "there is no agent eve", next_mover: "coordinator" };
  tell({ type: "outbox.refuse", outgoing: second!, reason }, "system");
  tell({ type: "outbox.refuse", outgoing: second!, reason }, "system");
  expect(thinker("coordinator").unread.at(-1)).toMatchObject({
    from: "system",
    text: "Your message m2 to agent:eve was not delivered: there is no agent eve.",
  });
  expect(thinker("coordinator").unread).toHaveLength(2);
});

test("at most a hundred messages wait for one agent", () => {
  const { tell, refused } = start({ messages_without_effect: 1_000 });
  for (let n = 0; n < 100; n++) tell(to("dan"), "coordinator");
  expect(refused(to("dan"), "coordinator")).toMatch(/^limit_reached: 100 messages wait for dan/);
  tell(to("eve"), "coordinator");
});

test("a chain of messages is as long as its longest, until a human speaks or a rhythm of theirs wakes the agent", () => {
  const { tell, all, refused } = start({ agent_hops: 5 });
  const hops = () => all("message.posted").at(-1)!.data.mail?.hops;
  tell(from(1, { hops: 4 }), "agent:dan");
  tell(from(2, { hops: 2 }), "agent:dan");
  tell(to("eve"), "coordinator");
  expect(hops()).toBe(5);
  tell(from(3, { hops: 5 }), "agent:dan");
  expect(refused(to("eve"), "coordinator")).toMatch(/^limit_reached: 5 messages went from agent to agent/);
  expect(all("message.limited")).toMatchObject([
    { data: { between: ["coordinator", "agent:dan"], count: 5, hops: true } },
  ]);
  tell({ type: "message.post", text: "go on" });
  tell(to("eve"), "coordinator");
  expect(hops()).toBe(1);
});

test("a trigger that an agent set for itself does not make its chain shorter; one that the human set does", () => {
  const world = start();
  const { tell, state } = world;
  const wakes = {
    schedule: { type: "delayed", delay_seconds: 60 },
    action: { type: "wake_agent", text: "x" },
  } as const;
  tell({ type: "trigger.create", ...wakes }, "coordinator");
  tell({ type: "trigger.create", ...wakes }, "human");
  tell(from(1, { hops: 4 }), "agent:dan");
  world.now += 60_000;
  tell({ type: "trigger.fire", trigger: "t1" }, "system");
  expect(state.hops.count).toBe(4);
  tell({ type: "trigger.fire", trigger: "t2" }, "system");
  expect(state.hops.count).toBe(0);
});

test("messages without progress are counted like those between participants; the other's progress counts too", () => {
  const { tell, refused, all } = start({ messages_without_effect: 4 });
  for (const seq of [1, 2, 3]) tell(from(seq), "agent:dan");
  tell(to("dan"), "coordinator");
  expect(all("message.limited")).toMatchObject([{ data: { between: ["agent:dan", "coordinator"], count: 4 } }]);
  expect(refused(to("dan"), "coordinator")).toMatch(/^limit_reached: you and agent:dan exchanged 4 messages/);
  tell(from(4, { fresh: true }), "agent:dan");
  tell(to("dan"), "coordinator");
});

test("where nobody leads, everybody writes and hears", () => {
  const { tell, all } = start();
  const team = {
    workers: [
      { name: "Rae", role: "" },
      { name: "Cody", role: "" },
    ],
    lead: false as const,
    nodes: [],
    stages: [],
  };
  tell({ type: "run.finish", summary: "s" });
  tell({ type: "run.start", team });
  tell(from(1), "agent:dan");
  expect(all("message.posted").at(-1)!.data.to).toEqual(["rae", "cody"]);
  tell({ ...to("dan"), from: "rae" } as CommandInput, "rae");
  expect(all("message.posted").at(-1)!.data).toMatchObject({ from: "rae", to: ["agent:dan"] });
});

test("what an agent that was moved to another home had not sent is dropped: its twin sends it", () => {
  const { tell, state } = start();
  tell(to("dan"), "coordinator");
  tell({ type: "agent.move", most: {}, reason: { code: "imported", message: "m", next_mover: "human" } });
  expect(state.outbox.size).toBe(0);
});
