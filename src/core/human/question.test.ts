import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start } from "../core.test-help.ts";
import { appointments } from "../decide.ts";

const ask = (by = "coordinator", more: object = {}): CommandInput => ({
  type: "question.ask",
  by,
  text: "Which?",
  ...more,
});
const answer = (question?: string): CommandInput => ({ type: "question.answer", question, answer: "this" });

describe("asking", () => {
  test("keeps what was asked, by whom and until when", () => {
    const { tell, state } = start();
    tell(ask("alice", { options: ["this", "that"], default: "that", deadline_seconds: 60 }), "alice");
    expect(state.questions.get("q1")).toEqual({
      id: "q1",
      seq: 5,
      by: "alice",
      text: "Which?",
      options: ["this", "that"],
      default: "that",
      deadline: "2026-01-01T00:01:00.000Z",
      status: "open",
      asked_at: "2026-01-01T00:00:00.000Z",
    });
  });

  test("is for those who take turns, in an open run", () => {
    const { tell, refused } = start();
    expect(refused(ask("human"))).toBe("invalid: the human takes no turns");
    expect(refused(ask("carol"))).toMatch(/^not_found: there is no participant "carol"/);
    tell({ type: "run.finish", summary: "s" });
    expect(refused(ask())).toMatch(/^wrong_state: chips is completed;/);
  });

  test.each([
    [{ text: "" }, /^invalid: question.ask: text: /],
    [{ options: Array(21).fill("x") }, /^invalid: question.ask: options: /],
    [{ deadline_seconds: 0 }, /^invalid: question.ask: deadline_seconds: /],
    [{ deadline_seconds: Number.POSITIVE_INFINITY }, /^invalid: question.ask: deadline_seconds: /],
  ])("refuses bad input and names the field (%#)", (given, said) => {
    expect(start().refused(ask("coordinator", given))).toMatch(said);
  });

  test("may have a deadline beyond any calendar", () => {
    const { tell, state } = start();
    tell(ask("coordinator", { deadline_seconds: 1e300 }));
    expect(state.questions.get("q1")?.deadline).toBe("9999-12-31T23:59:59.999Z");
  });
});

describe("answering", () => {
  test("closes the question and says who did", () => {
    const { tell, state } = start();
    tell(ask());
    tell(answer("q1"), "human");
    expect(state.questions.get("q1")).toEqual({
      id: "q1",
      seq: 5,
      by: "coordinator",
      text: "Which?",
      asked_at: "2026-01-01T00:00:00.000Z",
      status: "answered",
      answer: "this",
      answered_by: "human",
      ended_at: "2026-01-01T00:00:00.000Z",
    });
  });

  test("without an id needs exactly one open question", () => {
    const { tell, refused, state } = start();
    expect(refused(answer())).toBe("conflict: no question is open");
    tell(ask());
    tell(ask("alice"), "alice");
    expect(refused(answer())).toBe("conflict: 2 questions are open; name one: q1, q2");
    tell(answer("q1"));
    tell(answer());
    expect([...state.questions.values()].map((question) => question.status)).toEqual(["answered", "answered"]);
  });

  test("an unknown or closed question says which are open", () => {
    const { tell, refused } = start();
    expect(refused(answer("q1"))).toBe("not_found: there is no question q1; open questions: none");
    tell(ask());
    tell(ask());
    tell(answer("q1"));
    expect(refused(answer("q9"))).toBe("not_found: there is no question q9; open questions: q2");
    expect(refused(answer("q1"))).toBe("wrong_state: q1 is already answered; open questions: q2");
    tell(answer("q2"));
    expect(refused(answer("q1"))).toBe("wrong_state: q1 is already answered; open questions: none");
    expect(refused(answer("../q1"))).toMatch(/^invalid: question.answer: question: /);
  });

  test("needs an open run", () => {
    const { tell, refused } = start();
    tell(ask());
    tell({ type: "run.finish", summary: "s" });
    expect(refused(answer("q1"))).toMatch(/^wrong_state: chips is completed;/);
  });
});

