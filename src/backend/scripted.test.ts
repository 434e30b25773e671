import { expect, test } from "vitest";
import { createSimWorld } from "../../sim/world.ts";
import { start } from "../runtime/runtime.test-help.ts";
import type { Part, Request } from "./backend.ts";
import { createScripted, parseScript } from "./scripted.ts";

const request = (participant: string, turns: number): Request => ({
  model: "scripted/test",
  participant,
  turns,
  system: "",
  lines: [],
  tools: [],
});

const script = {
  participants: {
    ann: [
      { say: "one", usd: 0.1, calls: [{ tool: "write_file", input: { path: "a" } }, { tool: "publish" }] },
      { say: "two" },
    ],
  },
};

async function heard(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

test("each turn of a participant plays its step; after the last it says nothing and rests", async () => {
  const backend = createScripted(script, createSimWorld({ seed: 1 }).incarnate().clock);
  const signal = new AbortController().signal;
  const first = [
    { type: "text", text: "one" },
    { type: "call", id: "c1", tool: "write_file", input: { path: "a" } },
    { type: "call", id: "c2", tool: "publish", input: {} },
    { type: "end", cost: { usd: 0.1, tokens: 0 } },
  ];
  expect(await heard(backend.call(request("ann", 1), signal))).toEqual(first);
  expect(await heard(backend.call(request("ann", 1), signal))).toEqual(first);
  expect(await heard(backend.call(request("ann", 2), signal))).toMatchObject([{ text: "two" }, { type: "end" }]);
  expect(await heard(backend.call(request("ann", 3), signal))).toMatchObject([{ type: "end" }]);
  expect(await heard(backend.call(request("bea", 1), signal))).toMatchObject([{ type: "end" }]);
});

test("the price it reserves is the price of the step to come", () => {
  const backend = createScripted(script, createSimWorld({ seed: 1 }).incarnate().clock);
  expect(backend.worst(request("ann", 0))).toEqual({ usd: 0.1, tokens: 0 });
  expect(backend.worst(request("ann", 1))).toEqual({ usd: 0, tokens: 0 });
});

test("a step takes its time, and ends at once when it is aborted", async () => {
  const world = start({
    script: { coordinator: [{ seconds: 1_000, calls: [{ tool: "finish", input: { summary: "late" } }] }] },
  });
  await world.begin();
  await world.create();
  await world.pass(999_000);
  expect(world.state().participants.get("coordinator")).toMatchObject({ turn: { status: "calling" } });
  await world.send("a1", { type: "agent.stop" });
  await world.pass(10);
  expect(world.runtime().opened("a1")?.running().size).toBe(0);
  await world.send("a1", { type: "agent.resume" });
  await world.pass(1_001_000);
  expect(world.state().agent?.status).toBe("active");
});

test.each([
  ["no YAML", "participants: [", /^the script x\.yaml is invalid/],
  ["nothing", "", /^the script x\.yaml is invalid at the top/],
  ["a step that is wrong", "participants: { ann: [{ seconds: -1 }] }", /at participants\.ann\.0\.seconds: /],
])("a script that holds %s is refused and says where", (_about, text, message) => {
  expect(() => parseScript(text, "x.yaml")).toThrow(
    expect.objectContaining({ name: "Problem", code: "invalid", message: expect.stringMatching(message) }),
  );
});
