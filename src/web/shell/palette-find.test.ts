import { expect, test } from "vitest";
import { find } from "./palette-find.ts";
import type { Item } from "./palette-items.ts";

const item = (kind: Item["kind"], name: string, more: Partial<Item> = {}): Item => ({
  ...{ id: `${kind}-${name}`, kind, name, about: "", go: () => undefined },
  ...more,
});
const items = [
  item("page", "Graph", { about: "chips" }),
  item("agent", "chips", { about: "Map the AI chip landscape" }),
  item("person", "Amanda", { about: "chips" }),
  item("node", "n5-amd", { about: "AMD: MI355X and software" }),
  item("node", "n6-cloud", { about: "Not only AMD" }),
  item("command", "Stop chips"),
];
const names = (text: string, recent: string[] = []) =>
  find(items, text, recent).map(({ title, items: found }) => `${title}: ${found.map(({ name }) => name).join(", ")}`);

test("what begins with the words comes before what has them somewhere; the rest is told by its kind", () => {
  expect(names("amd")).toEqual(["Best match: n5-amd", "Nodes: n6-cloud"]);
  expect(names("chips")).toEqual(["Best match: chips", "People: Amanda", "Go to: Graph", "Do: Stop chips"]);
  expect(names("software amd")).toEqual(["Best match: n5-amd"]);
  expect(names("nothing like it")).toEqual([]);
});

test("a sign in front asks for people, nodes or commands alone", () => {
  expect(names("@")).toEqual(["People: Amanda"]);
  expect(names("#am")).toEqual(["Nodes: n5-amd, n6-cloud"]);
  expect(names(">stop")).toEqual(["Do: Stop chips"]);
});

test("of two alike the one of the agent that is looked at comes first", () => {
  const two = [item("node", "n1-a", { id: "far" }), item("node", "n1-a", { id: "near", near: true })];
  expect(find(two, "#n1", [])[0]!.items.map(({ id }) => id)).toEqual(["near", "far"]);
});

test("nothing written: what was used last, then where one can go and what one can do", () => {
  expect(names("", ["node-n6-cloud", "gone"])).toEqual([
    "Recent: n6-cloud",
    "Go to: Graph",
    "Agents: chips",
    "Do: Stop chips",
  ]);
});
