import { expect, test } from "vitest";
import { start } from "../core.test-help.ts";
import { unmergedOf, unmergedText } from "./unmerged.ts";

const [base, one, two] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string];

function based() {
  const world = start();
  world.tell({ type: "workspace.base", kind: "repository", base, branch: "main" });
  const publish = (node: string, commit: string, paths = ["a.txt"]) => {
    world.tell({ type: "workspace.open", workspace: node, from: base });
    world.tell({ type: "node.assign", node, worker: "alice" });
    world.begin("alice");
    const files = paths.map((path) => ({ path, status: "added" as const, binary: false, added: 1, removed: 0 }));
    const change = { base, commit, files, added: paths.length, removed: 0 };
    world.tell({ type: "node.publish", node, summary: "s", files: [], partial: true, change }, "alice");
  };
  return { world, publish };
}

test("a published change is unmerged until it is merged; one without files never is", () => {
  const { world, publish } = based();
  const node = world.node();
  expect(unmergedOf(world.state)).toEqual([]);
  publish(node, one);
  publish(world.node(), base, []);
  expect(unmergedOf(world.state)).toEqual([node]);
  world.tell({ type: "workspace.merge", workspace: node, commit: one, integration: one, onto: base });
  expect(unmergedOf(world.state)).toEqual([]);
});

test("a change that a retry replaced is not missed; without the retry's own it is", () => {
  const { world, publish } = based();
  const node = world.node();
  publish(node, one);
  const retry = world.node({ retry_of: node });
  expect(unmergedOf(world.state)).toEqual([node]);
  publish(retry, two);
  expect(unmergedOf(world.state)).toEqual([retry]);
  world.tell({ type: "workspace.merge", workspace: retry, commit: two, integration: two, onto: base });
  expect(unmergedOf(world.state)).toEqual([]);
});

test("a run that ends with an unmerged change says so in the log and in its state", () => {
  const { world, publish } = based();
  const node = world.node();
  publish(node, one);
  const events = world.tell({ type: "run.finish", summary: "done" }, "coordinator");
  expect(events[0]).toMatchObject({ type: "run.completed", data: { unmerged: [node] } });
  expect(world.state.run).toMatchObject({ status: "completed", unmerged: [node] });
});

test("many are counted, none is nothing", () => {
  const many = Array.from({ length: 25 }, (_, at) => `n${at + 1}-x`);
  expect(unmergedText(many)).toMatch(/^Not merged: n1-x, .*, n20-x and 5 more\. /);
  expect(unmergedText([])).toBe("");
});
