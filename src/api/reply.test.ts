import { describe, expect, test } from "vitest";
import type { Event } from "../schema/event.ts";
import { createReplyFinder } from "./reply.ts";

const sent = { seq: 10, to: ["coordinator"] };
let seq = 10;
const event = (type: string, data: object) => ({ type, data, seq: ++seq }) as unknown as Event;
const turn = (participant: string, upto: number) => event("turn.started", { participant, upto });
const says = (from: string, text: string, to = ["human"]) => event("message.posted", { message: "m9", from, to, text });

const first = (...events: Event[]) => {
  const find = createReplyFinder(sent);
  return events.map(find).find((one) => one !== undefined);
};

describe("the reply to a message", () => {
  test("is not what was said by a turn that began before it was read", () => {
    expect(first(says("coordinator", "old"))).toBeUndefined();
    expect(first(turn("coordinator", 9), says("coordinator", "old"))).toBeUndefined();
    expect(
      first(turn("coordinator", 9), says("coordinator", "old"), turn("coordinator", 10), says("coordinator", "new")),
    ).toMatchObject({
      reply: { text: "new" },
    });
  });
  test("may come from someone else, who began to work after it was read", () => {
    expect(first(turn("ann", 3), says("ann", "old"))).toBeUndefined();
    expect(first(turn("coordinator", 10), says("ann", "old"))).toBeUndefined();
    expect(first(turn("coordinator", 10), turn("ann", 12), says("ann", "new"))).toMatchObject({
      reply: { from: "ann" },
    });
  });
  test("is for the human", () => {
    expect(first(turn("coordinator", 10), says("coordinator", "psst", ["ann"]))).toBeUndefined();
  });
  test("may have been read in the middle of a turn", () => {
    const read = event("tool.ended", { participant: "coordinator", upto: 10 });
    expect(first(turn("coordinator", 9), read, says("coordinator", "new"))).toMatchObject({ reply: { text: "new" } });
    expect(first(event("tool.ended", { participant: "ann" }), says("ann", "old"))).toBeUndefined();
  });
  test("is none if the agent stands still", () => {
    expect(first(event("agent.paused", { reason: { message: "no money" } }))).toEqual({ reply: null, why: "no money" });
    expect(first(event("agent.archived", {}))).toEqual({ reply: null, why: "the agent was archived" });
  });
});
