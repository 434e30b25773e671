import { expect, test } from "vitest";
import { start } from "../core.test-help.ts";
import { isAtRest, standingOf } from "./standing.ts";

/** The coordinator has read its goal and rests. */
function resting() {
  const world = start();
  world.turn("coordinator");
  return world;
}

test("it works while somebody has something to do, and is idle and at rest when nobody has", () => {
  const world = start();
  expect(standingOf(world.state)).toEqual({ is: "working", busy: true, goesOn: false });
  const idle = resting();
  expect(standingOf(idle.state)).toEqual({ is: "idle", busy: false, goesOn: false });
  expect(isAtRest(standingOf(idle.state))).toBe(true);
});

test("a question counts also while others work, but it is at rest only when nobody does", () => {
  const { tell, state } = resting();
  tell({ type: "question.ask", by: "coordinator", text: "Which?" });
  expect(standingOf(state)).toEqual({ is: "question", busy: false, goesOn: false });
  tell({ type: "message.post", text: "And?" }, "human");
  expect(standingOf(state)).toMatchObject({ is: "question", busy: true });
  expect(isAtRest(standingOf(state))).toBe(false);
});

test("a question with a deadline goes on by itself; with a trigger alone it does not, without a question it does", () => {
  const world = resting();
  world.tell({
    type: "trigger.create",
    schedule: { type: "on_idle", idle_seconds: 60 },
    action: { type: "wake_agent", text: "hello" },
  });
  expect(standingOf(world.state)).toEqual({ is: "idle", busy: false, goesOn: true });
  world.tell({ type: "question.ask", by: "coordinator", text: "Which?" });
  expect(standingOf(world.state)).toMatchObject({ is: "question", goesOn: false });
  world.tell({ type: "question.ask", by: "coordinator", text: "And which?", deadline_seconds: 60 });
  expect(standingOf(world.state)).toMatchObject({ is: "question", goesOn: true });
});

test("it is finished when the turn that finished it is over; paused, stopped and archived are what they are", () => {
  const world = start();
  const of = world.answer("coordinator", ["finish"]);
  world.tell({ type: "run.finish", summary: "done" });
  expect(standingOf(world.state)).toMatchObject({ is: "working", busy: true });
  world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "done", final: true }, "coordinator");
  world.tell({ type: "turn.end", ...of }, "coordinator");
  expect(standingOf(world.state)).toEqual({ is: "finished", busy: false, goesOn: false });
  const { tell, state } = start();
  for (const [type, is] of [
    ["agent.pause", "paused"],
    ["agent.stop", "stopped"],
    ["agent.archive", "archived"],
  ] as const) {
    tell({ type }, "human");
    expect(standingOf(state)).toEqual({ is, busy: false, goesOn: false });
  }
});
