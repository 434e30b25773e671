import { expect, test } from "vitest";
import { start } from "../core/core.test-help.ts";
import { relevance, relevant } from "./relevance.ts";
import { channelParts, documentParts } from "./run-parts.ts";

const sha256 = "a".repeat(64);
const write = (document: string) =>
  ({ type: "document.write", document, sha256, size: 10, expected_version: 0 }) as const;

test("a text that the task names or shares words with concerns it; another does not", () => {
  const task = "Compare the prices of memory chips in Europe, as decisions.md says";
  const of = (name: string, text: string) => relevance(task, { name, text, newness: 0 }).score;
  expect(of("decisions.md", "nothing of it")).toBeGreaterThan(1);
  expect(of("a.md", "Prices of memory chips in Europe rose")).toBeGreaterThan(of("b.md", "Prices of bread"));
  expect(of("b.md", "A recipe for leek soup")).toBeLessThan(relevant);
});

test("documents that concern the task are shown, of the others a line; each says why", async () => {
  const world = start();
  world.node({ name: "prices", worker: "alice", task: "Compare prices of memory chips" });
  for (const name of ["chips.md", "soup.md"]) world.tell(write(name), "coordinator");
  const read = async ({ name }: { name: string }) =>
    name === "chips.md" ? "Prices of memory chips" : "A recipe: leek, salt";
  const parts = await documentParts(world.state, world.thinker("alice"), read);
  expect(parts.map(({ source, value }) => [source, value])).toEqual(
    expect.arrayContaining([
      ["documents/chips.md", "task"],
      ["documents/soup.md", "call"],
    ]),
  );
  expect(parts.every(({ isData, brief, why }) => isData && brief && why)).toBe(true);
  expect(parts.find(({ source }) => source === "documents/chips.md")!.text).toContain("outside_data");
});

test("of what others said, only what concerns the node is shown, and nobody without a node is shown any", () => {
  const world = start();
  const node = world.node({ name: "prices", worker: "alice", task: "Compare prices of memory chips" });
  const say = (text: string) => world.tell({ type: "message.post", from: "bob", to: ["coordinator"], text }, "bob");
  say("The weather is fine");
  say(`The source for ${node} is wrong`);
  say("Prices of memory chips: see the table");
  const parts = channelParts(world.state, world.thinker("alice"));
  expect(parts.map(({ text }) => /source|table|weather/.exec(text)?.[0])).toEqual(["source", "table"]);
  expect(parts[0]!.why).toBe("it names the node or what it builds on");
  expect(channelParts(world.state, world.thinker("bob"))).toEqual([]);
  expect(channelParts(world.state, world.thinker("coordinator"))).toEqual([]);
});
