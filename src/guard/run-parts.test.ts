import { expect, test } from "vitest";
import { start } from "../core/core.test-help.ts";
import { machine } from "../lib/machine/index.ts";
import { createMeaning } from "./meaning.ts";
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

test("of what others said, only what concerns the node is shown, and nobody without a node is shown any", async () => {
  const world = start();
  const node = world.node({ name: "prices", worker: "alice", task: "Compare prices of memory chips" });
  const say = (text: string) => world.tell({ type: "message.post", from: "bob", to: ["coordinator"], text }, "bob");
  say("The weather is fine");
  say(`The source for ${node} is wrong`);
  say("Prices of memory chips: see the table");
  const parts = await channelParts(world.state, world.thinker("alice"));
  expect(parts.map(({ text }) => /source|table|weather/.exec(text)?.[0])).toEqual(["source", "table"]);
  expect(parts[0]!.why).toBe("it names the node or what it builds on");
  expect(await channelParts(world.state, world.thinker("bob"))).toEqual([]);
  expect(await channelParts(world.state, world.thinker("coordinator"))).toEqual([]);
});

/** Texts about money are one direction, others the other one. */
const money = (fails = () => false) => ({
  id: "money",
  embed: async (texts: readonly string[]) => {
    if (fails()) throw new Error("no model");
    return texts.map((text) => Float32Array.from(/price|tariff|fee/i.test(text) ? [1, 0.1] : [0.1, 1]));
  },
});

test("what means the same as the task concerns it without a word in common, and says so", async () => {
  const world = start();
  world.node({ name: "study", worker: "alice", task: "Compare prices" });
  for (const name of ["fees.md", "soup.md"]) world.tell(write(name), "coordinator");
  const say = (text: string) => world.tell({ type: "message.post", from: "bob", to: ["coordinator"], text }, "bob");
  say("Leek is out of stock");
  say("Tariff tables are wrong");
  const read = async ({ name }: { name: string }) => (name === "fees.md" ? "Tariff tables" : "Leek and salt");
  const meaning = createMeaning(money(), machine.clock, 60_000);
  const alice = world.thinker("alice");
  const [plain, near] = [
    await documentParts(world.state, alice, read),
    await documentParts(world.state, alice, read, meaning),
  ];
  const shown = (parts: typeof near) => parts.filter(({ value }) => value === "task").map(({ source }) => source);
  expect(shown(plain)).toEqual([]);
  expect(shown(near)).toEqual(["documents/fees.md"]);
  expect(near.find(({ source }) => source === "documents/fees.md")!.why).toBe("near to the task in meaning");
  const said = await channelParts(world.state, alice, meaning);
  expect(said.map(({ text }) => /Leek|Tariff/.exec(text)?.[0])).toEqual(["Tariff"]);
  expect(await channelParts(world.state, alice)).toEqual([]);
});

test("an embedder that fails or hangs costs the meaning only, and is asked again", async () => {
  let isDown = true;
  const meaning = createMeaning(
    money(() => isDown),
    machine.clock,
    60_000,
  );
  expect(await meaning("prices", ["fees"])).toEqual([0]);
  isDown = false;
  expect((await meaning("prices", ["fees"]))[0]).toBeCloseTo(1);
  const hangs = createMeaning({ id: "h", embed: () => new Promise(() => undefined) }, machine.clock, 1);
  expect(await hangs("prices", ["fees"])).toEqual([0]);
});
