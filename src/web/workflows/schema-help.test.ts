import { describe, expect, test } from "vitest";
import { fixOf } from "./problems.ts";
import { helpAt, placeAt } from "./schema-help.ts";

const file = `name: brief
budget: { usd: 3 }
workers:
  Ada: looks things up
  Ben:
    role: writes
    model: m

nodes:
  - id: facts
    title: What is known
    checks: [{ file: page.md }]
  - title: Page
    spec: Write it
stages: [{ name: Look }]
`;
/** The place of the mark |. */
const at = (marked: string) => [marked.replace("|", ""), marked.indexOf("|")] as const;
const after = (words: string): number => file.indexOf(words) + words.length;

describe("the place in a workflow file", () => {
  test.each([
    ["name: br", []],
    ["budget: { us", ["budget"]],
    ["  Ada: looks", ["workers"]],
    ["    role: wr", ["workers", "Ben"]],
    ["    model: m", ["workers", "Ben"]],
    ["- id: fa", ["nodes", 0]],
    ["    title: What", ["nodes", 0]],
    ["  - title: Pa", ["nodes", 0]],
    ["    spec: Wr", ["nodes", 0]],
  ] as const)("after %j is %j", (words, path) => {
    expect(placeAt(file, after(words)).path).toEqual(path);
  });

  test("of an empty line is what its indentation says", () => {
    expect(placeAt(...at("workers:\n  Ben:\n    role: writes\n    |")).path).toEqual(["workers", "Ben"]);
    expect(placeAt(...at("workers:\n  Ben:\n    role: writes\n  |")).path).toEqual(["workers"]);
    expect(placeAt(...at("workers:\n  Ben:\n    role: writes\n|")).path).toEqual([]);
    expect(placeAt(...at("nodes:\n  - id: a\n    |")).path).toEqual(["nodes", 0]);
  });

  test("knows what is written there already, and not what is elsewhere", () => {
    const usedAfter = (words: string) => [...placeAt(file, after(words)).used].sort();
    expect(usedAfter("    role: wr")).toEqual(["model", "role"]);
    expect(usedAfter("    title: What")).toEqual(["checks", "id", "title"]);
    expect(usedAfter("    spec: Wr")).toEqual(["spec", "title"]);
    expect([...placeAt(file, 0).used].sort()).toEqual(["budget", "name", "nodes", "stages", "workers"]);
  });
});

test("the fields that a place may have come from the schema, with what they are for", () => {
  const top = helpAt(file, 0);
  expect(top.fields.map(({ name }) => name)).toEqual(expect.arrayContaining(["about", "agents", "kickoff", "nodes"]));
  const worker = helpAt(file, after("    role: wr"));
  expect([worker.at, worker.fields.find(({ name }) => name === "model")]).toMatchObject([
    "workers, Ben",
    { used: true, kind: "text" },
  ]);
  const node = helpAt(file, after("    spec: Wr"));
  expect(node.fields.find(({ name }) => name === "title")).toMatchObject({ required: true, used: true });
  expect(node.fields.find(({ name }) => name === "depends_on")).toMatchObject({ kind: "list", required: false });
  expect(node.fields.find(({ name }) => name === "depends_on")?.about).toBeTruthy();
  expect(helpAt("nonsense:\n  deeper:\n    x", 24).fields).toEqual([]);
});

test("a mistake is mended where it is, if it is known what was meant", () => {
  const text = "workers:\n  Ada: x\nnods: []\n";
  const problem = { line: 3, column: 1, message: "nods is not a field of a workflow; did you mean nodes?" };
  expect(fixOf(problem, text)).toEqual({ word: "nodes", text: "workers:\n  Ada: x\nnodes: []\n" });
  expect(fixOf({ ...problem, message: "nods is not a field" }, text)).toBeUndefined();
  expect(fixOf({ ...problem, line: 9 }, text)).toBeUndefined();
  expect(fixOf({ ...problem, line: null, column: null }, text)).toBeUndefined();
});
