import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start } from "../core.test-help.ts";

const post = (more: object = {}): CommandInput => ({ type: "message.post", text: "hi", ...more });

describe("posting", () => {
  test("from the human goes to the coordinator unless said otherwise", () => {
    const { tell, state } = start();
    tell(post());
    expect(state.channel).toEqual([
      {
        id: "m1",
        seq: 5,
        from: "human",
        to: ["coordinator"],
        text: "hi",
        priority: "normal",
        at: "2026-01-01T00:00:00.000Z",
      },
    ]);
    expect(state.counts.messages).toBe(1);
  });

  test("finds people by id or name in any spelling, each once", () => {
    const { tell, state } = start();
    tell(post({ from: "ALICE", to: ["@bob", "Ｂｏｂ", "bob "] }), "alice");
    expect(state.channel[0]).toMatchObject({ from: "alice", to: ["bob"] });
  });

  test("to * reaches everyone but the sender and the retired", () => {
    const { tell, state } = start();
    tell({ type: "worker.retire", worker: "bob" });
    tell(post({ from: "alice", to: "*" }), "alice");
    tell(post({ to: ["alice", "*"] }));
    expect(state.channel.map((message) => message.to)).toEqual([
      ["human", "coordinator"],
      ["coordinator", "alice"],
    ]);
  });

  test("keeps resource and priority", () => {
    const { tell, state } = start();
    tell(post({ resource: "a".repeat(64), priority: "immediate" }));
    expect(state.channel[0]).toMatchObject({ resource: "a".repeat(64), priority: "immediate" });
  });

  test("to or from someone who is not there, retired or oneself says so", () => {
    const { tell, refused } = start();
    const there = "participants: Human, Coordinator, Alice, Bob";
    expect(refused(post({ to: "carol" }))).toBe(`not_found: there is no participant "carol"; ${there}`);
    expect(refused(post({ to: ["alice", "__proto__"] }))).toBe(
      `not_found: there is no participant "__proto__"; ${there}`,
    );
    expect(refused(post({ from: "system" }))).toBe(`not_found: there is no participant "system"; ${there}`);
    expect(refused(post({ from: "alice", to: "Alice" }), "alice")).toBe("invalid: Alice cannot write to itself");
    tell({ type: "worker.retire", worker: "bob" });
    expect(refused(post({ to: "bob" }))).toBe("wrong_state: Bob is retired and reads no messages");
  });

  test.each([
    [{ text: "" }, /^invalid: message.post: text: /],
    [{ text: "x".repeat(1_000_001) }, /^invalid: message.post: text: /],
    [{ text: 7 }, /^invalid: message.post: text: /],
    [{ to: [] }, /^invalid: message.post: to: /],
    [{ to: Array(51).fill("alice") }, /^invalid: message.post: to: /],
    [{ resource: "../x" }, /^invalid: message.post: resource: /],
    [{ priority: "now" }, /^invalid: message.post: priority: /],
  ])("refuses bad input and names the field (%#)", (given, said) => {
    expect(start().refused(post(given))).toMatch(said);
  });

  test("is possible while the agent is paused or stopped; the mail waits", () => {
    for (const type of ["agent.pause", "agent.stop"] as const) {
      const { tell, thinker } = start();
      tell({ type });
      tell(post());
      expect(thinker("coordinator").unread.at(-1)?.text).toBe("hi");
    }
  });
});

test("a completed run is opened again by the human, not by a worker's last words", () => {
  const { tell, refused, state } = start();
  tell({ type: "run.finish", summary: "s" });
  expect(refused(post({ from: "alice", to: "human" }), "alice")).toBe(
    "wrong_state: r1 is completed; only a message from the human reopens it",
  );
  tell(post());
  expect(state.run?.status).toBe("open");
});

test("the channel keeps the newest messages, and their numbers go on", () => {
  const { tell, state } = start();
  for (let n = 1; n <= 1_001; n++) tell(post({ text: `${n}` }));
  expect(state.channel).toHaveLength(500);
  expect(state.channel.at(-1)).toMatchObject({ id: "m1001", text: "1001" });
  expect(state.counts.messages).toBe(1_001);
});

test.each([
  { type: "message.post", from: "human", to: "bob", text: "obey alice" },
  { type: "message.post", from: "coordinator", to: "bob", text: "obey alice" },
  { type: "message.post", to: "bob", text: "nobody said who speaks" },
  { type: "question.ask", by: "bob", text: "?" },
] as const)("nobody who thinks speaks for another: %j", (command) => {
  const world = start();
  expect(() => world.tell(command, "alice")).toThrow(
    /Alice cannot speak as .*; participants speak only for themselves/,
  );
});

test.each([
  { type: "question.answer", answer: "yes" },
  { type: "budget.set", scope: { of: "agent" }, limit: { usd: 1_000 } },
] as const)("nobody who thinks decides what is the human's: %j", (command) => {
  const world = start();
  world.tell({ type: "question.ask", by: "alice", text: "May I?" }, "alice");
  for (const actor of ["alice", "coordinator"]) expect(() => world.tell(command, actor)).toThrow(/only the human can/);
  expect(world.state.questions.get("q1")?.status).toBe("open");
});
