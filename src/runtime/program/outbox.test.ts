import { expect, test } from "vitest";
import { createOutbox } from "./outbox.ts";

const said = (blocks: { to: string; text: string; nth: number }[]) =>
  blocks.map(({ to, text, nth }) => [to, text, nth]);

test("a block is taken when a line of --- ends it, once, and in the end without one", () => {
  const { take } = createOutbox();
  expect(said(take("TO: bob\nfirst\n---\nto:  Anna Maria \r\nsec", false))).toEqual([["bob", "first", 1]]);
  const file = "TO: bob\nfirst\n---\nto:  Anna Maria \r\nsecond\r\n---\r\n\nthird";
  expect(said(take(file, false))).toEqual([["Anna Maria", "second", 1]]);
  expect(take(file, false)).toEqual([]);
  expect(said(take(file, true))).toEqual([["Anna Maria", "third", 1]]);
  expect(take(file, true)).toEqual([]);
});

test("a file that was begun anew is read from its beginning", () => {
  const { take } = createOutbox();
  expect(said(take("TO: bob\na\n---\na\n---\n", false))).toEqual([
    ["bob", "a", 1],
    ["bob", "a", 2],
  ]);
  expect(said(take("b\n---\nTO: bob\na\n---\n", false))).toEqual([
    ["", "b", 1],
    ["bob", "a", 1],
  ]);
});

test("a line that only begins like a rule, and a TO: without a name, are text", () => {
  expect(said(createOutbox().take("TO:\nx\n--- y\n----\n", true))).toEqual([["", "TO:\nx\n--- y\n----", 1]]);
});

test("many blocks are taken a few at a time, and all of them", () => {
  const { take } = createOutbox();
  const file = Array.from({ length: 1_000 }, (_, n) => `TO: bob\n${n}\n---\n`).join("");
  const all: string[] = [];
  for (let blocks = take(file, true); blocks.length; blocks = take(file, true)) {
    expect(blocks.length).toBeLessThanOrEqual(100);
    all.push(...blocks.map(({ text }) => text));
  }
  expect(all).toEqual(Array.from({ length: 1_000 }, (_, n) => String(n)));
});
