import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "./json.ts";

// Thousands of cases: a busy machine needs its time.

const keysOf = (value: unknown) => Object.keys(value as object);

describe("parsing JSON", () => {
  test("gives every key as it is written, whatever was parsed before", () => {
    const key = fc.string({ unit: fc.constantFrom("\\", "\n", '"', "\0", "\ud800", "u", "a", "#", ":", ",") });
    const texts = fc.array(
      fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, key))).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(texts, (list) => {
        for (const text of list) {
          expect(JSON.stringify(parseJson(text))).toBe(text);
        }
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['{"a":1,"\\\\":1}', '{"a":1,"\\n":1}', ["a", "\n"]],
    ['{"a":1,"\\\\":1}', '{"a":1,"\\u0000":1}', ["a", "\0"]],
    ['{"a":1,"b\\\\":1}', '{"a":1,"b\\"":1}', ["a", 'b"']],
    ['{"a":1,"\\\\":1}', '{ "a" : 1, "\\n"\t: 1 }', ["a", "\n"]],
    ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}', ["h", '"']],
  ])("of %s does not change what %s means", (first, second, keys) => {
    JSON.parse(first);
    expect(keysOf(parseJson(second))).toEqual(keys);
  });

  test("keeps keys that look like a stand-in, and a key named __proto__", () => {
    for (const text of [
      '{"#0":1,"\\n":2,"##1":3}',
      '{"\\n":{"__proto__":{"x":1}},"__proto__":[]}',
      '{"\\n":"#0","x":"\\n"}',
    ]) {
      expect(JSON.stringify(parseJson(text))).toBe(text);
    }
  });

  test("refuses what is not JSON, as JSON.parse does", () => {
    for (const text of [
      "",
      "{",
      '{"\\',
      '{"\\n',
      '{"\\n"',
      '{"\\n":',
      '{"\\x":1}',
      '"\\',
      "\\",
      '\\":',
      '{"a":\\"b":1}',
    ]) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", '"', "\\", ":", "n", "1", ",", "[", "]", " ") }),
        (text) => {
          const outcome = (parse: (text: string) => unknown) => {
            try {
              return JSON.stringify(parse(text));
            } catch (error) {
              return (error as Error).name;
            }
          };
          expect(outcome(parseJson)).toBe(outcome(JSON.parse));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
