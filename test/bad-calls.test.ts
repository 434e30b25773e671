/**
 * What models get wrong in their calls. Every call gets exactly one result, in order; the log opens again to the same state, and the loop
 * goes on. Once with a model that plays, in simulation; once over HTTP, through the real backends, on a real disk.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { backendsAt, models, serve } from "../src/backend/server.test-help.ts";
import { anthropicCalls, anthropicWords, openaiStream, type Written } from "../src/backend/streams.test-help.ts";
import { wrongForAnthropic, wrongForOpenAI } from "../src/backend/valid.test-help.ts";
import { canonical } from "../src/core/state.ts";
import { results } from "../src/runtime/model.test-help.ts";
import { start } from "../src/runtime/runtime.test-help.ts";
import type { Thinker } from "../src/schema/worker.ts";
import { readLog } from "./crash/check.ts";
import { openHouse } from "./crash/house.ts";
import { newHome } from "./desk.ts";
import { until } from "./until.ts";

interface Bad {
  what: string;
  calls: Written[];
  /** What the result of each says; `ok` if it went well. */
  says: RegExp | "ok";
}

const file = (n: number | string) => JSON.stringify({ path: `${n}.md`, content: `${n}` });
const one = (name: string, args: string, id = "c1"): Written[] => [{ id, name, args }];
const many = (count: number, make: (n: number) => Partial<Written>): Written[] =>
  Array.from({ length: count }, (_, n) => ({ id: `c${n}`, name: "write_file", args: file(n), ...make(n) }));

const megabytes = 5_000_000;

