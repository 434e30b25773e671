import { expect, test } from "vitest";
import { plainWords } from "./plain-words.ts";

test("a text is said in plain words: no marks, its first sentence", () => {
  expect(plainWords("**Done.** The `table` is in [out.md](https://x.example/a).\n\nMore below.")).toBe("Done.");
  expect(plainWords("The *table* is in [out.md](out.md) at 1.5 s, e.g. for Bob. Then it goes on.")).toBe(
    "The table is in out.md at 1.5 s, e.g. for Bob.",
  );
  expect(plainWords("- one thing\n- another")).toBe("one thing another");
  expect(plainWords("snake_case_names and 2 * 3 * 4 stay")).toBe("snake_case_names and 2 * 3 * 4 stay");
});

test("a heading is followed by what it is about, a question stands alone", () => {
  expect(plainWords("# Report\n\nThree vendors sell. Two do not.")).toBe("Report: Three vendors sell.");
  expect(plainWords("# Report\nThree vendors sell.")).toBe("Report: Three vendors sell.");
  expect(plainWords("## Which colour?\n\nThere are two.")).toBe("Which colour?");
  expect(plainWords("# Report")).toBe("Report");
});

test("code and rules are no words; what is long ends with dots; nothing is nothing", () => {
  expect(plainWords("```ts\nconst a = 1;\n```\n\n---\n\nIt runs.")).toBe("It runs.");
  expect(plainWords("word ".repeat(100))).toMatch(/^(word )+word…$/);
  expect(plainWords("word ".repeat(100)).length).toBeLessThanOrEqual(200);
  expect(plainWords(" \n")).toBe("");
});
