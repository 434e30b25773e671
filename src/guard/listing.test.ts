import { expect, test } from "vitest";
import { z } from "zod";
import { start, type World } from "../core/core.test-help.ts";
import { emptyState } from "../core/state.ts";
import { tools } from "../tool/index.ts";
import { defineTool, type Tool } from "../toolkit/tool.ts";
import { createListing } from "./listing.ts";

const granted = (role: string, more: readonly Tool[] = []) => [
  ...tools.filter(({ only, needs }) => (!only || only === role) && !needs),
  ...more,
];
function listed(world: World, who: string, more: readonly Tool[] = [], hasMemory = false) {
  const one = world.thinker(who);
  const role = one.kind === "coordinator" ? "coordinator" : "worker";
  const { tools, offered, further } = createListing()(world.state, one, granted(role, more), hasMemory);
  return { names: tools.map(({ name }) => name), offered, further };
}
/** An agent without a team. */
function alone(goal = "Know chips") {
  const world = Object.assign(start(), { state: emptyState(), log: [] });
  world.tell({ type: "agent.create", agent: "chips", goal, model: "m" });
  return world;
}
const server = (name: string, about: string): Tool =>
  defineTool({
    ...{ name, alias: `mcp.desk.${name}`, about, guidance: "x".repeat(800), effect: "outside", repeatable: false },
    input: z.object({}),
    run: async () => "",
  });

test("who works alone has a small set, and everything else is further away", () => {
  const { names, offered, further } = listed(alone(), "coordinator");
  expect(names).toEqual(expect.arrayContaining(["read_file", "spawn_worker", "ask_human", "find_tools", "use_tool"]));
  expect(offered).toEqual({});
  expect(further).toEqual(expect.arrayContaining(["schedule", "check_board", "vote", "send_message", "memory_read"]));
  expect(new Set([...names, ...further])).toEqual(new Set(granted("coordinator").map(({ name }) => name)));
});

test("a team, a node and notes bring their tools, each with the reason", () => {
  const world = start();
  world.node({ name: "a", worker: "alice" });
  const { names, offered } = listed(world, "coordinator", [], true);
  expect(offered).toMatchObject({
    send_message: "there is a team",
    wait_for_nodes: "there are nodes",
    memory_read: "it has notes",
  });
  expect(names).toEqual(expect.arrayContaining(Object.keys(offered)));
  expect(offered).not.toHaveProperty("reconvene");
});

test("words of the human offer what they speak of; words of others do not", () => {
  const world = alone();
  world.tell({ type: "message.post", text: "Please remind me on Friday." });
  expect(listed(world, "coordinator").offered).toEqual({ schedule: "the task says “remind”" });
  const team = start();
  team.tell({ type: "message.post", from: "alice", to: ["coordinator"], text: "remind me every day" }, "alice");
  expect(listed(team, "coordinator").offered).not.toHaveProperty("schedule");
  expect(listed(alone("Send a summary every morning"), "coordinator").offered).toHaveProperty("schedule");
  expect(listed(alone("Know the scheduler of Linux"), "coordinator").offered).toEqual({});
});

test("what was offered once stays in its place when the need is over, and new tools come after it", () => {
  const world = alone();
  world.tell({ type: "message.post", text: "remind me" });
  const first = listed(world, "coordinator");
  world.tell(
    { type: "turn.start", participant: "coordinator", reserve: { usd: 0, tokens: 0 }, offered: { ...first.offered } },
    "coordinator",
  );
  const of = { turn: "coordinator.1", participant: "coordinator" };
  world.tell({ type: "turn.answer", ...of, text: "yes", calls: [], cost: { usd: 0, tokens: 0 } }, "coordinator");
  world.tell({ type: "turn.end", ...of }, "coordinator");
  expect(world.thinker("coordinator").unread).toEqual([]);
  expect(listed(world, "coordinator")).toMatchObject({ names: first.names, offered: {} });
  world.tell({ type: "worker.spawn", name: "Cy" }, "coordinator");
  expect(listed(world, "coordinator").names.slice(0, first.names.length)).toEqual(first.names);
});

test("a tool that was found joins the list only when the list changes anyway or its description is gone", () => {
  const world = alone();
  const of = world.answer("coordinator", ["find_tools"]);
  const ended = { ...of, call: "c1", outcome: "ok", result: "## vote" } as const;
  world.tell({ type: "tool.end", ...ended, offers: ["vote"] }, "coordinator");
  world.tell({ type: "turn.end", ...of }, "coordinator");
  expect(world.thinker("coordinator").found).toEqual(["vote"]);
  expect(listed(world, "coordinator").offered).toEqual({});
  world.tell({ type: "message.post", text: "remind me" });
  expect(listed(world, "coordinator").offered).toMatchObject({ vote: "found with find_tools" });
  world.thinker("coordinator").unread.length = 0;
  world.append({ type: "context.shortened", data: { participant: "coordinator", lines: 9, turns: 1 } });
  expect(world.thinker("coordinator").conversation.some((line) => line.role === "tool")).toBe(false);
  expect(listed(world, "coordinator").offered).toMatchObject({ vote: "found with find_tools" });
});

test("tools of servers are listed if they fit; of many only those that the goal speaks of", () => {
  const few = [server("book_flight", "Book a flight"), server("rent_car", "Rent a car")];
  expect(listed(alone(), "coordinator", few).names).toEqual(expect.arrayContaining(["book_flight", "rent_car"]));
  const many = [
    ...few,
    ...["a", "b", "c", "d", "e", "f", "g"].map((name) => server(`other_${name}`, "Something else")),
  ];
  const { names, further } = listed(alone("Find a cheap flight to Oslo"), "coordinator", many);
  expect(names).toContain("book_flight");
  expect(further).toEqual(expect.arrayContaining(["rent_car", "other_a"]));
});

test("who cannot find tools, and what somebody asked for by name, is listed", () => {
  const world = alone();
  const without = granted("coordinator").filter(({ name }) => name !== "use_tool");
  expect(createListing()(world.state, world.thinker("coordinator"), without, false).tools).toBe(without);
  world.state.agent = { ...world.state.agent!, tools: ["vote"] };
  expect(listed(world, "coordinator").names).toContain("vote");
});

test("a list that remembers is the list that is made anew, after every change", () => {
  const world = start();
  const remembers = createListing();
  const all = granted("coordinator");
  const expectSame = () => {
    const one = world.thinker("coordinator");
    const made = remembers(world.state, one, all, false);
    expect(made).toEqual(createListing()(world.state, one, all, false));
    return made;
  };
  const first = expectSame();
  world.tell({ type: "message.post", text: "remind me" });
  expect(expectSame().offered).toHaveProperty("schedule");
  const offered = { ...expectSame().offered };
  world.tell(
    { type: "turn.start", participant: "coordinator", reserve: { usd: 0, tokens: 0 }, offered },
    "coordinator",
  );
  expect(expectSame().offered).toEqual({});
  world.node({ name: "a", worker: "alice" });
  expect(expectSame().offered).toHaveProperty("wait_for_nodes");
  world.state.agent = { ...world.state.agent!, tools: ["vote"] };
  expect(expectSame().tools.length).toBeGreaterThan(first.tools.length);
  world.state.run = { ...world.state.run!, goal: "Publish a document for the team" };
  expectSame();
  world.state.run = { ...world.state.run!, goal: "Send a summary every morning" };
  expectSame();
});
