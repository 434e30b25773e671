import fc from "fast-check";
import { expect, test } from "vitest";
import { layOut } from "./lay-out.ts";

test("JSON is laid out as JSON.stringify would", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      if (!/e[+-]/.test(text)) expect(layOut(text, 1_000_000)).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("blanks are left out, escapes are letters, numbers stay as they are", () => {
  expect(layOut(' { "caf\\u00e9" : [ ] ,\n"n":12345678901234567890 } ', 1_000)).toBe(
    '{\n  "café": [],\n  "n": 12345678901234567890\n}',
  );
});

test("what is longer is cut, and what is none is refused", () => {
  expect(layOut(`[${"1,".repeat(1_000)}1]`, 10)).toBe("[\n  1,\n  1");
  for (const text of ["Not found, try later", '{"a":[1', "]", "[undefined]", "<html>"])
    expect(layOut(text, 100)).toBe(undefined);
});
