import fc from "fast-check";
import { expect, test } from "vitest";
import { isMarked, merge } from "./merge.ts";

const base = "one\ntwo\nthree\nfour\n";

test("what only one of them changed is taken", () => {
  expect(merge(base, "ONE\ntwo\nthree\nfour\n", "one\ntwo\nthree\nfour\nfive\n")).toEqual({
    text: "ONE\ntwo\nthree\nfour\nfive\n",
    clashes: 0,
  });
  expect(merge(base, "one\nthree\nfour\n", "one\ntwo\nthree\nFOUR\n")).toEqual({
    text: "one\nthree\nFOUR\n",
    clashes: 0,
  });
  expect(merge(base, "one\nTWO\nthree\nfour\n", "one\nTWO\nthree\nfour\n")).toEqual({
    text: "one\nTWO\nthree\nfour\n",
    clashes: 0,
  });
});

test("what both changed is marked, with both of it", () => {
  const { text, clashes } = merge(base, "one\nmine\nthree\nfour\n", "one\ntheirs\nthree\nfour\n");
  expect(clashes).toBe(1);
  expect(text).toBe("one\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> theirs\nthree\nfour\n");
  expect([isMarked(text), isMarked(base)]).toEqual([true, false]);
  expect(merge("", "a", "b").clashes).toBe(1);
});

const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((lines) => lines.join("\n"));

test("without changes of one side it is the other; nothing that anyone added is lost, whichever side is called mine", () => {
  fc.assert(
    fc.property(text, text, text, (was, mine, theirs) => {
      expect(merge(was, mine, was)).toEqual({ text: mine, clashes: 0 });
      expect(merge(was, was, theirs)).toEqual({ text: theirs, clashes: 0 });
      expect(merge(was, mine, mine)).toEqual({ text: mine, clashes: 0 });
      const there = merge(was, mine, theirs);
      expect(there.clashes).toBe(merge(was, theirs, mine).clashes);
      expect(isMarked(there.text)).toBe(there.clashes > 0);
      const [before, lines] = [new Set(was.split("\n")), there.text.split("\n")];
      for (const line of [...mine.split("\n"), ...theirs.split("\n")])
        if (!before.has(line)) expect(lines).toContain(line);
    }),
  );
});
