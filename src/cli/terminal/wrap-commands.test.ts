import { expect, test } from "vitest";
import { commandRef } from "../../lib/command-line.ts";
import { wrapCommands } from "./wrap-commands.ts";

test("a text is broken between words, and never inside a command", () => {
  const text = `mend it, then ${commandRef("skill accept sly --agent bag")}: what was there before holds`;
  expect(wrapCommands(text, 40)).toEqual([
    "mend it, then",
    "agiraph skill accept sly --agent bag:",
    "what was there before holds",
  ]);
  expect(wrapCommands(text, 10)).toContain("agiraph skill accept sly --agent bag:");
  expect(wrapCommands("a\x1b[31m b", 80)).toEqual(["a<U+001B>[31m b"]);
});
