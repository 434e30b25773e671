import { expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";

const say = (world: World, from: string, to: string | string[]) =>
  world.tell({ type: "message.post", from, to, text: "well" }, from);

function chat(world: World, times: number, [a, b]: [string, string] = ["alice", "bob"]): void {
  for (let n = 0; n < times; n++) say(world, n % 2 ? b : a, n % 2 ? a : b);
}

const refusal =
  "limit_reached: you and Bob exchanged 10 messages without a result; no more are delivered until one of you makes progress (writes a file, publishes, creates a node) or the human writes";

test("ten messages between the same two are delivered, the eleventh is refused, and the coordinator hears of it once", () => {
  const world = start();
  chat(world, 10);
  expect(world.refused({ type: "message.post", from: "alice", to: "bob", text: "but" }, "alice")).toBe(refusal);
  expect(world.refused({ type: "message.post", from: "alice", to: "*", text: "but" }, "alice")).toBe(refusal);
  expect(world.refused({ type: "message.post", from: "bob", to: "alice", text: "but" }, "bob")).toContain(
    "you and Alice",
  );
  expect(world.all("message.limited").map(({ data }) => data)).toEqual([{ between: ["alice", "bob"], count: 10 }]);
  const told = world.thinker("coordinator").unread.filter(({ from }) => from === "system");
  expect(told.map(({ text }) => text)).toEqual([expect.stringMatching(/^Alice and Bob exchanged 10 messages/)]);
  world.restart(1);
  expect(world.all("message.limited")).toHaveLength(1);
});

test("others and the human are not concerned", () => {
  const world = start();
  chat(world, 10);
  say(world, "alice", "coordinator");
  say(world, "alice", "human");
  for (let n = 0; n < 20; n++) say(world, "human", "alice");
  for (let n = 0; n < 20; n++) say(world, "alice", "human");
});

const news: [string, (world: World) => void][] = [
  ["a word of the human to one of them", (world) => say(world, "human", "bob")],
  [
    "an answer of the human",
    (world) => {
      world.tell({ type: "question.ask", by: "alice", text: "?" }, "alice");
      world.tell({ type: "question.answer", answer: "!" });
    },
  ],
  ["a node for one of them", (world) => void world.node({ worker: "bob" })],
  [
    "a publication",
    (world) => {
      world.state.talk.clear();
      const node = world.node({ worker: "bob" });
      world.begin("bob");
      chat(world, 10);
      world.tell({ type: "node.publish", node, summary: "s", files: [] }, "bob");
    },
  ],
  [
    "something that lasts",
    (world) => {
      const of = world.answer("alice", ["write_file"]);
      world.tell(
        { type: "tool.end", ...of, call: "c1", outcome: "ok", result: "", effect: "outside", progress: "work" },
        "alice",
      );
    },
  ],
];
test.each(news)("%s begins a new count", (_what, happen) => {
  const world = start();
  chat(world, 10);
  happen(world);
  chat(world, 10);
  expect(world.refused({ type: "message.post", from: "alice", to: "bob", text: "but" }, "alice")).toBe(refusal);
});

test("words, reads and failures do not", () => {
  const world = start();
  chat(world, 10);
  const of = world.answer("alice", ["a", "b", "c"]);
  const end = { type: "tool.end", ...of, result: "", effect: "state" } as const;
  world.tell({ ...end, call: "c1", outcome: "ok", progress: "none" }, "alice");
  world.tell({ ...end, call: "c2", outcome: "ok", progress: "words" }, "alice");
  world.tell({ ...end, call: "c3", outcome: "error", progress: "work" }, "alice");
  expect(world.refused({ type: "message.post", from: "alice", to: "bob", text: "but" }, "alice")).toBe(refusal);
});

test("when the coordinator is one of the two, the human hears of it, too", () => {
  const world = start();
  chat(world, 10, ["coordinator", "bob"]);
  expect(world.state.participants.get("human")?.unread).toMatchObject([{ from: "system", kind: "message" }]);
});
