import { expect, test } from "vitest";
import { tokensIn } from "../backend/tokens.ts";
import { tokensInBody } from "./count.ts";

const message = (n: number) => ({
  role: n % 2 ? "assistant" : "user",
  content: [
    { type: "text", text: `Part ${n}: the retry waits 2, 4 and 8 seconds. ${"It ends with an error. ".repeat(20)}` },
  ],
});
const body = (messages: number) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 8_192,
  stream: true,
  system: [{ type: "text", text: "You work on one task. ".repeat(200) }],
  tools: Array.from({ length: 20 }, (_, n) => ({ name: `tool_${n}`, input_schema: { type: "object", n } })),
  messages: Array.from({ length: messages }, (_, n) => message(n)),
});

test("a request has as many tokens by its parts as in one piece, and not fewer", () => {
  for (const messages of [0, 1, 40]) {
    const whole = tokensIn(JSON.stringify(body(messages)));
    expect(tokensInBody(body(messages))).toBeGreaterThanOrEqual(whole);
    expect(tokensInBody(body(messages))).toBeLessThanOrEqual(whole * 1.05);
  }
});

test("what was counted before counts the same again, and each further message adds its own", () => {
  const [short, long] = [tokensInBody(body(40)), tokensInBody(body(41))];
  expect(tokensInBody(body(40))).toBe(short);
  expect(long - short).toBe(tokensIn(JSON.stringify(message(40))) + 1);
});

test("fields that JSON leaves out, and an empty body, count for nothing but their names", () => {
  expect(tokensInBody({})).toBe(0);
  expect(tokensInBody({ stop: undefined })).toBeLessThan(12);
});
