import { describe, expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { personLook } from "../parts/status/status.tsx";
import { stageLook } from "../talk/rail.tsx";
import { cardOf, itemsOf } from "./cards.ts";
import { chainOf, noChain, nodesBlockedBy } from "./chain.ts";
import { concerns, eventText } from "./event-text.ts";
import { type Filter, filters, fits, noFilter } from "./filter.ts";
import { isBehind } from "./folds.ts";
import { emptyPlan, grow, spotOf } from "./layout.ts";
import { headsOf, linesOf } from "./lines.ts";
import { stacksOf } from "./stacks.ts";

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

  test("nothing looks at work in an agent that stands still, nor while its call is only tried again", () => {
    const world = start();
    const id = world.node({ worker: "Alice" });
    const of = world.begin("alice");
    const alice = () => personLook(world.state, world.thinker("alice"));
    expect([drawn(world).card(id).look, alice().look]).toEqual(["working", "working"]);
    const lost = { usd: 0, tokens: 0 };
    world.tell({ type: "turn.retry", ...of, error: "503", not_before: "2026-01-01T00:00:09.000Z", lost }, "alice");
    expect(drawn(world).card(id)).toMatchObject({ look: "pending", word: "Retrying" });
    expect(alice()).toEqual({ look: "pending", word: "Retrying" });
    world.tell({ type: "agent.pause" });
    expect(drawn(world).card(id)).toMatchObject({ look: "pending", word: "Paused" });
    expect(alice()).toEqual({ look: "retired", word: "Paused" });
  });

  test("a stage is at work while anything in it is, and done only when all of it is; what is done anew counts no more", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Research" }, "coordinator");
    const first = world.node({ worker: "Alice" });
    const second = world.node({ worker: "Bob" });
    begun(world, second, "bob");
    const reason = { code: "limit.time", message: "late", next_mover: "coordinator" };
    world.tell({ type: "node.fail", node: first, reason }, "system");
    const look = (done = false) => stageLook(world.state, done, [...world.state.nodes.values()]);
    expect(look()).toBe("working");
    world.tell({ type: "node.publish", node: second, summary: "s", files: [] }, "bob");
    expect([look(), look(true)]).toEqual(["failed", "retired"]);
    const third = world.node({ retry_of: first, worker: "Bob" });
    expect(look()).toBe("pending");
    begun(world, third, "bob");
    world.tell({ type: "node.publish", node: third, summary: "s", files: [] }, "bob");
    expect(look(true)).toBe("done");
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
      ["Write", "1 planned, 20 turns each"],
    ]);
  });

  test("a stage without nodes has its head where its first node will stand", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
    world.node({ worker: "Alice" });
    world.tell({ type: "stage.complete", assessment: "Good" }, "coordinator");
    world.tell({ type: "stage.start", name: "Write" }, "coordinator");
    const { plan, cards } = drawn(world);
    const head = headsOf(world.state, plan, cards)[1]!;
    expect(head).toMatchObject({ name: "Write", says: "nothing planned yet" });
    const id = world.node({});
    expect(spotOf(drawn(world).plan, id)!.x).toBe(head.x);
  });

  test("what a worker adds to its node hangs below it, and a suggestion stands between the bars of its stage", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
    const one = world.node({ worker: "Alice" });
    world.node({ worker: "Bob" });
    begun(world, one, "alice");
    const part = world.node({ parent: one }, "alice");
    world.tell({ type: "suggestion.make", by: "alice", text: "Look at supply" }, "alice");
    const { plan, count, lines } = drawn(world);
    expect(plan.at.get(part)).toEqual({ column: 0, row: 6, small: true });
    expect(plan.at.get("sg1")).toEqual({ column: 0, row: 7 });
    expect([count("spawned"), count("suggested"), lines.gates.length]).toEqual([1, 1, 3]);
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
  const at = "2026-01-01T00:00:00.000Z";
  const base = start();
  base.node({});
  const card = (index: number, status: "completed" | "running") => ({
    ...drawn(base).cards[0]!,
    id: `n${index}`,
    status,
    ended_at: status === "completed" ? at : undefined,
  });

  test("in a graph of many nodes each column of which all is over can be folded", () => {
    const items = Array.from({ length: 48 }, (_, index) => ({ id: `n${index}`, needs: [] }));
    const plan = grow(emptyPlan, items);
    const cards = items.map((_, index) => card(index, index === 9 ? "running" : "completed"));
    const stacks = stacksOf(base.state, plan, cards);
    expect(stacks.map(({ column }) => column)).toEqual([0, 2, 3, 4, 5]);
    expect(stacks[0]).toMatchObject({ first: "n0", members: { length: 8 } });
    expect(stacksOf(base.state, plan, cards.slice(0, 39))).toEqual([]);
  });

  test("a stage that is done is one stack, behind while a later one is under way", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
    const ids = ["One", "Two", "Three"].map((name) => {
      const id = world.node({ name, worker: "Alice" });
      world.turn("alice");
      world.tell({ type: "node.publish", node: id, summary: `${name} is done`, files: [] }, "alice");
      return id;
    });
    const now = () => {
      const { plan, cards } = drawn(world);
      return stacksOf(world.state, plan, cards).map((one) => ({ ...one, behind: isBehind(world.state, plan, one) }));
    };
    expect(now()).toEqual([]);
    world.tell({ type: "stage.complete", assessment: "Good" }, "coordinator");
    expect(now()).toMatchObject([{ name: "Scan", first: ids[0], members: { length: 3 }, behind: false }]);
    world.tell({ type: "stage.start", name: "Write" }, "coordinator");
    world.node({});
    expect(now()).toMatchObject([{ name: "Scan", behind: true }]);
    const { lines, plan, cards } = drawn(world);
    const inside = new Map(ids.map((id) => [id, ids[0]!]));
    const folded = linesOf({ state: world.state, plan, cards, inside, suggestions: [], why: [] });
    expect([lines.gates.length, folded.gates.length]).toEqual([4, 2]);
  });
});