describe("a reply in the chat", () => {
  const parked = () => {
    const world = start();
    world.tell({ type: "message.post", to: "alice", text: "begin" });
    world.tell(ask("alice", { options: ["this", "that"] }), "alice");
    world.turn("alice", "ask", { wait: { for: "question", question: "q1" } });
    return world;
  };

  test("to whoever waits for an answer is the answer, said by the human and heard once", () => {
    const { tell, state, thinker, all, restart } = parked();
    tell({ type: "message.post", to: "alice", text: "that" });
    const [answered] = all("question.answered");
    expect(answered).toMatchObject({ actor: "human", data: { question: "q1", answer: "that", message: "m2" } });
    expect(state.questions.get("q1")).toMatchObject({ status: "answered", answer: "that", answered_by: "human" });
    expect(thinker("alice")).toMatchObject({ wait: undefined, next: "continue" });
    expect(thinker("alice").unread.map(({ kind, text }) => [kind, text])).toEqual([["message", "that"]]);
    tell({ type: "message.post", to: "alice", text: "and more" });
    restart();
    expect(all("question.answered")).toHaveLength(1);
  });

  test("counts although it came before the asker had ended its turn, and after a crash before it was taken so", () => {
    const { tell, answer, all, restart, state } = start();
    tell({ type: "message.post", to: "alice", text: "what do you think?" });
    const of = answer("alice", ["ask"]);
    tell(ask("alice"), "alice");
    tell({ type: "message.post", to: "alice", text: "that" });
    expect(all("question.answered")).toEqual([]);
    const wait = { for: "question", question: "q1" } as const;
    tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "asked", wait }, "alice");
    tell({ type: "turn.end", ...of }, "alice");
    expect(state.questions.get("q1")).toMatchObject({ status: "answered", answer: "that" });
    restart(1);
    expect(all("question.answered")).toHaveLength(1);
  });

  test.each<[string, CommandInput[], string?]>([
    ["to somebody else", [{ type: "message.post", text: "that" }]],
    ["to everyone", [{ type: "message.post", to: "*", text: "that" }]],
    ["in the background", [{ type: "message.post", to: "alice", text: "that", priority: "background" }]],
    [
      "of a colleague",
      [{ type: "message.post", from: "bob", to: "alice", text: "that", priority: "immediate" }],
      "bob",
    ],
  ])("is none: what is said %s", (_, commands, actor) => {
    const { tell, state } = parked();
    for (const command of commands) tell(command, actor);
    expect(state.questions.get("q1")?.status).toBe("open");
  });

  test("is none for what was said before the question, nor if there are two to choose from", () => {
    const { tell, state, turn } = start();
    tell({ type: "message.post", to: "alice", text: "before" });
    tell(ask("alice"), "alice");
    tell(ask("alice"), "alice");
    turn("alice", "ask", { wait: { for: "question", question: "q2" } });
    tell({ type: "message.post", to: "alice", text: "that" });
    expect([...state.questions.values()].map(({ status }) => status)).toEqual(["open", "open"]);
  });
});

describe("a deadline", () => {
  test("takes the default, once and not early", () => {
    const world = start();
    const { tell, tick, state, refused } = world;
    tell(ask("coordinator", { deadline_seconds: 60, default: "that" }));
    expect(appointments(state)).toEqual([
      { at: "2026-01-01T00:01:00.000Z", command: { type: "question.expire", question: "q1" } },
    ]);
    expect(tell({ type: "question.expire", question: "q1" })).toEqual([]);
    world.now += 60_000;
    expect(tick()).toHaveLength(1);
    expect(state.questions.get("q1")).toMatchObject({
      status: "expired",
      answer: "that",
      ended_at: "2026-01-01T00:01:00.000Z",
    });
    expect(tell({ type: "question.expire", question: "q1" })).toEqual([]);
    expect(refused(answer("q1"))).toBe("wrong_state: q1 is already expired; open questions: none");
  });

  test("without a default leaves the answer open", () => {
    const world = start();
    world.tell(ask("coordinator", { deadline_seconds: 1 }));
    world.now += 1_000;
    world.tick();
    expect(world.state.questions.get("q1")?.status).toBe("expired");
    expect(world.all("question.expired")[0]?.data).not.toHaveProperty("answer", expect.anything());
  });

  test("is nothing for a question without one, and for an answered one", () => {
    const world = start();
    world.tell(ask());
    world.tell(ask("alice", { deadline_seconds: 1 }));
    world.tell(answer("q2"));
    world.now += 1e9;
    expect(world.tick()).toEqual([]);
    expect(world.tell({ type: "question.expire", question: "q1" })).toEqual([]);
  });

  test("of an unknown question is refused", () => {
    expect(start().refused({ type: "question.expire", question: "q1" }, "system")).toBe(
      "not_found: there is no question q1; open questions: none",
    );
  });
});

test("what is closed stays closed whatever events follow", () => {
  const { tell, append, state } = start();
  tell(ask());
  tell(answer("q1"));
  const before = state.questions.get("q1");
  append({ type: "question.answered", data: { question: "q1", answer: "other" } });
  append({ type: "question.expired", data: { question: "q1" } });
  append({ type: "question.expired", data: { question: "q9" } });
  expect(state.questions.get("q1")).toBe(before);
  expect(state.questions.size).toBe(1);
});
