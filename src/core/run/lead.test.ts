import { expect, test } from "vitest";
import { start } from "../core.test-help.ts";
import { defaultLead, lead, leads, nextMover, toLead } from "./lead.ts";

test("the participant that is the agent itself leads its run, whatever its id", () => {
  const { state } = start();
  expect([lead(state)?.id, toLead(state), nextMover(state)]).toEqual([
    defaultLead.id,
    [defaultLead.id],
    defaultLead.id,
  ]);
  const boss = { ...lead(state)!, id: "boss" } as const;
  state.participants.delete(defaultLead.id);
  state.participants.set("boss", boss);
  expect([lead(state)?.id, toLead(state), leads(state, "boss"), leads(state, "alice")]).toEqual([
    "boss",
    ["boss"],
    true,
    false,
  ]);
});

test("a run without a lead goes on: a worker's failed node is the human's to act on, and a message of theirs is for everyone", () => {
  const world = start({ seconds_per_node: 60 });
  world.state.participants.delete(defaultLead.id);
  expect([lead(world.state), toLead(world.state), nextMover(world.state)]).toEqual([undefined, ["human"], "human"]);
  world.tell({ type: "message.post", text: "go" });
  expect(["alice", "bob"].map((id) => world.thinker(id).unread.at(-1)?.text)).toEqual(["go", "go"]);
  world.tell({ type: "message.post", from: "alice", text: "done" }, "alice");
  expect(world.state.channel.at(-1)).toMatchObject({ from: "alice", to: ["human"], text: "done" });
  const node = world.node({ task: "Do it", worker: "alice" }, "human");
  world.begin("alice");
  world.now += 61_000;
  world.tick();
  expect(world.state.nodes.get(node)).toMatchObject({ status: "failed", reason: { next_mover: "human" } });
});