describe("the chain that is lit", () => {
  test("leads from who waits to the cause, and from a cause to all whom it holds up", () => {
    const world = start();
    const one = world.node({ worker: "Alice" });
    const two = world.node({ depends_on: [one] });
    const three = world.node({ depends_on: [two] });
    const other = world.node({});
    expect(chainOf(world.state, three).links).toEqual([
      [two, three],
      [one, two],
    ]);
    expect(nodesBlockedBy(world.state, one).map(({ id }) => id)).toEqual([two, three]);
    const { nodes, links } = chainOf(world.state, two);
    expect([...nodes].sort()).toEqual([one, two, three].sort());
    expect(links).toContainEqual([two, three]);
    expect(chainOf(world.state, one)).toEqual(noChain);
    expect(nodesBlockedBy(world.state, other)).toEqual([]);
  });
});

describe("the filter", () => {
  test("keeps who, what state and which words, all at once; an empty one keeps everything", () => {
    const world = start();
    const one = world.node({ name: "Prices per hour", worker: "Alice" });
    const two = world.node({ name: "Prices per day", worker: "Bob" });
    begun(world, one, "alice");
    const found = (given: Partial<Filter>) =>
      drawn(world)
        .cards.filter((card) => fits({ ...noFilter, ...given }, card))
        .map(({ id }) => id);
    expect(found({})).toEqual([one, two]);
    expect(found({ words: "HOUR  prices" })).toEqual([one]);
    expect(found({ people: new Set(["bob"]) })).toEqual([two]);
    expect(found({ states: new Set(["Working"]) })).toEqual([one]);
    expect(found({ states: new Set(["Working"]), people: new Set(["bob"]) })).toEqual([]);
    expect(filters({ words: " ", people: new Set(["bob"]), states: new Set() })).toBe(1);
  });
});

test("nobody has the colour of another while one is free", () => {
  const world = start();
  for (let count = 3; count <= 9; count++)
    world.tell({ type: "worker.spawn", name: `W${count}`, role: "reads" }, "coordinator");
  const workers = [...world.state.participants.values()].filter(
    ({ id, kind }) => kind !== "human" && id !== "coordinator",
  );
  const colours = workers.map(({ id }) => whoIs(world.state, id).colour);
  expect(colours).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1]);
});

test("every event has words, and those of a node are found", () => {
  const world = start();
  const id = world.node({ name: "Prices", worker: "Alice" });
  begun(world, id, "alice");
  const own = world.log.filter((event) => concerns(event, id)).map((event) => eventText(event, world.state));
  expect(own).toContain(`${id} was created: Prices`);
  expect(own).toContain(`Alice began ${id}`);
  for (const event of world.log) expect(eventText(event, world.state)).not.toBe("");
});
