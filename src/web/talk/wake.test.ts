import { expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { recipients } from "../../core/message.ts";
import { wakeOf } from "./wake.ts";

test.each([
  ["coordinator", "look", ["coordinator"]],
  ["coordinator", "@Bob look", ["bob"]],
  ["coordinator", "Please look at it, @Bob", ["coordinator", "bob"]],
  ["coordinator", "give it to @bob and @Alice", ["coordinator", "bob", "alice"]],
  ["coordinator", "mail bob@example.com about `@bob` and @media", ["coordinator"]],
  ["alice", "ask @Bob, and @Alice too", ["alice", "bob"]],
  ["alice", "@Bob look", ["bob"]],
  ["channel", "look", ["coordinator"]],
  ["channel", "could you look, @Bob?", ["bob"]],
  ["channel", "look, @all", ["coordinator", "alice", "bob"]],
])("in the thread of %s, who is said to wake by %j is who gets it", (thread, text, reached) => {
  const world = start();
  const wake = wakeOf(world.state, text, thread);
  expect(wake.to).toEqual(reached);
  const to = wake.address === undefined ? {} : { to: wake.address };
  world.tell({ type: "message.post", text, ...to });
  expect(world.all("message.posted").at(-1)?.data.to).toEqual(reached);
  if (wake.address) expect(recipients(world.state, "human", wake.address)).toEqual(reached);
});

test("who has retired is not woken by a name within a text, and a text that begins with an unknown name goes nowhere", () => {
  const world = start();
  world.tell({ type: "worker.retire", worker: "bob", reason: "-" }, "coordinator");
  expect(wakeOf(world.state, "as @Bob said", "coordinator").to).toEqual(["coordinator"]);
  expect(wakeOf(world.state, "@Bobby look", "coordinator")).toMatchObject({
    to: [],
    words: "nobody here is called Bobby",
  });
});
