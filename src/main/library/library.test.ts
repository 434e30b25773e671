import { expect, test } from "vitest";
import { assertNode } from "./library.ts";

test.each([
  ["20.20.2", undefined],
  ["22.22.2", "3.51.2"],
  ["24.0.0", "3.49.1"],
  ["25.8.2", "3.52.0"],
])("Node %s with SQLite %s is told that it is too old, and what is new enough", (node, sqlite) => {
  expect(() => assertNode({ node, sqlite })).toThrow(`needs Node 22.22.3, 24.15, 25.9 or newer, and this is ${node}`);
});

test.each([
  ["22.22.3", "3.51.3"],
  ["24.15.0", "3.51.3"],
  ["24.16.0", "3.53.0"],
])("Node %s with SQLite %s is new enough", (node, sqlite) => {
  expect(() => assertNode({ node, sqlite })).not.toThrow();
});

test("so is the Node that runs this", () => {
  expect(() => assertNode(process.versions)).not.toThrow();
});
