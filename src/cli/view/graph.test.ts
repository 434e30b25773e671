import { createColors } from "picocolors";
import { expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { widthOf } from "../terminal/text.ts";
import { graph } from "./graph.ts";

const look = { width: 80, colors: createColors(false) };

function made(...nodes: [name: string, needs: string[]][]) {
  const world = start();
  for (const [name, needs] of nodes)
    world.tell({ type: "node.create", name, task: name, depends_on: needs.map(idOf(nodes)) }, "coordinator");
  return world.state;
}

const idOf = (nodes: [string, string[]][]) => (name: string) =>
  `n${nodes.findIndex(([one]) => one === name) + 1}-${name}`;

const drawn = (...nodes: Parameters<typeof made>) =>
  graph(made(...nodes), look).map((line) => line.replace(/ n\d+ (\w+) {2}.*/, " $1"));

test("a chain is one rail", () => {
  expect(drawn(["a", []], ["b", ["a"]], ["c", ["b"]])).toEqual(["◌  a", "◌  b", "◌  c"]);
});

test("what two wait for leads to both, and what waits for two is led to by both", () => {
  expect(drawn(["a", []], ["b", ["a"]], ["c", ["a"]], ["d", ["b", "c"]])).toEqual([
    "◌  a",
    "├─◌  b",
    "◌ │  c",
    "◌─╯  d",
  ]);
});

test("a rail that has nothing to do with a node is crossed", () => {
  expect(drawn(["a", []], ["b", []], ["c", []], ["d", ["a", "c"]], ["e", ["b"]])).toEqual([
    "◌  a",
    "│ ◌  b",
    "│ │ ◌  c",
    "◌─┼─╯  d",
    "  ◌  e",
  ]);
});

test("every line fits, however many there are", () => {
  const names = Array.from({ length: 40 }, (_, n) => `node-${n}`);
  const state = made(...names.map((name): [string, string[]] => [name, []]), ["last", names]);
  const lines = graph(state, look);
  expect(lines).toHaveLength(41);
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
});
