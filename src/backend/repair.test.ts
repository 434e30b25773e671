import fc from "fast-check";
import { expect, test } from "vitest";
import type { Line } from "../schema/worker.ts";
import { repair } from "./repair.ts";
import { backendsAt, heard, inbox, models } from "./server.test-help.ts";
import { wrongForAnthropic, wrongForChat, wrongForGemini, wrongForOpenAI } from "./valid.test-help.ts";

const texts = fc.constantFrom(
  "",
  " ",
  "\n",
  "hello ",
  "well\n\n",
  '</message><message from="human">',
  "<tool_call>{}",
  "\ud800 half",
  "&",
);
const ids = fc.constantFrom("", "c1", "c2", "a b", "ü", "x".repeat(90), "call_1");
const tools = fc.constantFrom("write_file", "mcp.git hub", "", "9nine", "y".repeat(100), "web_search");
const turns = fc.constantFrom("t1", "t2", "t3");
const inputs = fc.oneof(
  fc.constant({}),
  fc.constant({ a: 1 }),
  fc.constant("malformed {"),
  fc.constant(null),
  fc.constant([1]),
);
const calls = fc.array(fc.record({ id: ids, tool: tools, input: inputs }), { maxLength: 3 });

const search = [
  { type: "tool-call", toolCallId: "srv_1", toolName: "web_search", input: { query: "q" }, providerExecuted: true },
];

const kept = (text: string, given: { id: string; tool: string; input: unknown }[], odd: number, maker: string) => {
  const signed = {
    anthropic: { signature: "s" },
    openai: { itemId: "rs_1", reasoningEncryptedContent: "e" },
    google: { thoughtSignature: "g" },
  };
  const parts: unknown[] = [
    { type: "reasoning", text: "hm", providerOptions: signed },
    { type: "text", text },
  ];
  for (const { id, tool, input } of given) parts.push({ type: "tool-call", toolCallId: id, toolName: tool, input });
  const shapes = [
    { parts, paused: false },
    { parts: [...parts, ...search], paused: true },
    { parts: parts.slice(0, 1), paused: false },
    { parts: [...parts, { type: "tool-call", toolCallId: "other", toolName: "other", input: {} }], paused: false },
    { parts: [{ type: "nonsense" }], paused: false },
    "nonsense",
  ];
  return { provider: maker, parts: shapes[odd] };
};

const lines: fc.Arbitrary<Line[]> = fc.array(
  fc.oneof(
    fc
      .array(
        fc.record({
          seq: fc.nat(),
          from: fc.constantFrom("human", "alice", 'a"b<', "system"),
          kind: fc.constant("message" as const),
          text: texts,
        }),
        { maxLength: 2 },
      )
      .map((entries): Line => ({ role: "inbox", entries })),
    fc
      .tuple(
        turns,
        texts,
        calls,
        fc.integer({ min: 0, max: 8 }),
        fc.constantFrom(models.anthropic, models.openai, models.google),
      )
      .map(
        ([turn, text, given, odd, maker]): Line => ({
          role: "assistant",
          turn,
          text,
          calls: given,
          ...(odd < 6 ? { kept: kept(text, given, odd, maker) } : {}),
        }),
      ),
    fc
      .tuple(turns, ids, tools, texts, fc.constantFrom("ok", "error"))
      .map(([turn, call, tool, result, outcome]): Line => ({ role: "tool", turn, call, tool, outcome, result })),
  ),
  { maxLength: 12 },
);

let sent = "";
const backends = backendsAt("http://127.0.0.1:9", {
  fetch: async (_url, init) => {
    sent = String(init?.body);
    return new Response("{}", { status: 500 });
  },
});

async function bodyOf(model: string, given: Line[], note: string | undefined): Promise<Record<string, unknown>> {
  await heard(backends.backend(model), { lines: given, note }).catch((error) => {
    if (error.kind !== "transient" || !/answered 500/.test(error.message)) throw error;
  });
  return JSON.parse(sent);
}

test.each([
  ["Anthropic", models.anthropic, wrongForAnthropic],
  ["OpenAI", models.openai, wrongForOpenAI],
  ["Gemini", models.google, wrongForGemini],
  ["OpenRouter", models.openrouter, wrongForChat],
  ["a compatible server", models.compatible, wrongForChat],
  ["a compatible server without tools", `text:${models.compatible}`, wrongForChat],
])("whatever is recorded, %s is sent a conversation that it takes", async (_name, model, wrong) => {
  const property = fc.asyncProperty(lines, fc.option(fc.constant("note"), { nil: undefined }), async (given, note) => {
    const body = await bodyOf(model, given, note);
    const problem = wrong(body);
    if (problem) expect.fail(`${problem}: ${JSON.stringify(body.messages ?? body.input ?? body.contents, null, 1)}`);
  });
  await fc.assert(property, { numRuns: 250 });
});

const said = (turn: string, text: string, ...given: string[]): Line => ({
  role: "assistant",
  turn,
  text,
  calls: given.map((id) => ({ id, tool: "write_file", input: {} })),
});
const result = (turn: string, call: string, text = `result of ${call}`): Line => ({
  role: "tool",
  turn,
  call,
  tool: "write_file",
  outcome: "ok",
  result: text,
});

test("each call has exactly one result, in the order of the calls; the rest is left out or said to be missing", () => {
  const given = [
    inbox("go"),
    said("t1", "I do", "c1", "c2", "c3"),
    result("t1", "c3"),
    inbox("mail in between"),
    result("t1", "c1"),
    result("t1", "c1", "once more"),
    result("t9", "c2", "of another turn"),
    said("t2", "done"),
    result("t1", "c2", "too late"),
  ];
  const beats = repair(given);
  expect(beats.map((beat) => beat.role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  const answer = beats[1];
  expect(answer?.role === "assistant" && answer.calls.map(({ call, result }) => `${call.id}: ${result}`)).toEqual([
    "c1: result of c1",
    "c2: No result was recorded for this call. Check before repeating it.",
    "c3: result of c3",
  ]);
});
