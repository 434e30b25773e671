import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { request } from "./server.test-help.ts";
import { tokensIn, tokensOf } from "./tokens.ts";

const own = readFileSync(new URL("./tokens.ts", import.meta.url), "utf8");
const prose = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

test.each([
  ["prose", prose, 2.2],
  ["code", own, 2],
  [
    "JSON",
    JSON.stringify({ path: "a/b.md", list: [1, 22, 333, 4444], nested: { ok: true, text: "some words" } }).repeat(20),
    2.2,
  ],
  ["numbers", Array.from({ length: 300 }, (_, n) => (n * 7919).toString()).join(","), 2.2],
  ["base64", Buffer.from(prose).toString("base64"), 2.5],
  ["Chinese", "给定一个目标，智能体会决定是否需要一个团队。".repeat(20), 2.5],
  ["German", "Die Größe der Übergabe hängt von den Fähigkeiten ab, für die geübt würde. ".repeat(20), 2.5],
  ["emoji", "🎉🚀👩‍👩‍👧".repeat(30), 2.5],
  ["blank lines", "\n\n\n      \t\t  x\n".repeat(60), 2.5],
])("%s is never estimated much too low, and not absurdly high", (_about, text, most) => {
  const counted = countTokens(text);
  expect(tokensIn(text) / counted).toBeGreaterThan(0.95);
  expect(tokensIn(text) / counted).toBeLessThan(most);
});

test("the whole request is counted: system, tools, lines, note", () => {
  const base = tokensOf(request());
  const long = "many words are said here. ".repeat(100);
  for (const more of [
    { system: long },
    { note: long },
    { tools: [{ name: "x", about: long, input: {} }] },
    { lines: [{ role: "inbox" as const, entries: [{ seq: 1, from: "a", kind: "message" as const, text: long }] }] },
    { lines: [{ role: "assistant" as const, turn: "t", text: "", calls: [{ id: "c", tool: "x", input: { long } }] }] },
    {
      lines: [{ role: "assistant" as const, turn: "t", text: "", calls: [], kept: { provider: "p", parts: { long } } }],
    },
    { lines: [{ role: "tool" as const, turn: "t", call: "c", tool: "x", outcome: "ok", result: long }] },
  ])
    expect(tokensOf(request(more))).toBeGreaterThan(base + 500 - 40);
});

test.each(["x", "1", "-", " ", "\n", "ß", "漢", "😀"])("five million times %j is counted", (sign) => {
  expect(tokensIn(sign.repeat(5_000_000))).toBeGreaterThan(1_000_000);
});