// biome-ignore format: a table
const bad: Bad[] = [
  { what: "JSON that breaks off", calls: one("write_file", '{"path":"a.md","content":"'), says: /write_file: input: .*It takes \{path: string/ },
  { what: "no JSON at all", calls: one("write_file", "path=a.md"), says: /write_file: input: / },
  { what: "a list instead of an object", calls: one("write_file", '["a.md"]'), says: /write_file: input: / },
  { what: "a number, a text and nothing", calls: many(3, (n) => ({ args: ["7", '"x"', "null"][n]! })), says: /write_file: input: / },
  { what: "no arguments", calls: one("write_file", ""), says: /write_file: (path: .*content|input): / },
  { what: "a tool that is not there", calls: one("rm_rf", "{}"), says: /no tool of that name. You have .*write_file/ },
  { what: "tools that every object has", calls: many(4, (n) => ({ name: ["__proto__", "constructor", "toString", "hasOwnProperty"][n]!, args: "{}" })), says: /no tool of that name/ },
  { what: "wrong types", calls: one("write_file", '{"path":7,"content":{"a":[null]}}'), says: /write_file: path: .*; content: / },
  { what: "__proto__ in the arguments", calls: one("write_file", '{"__proto__":{"path":"p.md","content":"polluted"},"constructor":{"prototype":{"polluted":1}}}'), says: /write_file: path: / },
  { what: "arguments nested ten thousand levels deep", calls: one("write_file", `{"path":"a.md","content":${"[".repeat(10_000)}${"]".repeat(10_000)}}`), says: /write_file: (content|input): / },
  { what: "200 calls at once", calls: many(200, () => ({})), says: "ok" },
  { what: "200 bad calls at once", calls: many(200, (n) => ({ args: n % 2 ? `{${n}` : `[${n}]` })), says: /write_file: input: / },
  { what: "5 MB of arguments that a tool does not take", calls: one("send_message", JSON.stringify({ to: "x".repeat(megabytes) })), says: /send_message: content: / },
  { what: "5 MB of arguments to no tool", calls: one("rm_rf", JSON.stringify({ x: "y".repeat(megabytes) })), says: /no tool of that name/ },
  { what: "5 MB of broken arguments", calls: one("write_file", `{"path":"a.md","content":"${"z".repeat(megabytes)}`), says: /write_file: input: / },
  { what: "the same id for all", calls: many(5, () => ({ id: "same" })), says: "ok" },
  { what: "no id at all", calls: many(5, () => ({ id: "" })), says: "ok" },
  { what: "ids that no provider takes", calls: many(3, (n) => ({ id: ["a b\n/ü", "x".repeat(300), "<\"&'>"][n]! })), says: "ok" },
];

/** One result for each call, in the order of the calls, and each says what it should. */
function check({ calls, says }: Bad, given: readonly { outcome: string; result: string }[]): void {
  expect(given).toHaveLength(calls.length);
  for (const { outcome, result } of given) {
    expect(outcome).toBe(says === "ok" ? "ok" : "error");
    if (says !== "ok") expect(result).toMatch(says);
    expect(result.length).toBeLessThan(5_000);
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

/** Where two long texts begin to differ, and how; nothing if they do not. A diff of megabytes would take for ever. */
function apartAt(a: string, b: string): string {
  if (a === b) return "";
  let at = 0;
  while (a[at] === b[at]) at++;
  return `at ${at}: ${a.slice(at - 200, at + 100)} … and … ${b.slice(at - 200, at + 100)}`;
}

const parsed = (args: string): unknown => {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
};

describe("in simulation, a model that gives", () => {
  test.for(bad)("$what gets one result for each call and goes on", async (one) => {
    const calls = one.calls.map(({ id, name: tool, args }) => ({ id, tool, input: parsed(args) }));
    const world = start({ play: { coordinator: [{ calls }, {}, { say: "I go on." }] } });
    await world.begin();
    await world.create();
    await world.pass();
    expect(world.asked).toHaveLength(2);
    check(one, results(world.asked[1]!));
    const before = canonical(world.state());
    await world.restart();
    await world.pass(1_000);
    expect(canonical(world.state())).toBe(before);
    await world.send("a1", { type: "message.post", from: "human", text: "go on" });
    await world.pass();
    expect(world.asked).toHaveLength(3);
    expect(world.notices).toEqual([]);
  });
});

test("a model that makes the same bad call 200 times at once gets 200 results and a question to the human, and goes on with the answer", async () => {
  const calls = many(200, () => ({ id: "same" })).map(({ id }) => ({ id, tool: "write_file", input: [] }));
  const world = start({ play: { coordinator: [{ calls }, { say: "I go on." }] } });
  await world.begin();
  await world.create();
  await world.pass();
  expect(world.asked).toHaveLength(1);
  const [question] = [...world.state().questions.values()];
  expect(question).toMatchObject({ status: "open", text: expect.stringContaining("the same tool call 200 times") });
  await world.send("a1", { type: "question.answer", answer: "write a file with a name" });
  await world.pass();
  expect(world.asked).toHaveLength(2);
  expect(results(world.asked[1]!)).toHaveLength(200);
});

const anthropic = {
  name: "Anthropic",
  model: models.anthropic,
  calls: anthropicCalls,
  words: anthropicWords("Well."),
  wrong: wrongForAnthropic,
};
const openai = {
  name: "OpenAI",
  model: models.openai,
  calls: (calls: readonly Written[]) => openaiStream({ calls }),
  words: openaiStream({ calls: [] }),
  wrong: wrongForOpenAI,
};

describe.each([anthropic, openai])("over HTTP, $name that gives", ({ model, calls, words, wrong }) => {
  test.for(bad)("$what gets one result for each call and goes on", async (bad) => {
    const server = await serve();
    const backend = backendsAt(server.url).backend(model);
    const home = newHome();
    server.streams(calls(bad.calls), words, words);
    let house = await openHouse({ home, backend });
    onTestFinished(async () => {
      await house.close();
      await rm(home, { recursive: true, force: true });
    });
    await house.runtime.create({ name: "a1", goal: "go on", model });
    const quiet = () => expect(house.runtime.opened("a1")?.running()).toEqual(new Set());
    const ended = () =>
      (house.state("a1")!.participants.get("coordinator") as Thinker).conversation.flatMap((line) =>
        line.role === "tool" ? [line] : [],
      );
    await until(() => expect(server.asked).toHaveLength(2));
    await until(quiet);
    check(bad, ended());
    expect(wrong(server.asked[1]!.body)).toBeUndefined();
    await house.runtime.opened("a1")!.live.durable();
    await house.runtime.opened("a1")!.settled(); // its files are saved
    const before = canonical(house.state("a1")!);
    await house.close();
    expect(readLog(join(home, "agents/a1/events.jsonl")).wrong).toEqual([]);
    house = await openHouse({ home, backend });
    expect(apartAt(before, await house.runtime.read("a1", canonical))).toBe("");
    await house.runtime.send("a1", { type: "message.post", from: "human", text: "go on" });
    await until(() => expect(server.asked).toHaveLength(3));
    await until(quiet);
    expect(wrong(server.asked[2]!.body)).toBeUndefined();
    expect(house.notices).toEqual([]);
  });
});
