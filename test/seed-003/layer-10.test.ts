/** Layer 10, lasting agents: an identity of their own, in as many teams as name them. Two real teams share alice in test/shared-agent.test.ts. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, openHouse } from "./house.ts";

const alice = { name: "alice", goal: "Review what you are given.", model: "anthropic/alice", start: false };
const say = (team: string, content: string) => call("send_message", { to: `agent:${team}`, content });
const team = (name: string) => ({
  workers: [
    { name: "Alice", role: `Focus on ${name}.`, ref: "alice" },
    { name: "Cody", role: "codes", model: "anthropic/cody" },
  ],
  nodes: [],
  stages: [],
  lead: false as const,
  kickoff: "@Alice please look.",
});

test("an agent is an entity of its own: soul, memory and to-do list are its files, written by its own tools", async () => {
  const { client, rest, home } = await openHouse({
    alice: [
      call("memory_write", { path: "knowledge/tea.md", content: "# Tea\n\nThey drink green tea.\n" }),
      call("todo", { action: "add", text: "Buy tea" }),
      { text: "Noted." },
    ],
  });
  await client.createAgent({ body: { ...alice, start: true, soul: "You explain trade-offs." } });
  await rest("alice");
  const read = (path: string) => readFileSync(join(home, "agents/alice", path), "utf8");
  expect(read("SOUL.md")).toContain("You explain trade-offs.");
  expect(read("memory/knowledge/tea.md")).toContain("green tea");
  expect(read("TODO.md")).toContain("Buy tea");
});

test("a soul has role, expertise, style and principles", async () => {
  const text = `agents:
  ada:
    model: anthropic/ada
    role: reviews
    soul: { role: Reviewer, expertise: [TypeScript], style: terse, principles: [Explain trade-offs] }
kickoff: "@ada go"
`;
  const { client, rest, told } = await openHouse({}, { "workflows/w.yaml": text });
  await client.createAgent({ body: { name: "w", workflow: "w" } });
  await rest("w");
  for (const part of ["Reviewer", "TypeScript", "terse", "Explain trade-offs"])
    expect(told("ada").includes(part)).toBe(true);
});

test("ref puts a lasting agent into a team, with what the team adds to its prompt and never with another soul", async () => {
  const text = `agents:
  alice: { ref: alice, prompt: { append: Focus on security. } }
  cody: { model: anthropic/cody, prompt: { system: Quick helper. } }
kickoff: "@alice please look."
`;
  const replaced = text.replace("prompt: { append: Focus on security. }", "soul: Somebody else.");
  const files = { "workflows/review.yaml": text, "workflows/bad.yaml": replaced };
  const { client, rest, told, channel } = await openHouse(
    { alice: [say("review", "@cody, the token is printed.")] },
    files,
  );
  await client.createAgent({ body: { ...alice, soul: "You explain trade-offs." } });
  await client.createAgent({ body: { name: "review", workflow: "review", model: "anthropic/none" } });
  await rest("review");
  expect(told("alice").includes("Focus on security.")).toBe(true);
  expect(told("alice").includes("You explain trade-offs.")).toBe(true);
  expect(told("cody").includes("Quick helper.")).toBe(true);
  expect(await channel("review")).toContain("alice to cody: @cody, the token is printed.");
  const bad = client.createAgent({ body: { name: "bad", workflow: "bad", model: "anthropic/none" } });
  await expect(bad).rejects.toThrow("soul");
});

test("the same agent is in several workflows, with one conversation, and each has a workspace of its own", async () => {
  const { client, rest, home, told, asked } = await openHouse({
    alice: [
      say("review", "@Cody, seen in review."),
      { text: "." },
      say("deploy", "@Cody, seen in deploy."),
      { text: "." },
    ],
  });
  await client.createAgent({ body: alice });
  for (const name of ["review", "deploy"]) {
    await client.createAgent({ body: { name, model: "anthropic/none", team: team(name) } });
    await rest(name);
    await rest("alice");
    await expect.poll(() => existsSync(join(home, "agents", name, "runs/r1"))).toBe(true);
  }
  const last = () => told("alice", asked("alice").length - 1);
  await expect.poll(() => last().includes("seen in review") && last().includes("seen in deploy")).toBe(true);
});

test("two lasting agents write to each other outside of any team, and answer", async () => {
  const { client, rest, told } = await openHouse({
    alice: [say("bob", "Which port is it?")],
    bob: [{ text: "Ready." }, say("alice", "Port 8080.")],
  });
  await client.createAgent({ body: { ...alice, name: "bob", model: "anthropic/bob", start: true } });
  await rest("bob");
  await client.createAgent({ body: { ...alice, start: true } });
  await expect.poll(() => [1, 2, 3].some((nth) => told("alice", nth).includes("Port 8080."))).toBe(true);
  await rest("alice");
  await rest("bob");
});
