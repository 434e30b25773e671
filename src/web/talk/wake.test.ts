import { describe, expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { leaderless } from "../../core/leaderless.test-help.ts";
import { recipients } from "../../core/message/message.ts";
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

describe("where nobody leads", () => {
  test.each([
    ["channel", "look", ["rae", "cody"], "to everyone, wakes 1, reaches 1 at work"],
    ["channel", "@Cody look", ["cody"], "wakes"],
    ["channel", "please look, @Rae", ["rae"], "reads it before the next step"],
    ["rae", "look", ["rae"], "reads it before the next step"],
    ["cody", "look with @Rae", ["cody", "rae"], "wakes 1, reaches 1 at work"],
  ])("in the thread of %s, who is said to wake by %j is who gets it", (thread, text, reached, words) => {
    const world = leaderless({ kickoff: "@Rae please review" });
    const wake = wakeOf(world.state, text, thread);
    expect(wake).toMatchObject({ to: reached, words });
    world.tell({ type: "message.post", text, ...(wake.address === undefined ? {} : { to: wake.address }) });
    expect(world.all("message.posted").at(-1)?.data.to).toEqual(reached);
  });

  test("a text for everyone cannot be sent once all have retired", () => {
    const world = leaderless();
    for (const worker of ["rae", "cody"]) world.tell({ type: "worker.retire", worker, reason: "-" });
    expect(wakeOf(world.state, "look", "channel")).toMatchObject({ to: [], words: "nobody is here to read it" });
  });
});
