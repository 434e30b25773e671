import { expect, test } from "vitest";
import type { Proposal } from "../../schema/proposal.ts";
import type { Question } from "../../schema/question.ts";
import { type HeldAnswer, isOver } from "./held.ts";

const at = "2026-01-01T10:00:00.000Z";
const held = (said: HeldAnswer["said"]): HeldAnswer => ({
  ...{ key: "k", batch: "b", agent: "a", question: "q1", asked_at: at, who: "Carol", words: "Blue" },
  ...{ said, due: 0, owner: "w" },
});
const asked = (more: object): Question =>
  ({ id: "q1", by: "carol", text: "Which?", seq: 1, asked_at: at, ended_at: at, ...more }) as Question;
const blue = held({ response: "Blue" });

test("an answer is wanted as long as its question is open, and never by another one of the same name", () => {
  expect(isOver(blue, asked({ status: "open" }))).toBeUndefined();
  const later = asked({ status: "open", asked_at: "2026-01-02T10:00:00.000Z" });
  expect(isOver(blue, later)).toBe("Too late: Carol no longer asks that.");
  expect(isOver(blue, null)).toBe("Too late: Carol no longer asks that.");
});

test("what is there already is no loss; another answer is told, and a default that was taken", () => {
  expect(isOver(blue, asked({ status: "answered", answer: "Blue " }))).toBe("");
  expect(isOver(blue, asked({ status: "answered", answer: "Green" }))).toBe(
    "Too late: Carol already has an answer, “Green”.",
  );
  expect(isOver(blue, asked({ status: "expired", answer: "Green" }))).toBe(
    "Too late: the deadline has passed, Carol took “Green”.",
  );
  const no = held({ decision: "deny", reason: "not here" });
  expect(isOver(no, asked({ status: "answered", answer: "deny: not here" }))).toBe("");
  expect(isOver(no, asked({ status: "answered", answer: "allow" }))).toContain("“allow”");
});

test("a vote is wanted as long as its proposal is open; what came of it is told", () => {
  const proposal = (more: object): Proposal => ({ id: "p1", created_at: at, votes: {}, ...more }) as Proposal;
  const vote = { ...held({ vote: "Blue" }), question: "p1" };
  expect(isOver(vote, proposal({ status: "open", votes: { human: "Green" } }))).toBeUndefined();
  expect(isOver(vote, proposal({ status: "settled", votes: { human: "Blue" } }))).toBe("");
  const won = { status: "settled", verdict: { result: "won", option: "Green" } };
  expect(isOver(vote, proposal(won))).toBe("Too late: the vote is over, “Green” has won.");
  expect(isOver(vote, proposal({ status: "withdrawn" }))).toBe("Too late: the proposal was withdrawn.");
  expect(isOver(vote, proposal({ status: "open", created_at: "2026-01-02T10:00:00.000Z" }))).toMatch(/no longer asks/);
});
