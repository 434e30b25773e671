import { expect, test } from "vitest";
import { mark } from "./blocks.ts";

/** Runs the function `f` of the marked source; what it returned, and which of its blocks were reached. */
function run(source: string, ...given: unknown[]) {
  const { text, blocks } = mark("f.ts", source);
  const reached = new Uint8Array(blocks);
  const value: unknown = new Function("__blocks", `${text}; return f;`)(reached)(...given);
  return { value, reached: [...reached].join("") };
}

test.each([
  [
    "a branch",
    "function f(a) { if (a) { return 1 } else return 2 }",
    [
      [1, "101"],
      [2, "110"],
    ],
  ],
  [
    "a branch without another",
    "function f(a) { if (a) return 1; return 2 }",
    [
      [1, "11"],
      [2, "10"],
    ],
  ],
  [
    "a condition",
    "function f(a) { return a ? 1 : 2 }",
    [
      [1, "110"],
      [2, "101"],
    ],
  ],
  [
    "a right side",
    "const f = (a) => a || 2",
    [
      [true, "10"],
      [2, "11"],
    ],
  ],
  [
    "a missing value",
    "const f = (a) => a.b ?? a.c?.(1)",
    [
      [undefined, "11"],
      [undefined, "11"],
    ],
  ],
  [
    "an arrow that makes an object",
    "const f = (a) => ({ a })",
    [
      [{ a: true }, "1"],
      [{ a: false }, "1"],
    ],
  ],
  [
    "a loop",
    "function f(a) { let n = 0; for (; a && n < 3; ) n++; return n }",
    [
      [3, "111"],
      [0, "100"],
    ],
  ],
  [
    "a choice",
    "function f(a) { switch (a) { case true: return 1; default: return 2 } }",
    [
      [1, "110"],
      [2, "101"],
    ],
  ],
  [
    "an assignment",
    "function f(a) { a ||= 5; return a }",
    [
      [true, "10"],
      [5, "11"],
    ],
  ],
  [
    "chains",
    "const f = (a) => a ? a && 1 : a ? 2 : !a && (() => 3)()",
    [
      [1, "11010000"],
      [3, "10100111"],
    ],
  ],
] as const)("%s is marked where it begins, and means the same", (_, source, [yes, no]) => {
  const [first, second] = [
    run(source, source.includes("a.b") ? {} : true),
    run(source, source.includes("a.b") ? {} : false),
  ];
  expect([first.value, first.reached]).toEqual(yes);
  expect([second.value, second.reached]).toEqual(no);
});

test("marks of nested blocks keep their order, types stay, and no line moves", () => {
  const source =
    "export const f = async (a: number): Promise<string | undefined> =>\n  a > 1 ? (a as never) : await g(() => a);\n";
  const { text, blocks } = mark("f.ts", source, 7);
  expect(blocks).toBe(4);
  expect(text).toBe(
    "export const f = async (a: number): Promise<string | undefined> =>\n" +
      "  (__blocks[7]=1,a > 1 ? (__blocks[8]=1,(a as never)) : (__blocks[9]=1,await g(() => (__blocks[10]=1,a))));\n",
  );
});
