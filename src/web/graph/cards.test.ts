import { describe, expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { cardOf, itemsOf } from "./cards.ts";
import { emptyPlan, grow } from "./layout.ts";
import { headsOf, linesOf } from "./lines.ts";
import { stacksOf } from "./stacks.ts";
import { concerns, told } from "./told.ts";

function drawn(world: ReturnType<typeof start>, chosen?: string) {
  const { state } = world;
  const plan = grow(emptyPlan, itemsOf(state));
  const cards = [...state.nodes.values()].map((node) => cardOf(state, node));
  const suggestions = [...state.suggestions.values()];
  const lines = linesOf({ state, plan, cards, inside: new Map(), suggestions, chosen, why: [] });
  const count = (kind: Parameters<typeof lines.paths.get>[0]) => lines.paths.get(kind)?.count ?? 0;
  return { plan, cards, lines, count, card: (id: string) => cards.find((one) => one.id === id)! };
}

const begun = (world: ReturnType<typeof start>, id: string, worker: string) => {
  world.turn(worker, "look");
  expect(world.state.nodes.get(id)!.status).toBe("running");
};

describe("what a card says", () => {
  test("who does it, how it stands and how far it is", () => {
    const world = start();
    const first = world.node({ name: "Prices", worker: "Alice", max_turns: 4 });
    const second = world.node({ name: "Table", depends_on: [first] });
    begun(world, first, "alice");
    const { card } = drawn(world);
    expect(card(first)).toMatchObject({ look: "working", who: { name: "Alice" }, share: 0.25, of: "1 of 4 turns" });
    expect(card(second)).toMatchObject({ look: "pending", line: `Waits for ${first}`, who: undefined });
  });

  test("amber only when the human is asked", () => {
    const world = start();
    const id = world.node({ worker: "Alice" });
    const { turn } = world.answer("alice", ["ask"]);
    world.tell({ type: "question.ask", by: "alice", text: "Which year?\nSay one." }, "alice");
    expect(drawn(world).card(id)).toMatchObject({ look: "waiting", asks: true, line: "Asks you: Which year?" });
    world.tell({ type: "question.answer", answer: "2026" });
    expect(turn).toBeDefined();
    expect(drawn(world).card(id)).toMatchObject({ asks: false, look: "working" });
  });
});

describe("the lines", () => {
  test("each kind is drawn as what it is", () => {
    const world = start();
    const one = world.node({ worker: "Alice" });
    world.node({ depends_on: [one] });
    world.node({ parent: one }, "alice");
    begun(world, one, "alice");
    world.tell({ type: "suggestion.make", by: "alice", text: "Look at supply" }, "alice");
    const { count } = drawn(world, one);
    expect([count("depends"), count("spawned"), count("suggested"), count("chosen")]).toEqual([1, 1, 1, 1]);
  });

  test("a stage ends at a bar: its nodes arrive there, the next stage leaves from there", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
    const one = world.node({ worker: "Alice" });
    world.tell({ type: "stage.complete", assessment: "Good" }, "coordinator");
    world.tell({ type: "stage.start", name: "Write" }, "coordinator");
    world.node({ depends_on: [one] });
    const { lines, count, plan, cards } = drawn(world);
    expect(lines.bars.map(({ over }) => over)).toEqual([true, false]);
    expect(lines.gates).toHaveLength(2);
    // To the first bar, from it, and to the second: no line goes past a bar.
    expect(count("depends")).toBe(3);
    expect(headsOf(world.state, plan, cards).map(({ name, says }) => [name, says])).toEqual([
      ["Scan", "done"],
      ["Write", "0 of 1, 20 turns each"],
    ]);
  });
});

describe("the lines to a bar", () => {
  test("do not go through what stands right of a node", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
    const one = world.node({});
    world.node({ depends_on: [one] });
    const { lines, plan } = drawn(world);
    expect(lines.gates).toHaveLength(1);
    expect(plan.at.get(one)).toEqual({ column: 0, row: 0 });
  });
});

describe("stacks", () => {
  const card = (index: number, status: "completed" | "running") =>
    ({ ...drawn(base).cards[0]!, id: `n${index}`, status }) as ReturnType<typeof cardOf>;
  const base = start();
  base.node({});
  const items = Array.from({ length: 48 }, (_, index) => ({ id: `n${index}`, needs: [] }));
  const plan = grow(emptyPlan, items);

  test("columns of which all is over are folded when there are many nodes, and opened one by one", () => {
    const cards = items.map((_, index) => card(index, index === 9 ? "running" : "completed"));
    const stacks = stacksOf(plan, cards, new Set());
    expect(stacks.map(({ column }) => column)).toEqual([0, 2, 3, 4, 5]);
    expect(stacks[0]).toMatchObject({ first: "n0", members: { length: 8 } });
    expect(stacksOf(plan, cards, new Set(["stack-0"])).map(({ column }) => column)).toEqual([2, 3, 4, 5]);
    expect(stacksOf(plan, cards.slice(0, 39), new Set())).toEqual([]);
  });
});

test("every event has words, and those of a node are found", () => {
  const world = start();
  const id = world.node({ name: "Prices", worker: "Alice" });
  begun(world, id, "alice");
  const own = world.log.filter((event) => concerns(event, id)).map((event) => told(event, world.state));
  expect(own).toContain(`${id} was put on the board: Prices`);
  expect(own).toContain(`Alice began ${id}`);
  for (const event of world.log) expect(told(event, world.state)).not.toBe("");
});
