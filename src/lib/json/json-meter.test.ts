import { expect, test } from "vitest";
import { createJsonMeter, tooMuchJson } from "./json-meter.ts";

const bounds = { values: 5, depth: 3, bytes: 40 };

test("values, depth and bytes are counted, and what is in strings is not", () => {
  expect(tooMuchJson("[1,2,3,4]", bounds)).toBe(undefined);
  expect(tooMuchJson("[1,2,3,4,5,6]", bounds)).toBe("has more than 5 values");
  expect(tooMuchJson("[[[]],[[]]]", { ...bounds, values: 100 })).toBe(undefined);
  expect(tooMuchJson('{"a":{"b":[{}]}}', bounds)).toBe("is nested deeper than 3 levels");
  expect(tooMuchJson('"[[[[[,,,,,,,,\\",[[[["', bounds)).toBe(undefined);
  expect(tooMuchJson(`"${"a".repeat(40)}"`, bounds)).toBe("has more than 40 bytes");
});

test("a text is counted on over its pieces, and with lines each line anew", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const whole = createJsonMeter(bounds);
  expect(whole(bytes('[1,2,"\\'))).toBe(undefined);
  expect(whole(bytes('",,,,,,",3'))).toBe(undefined);
  expect(whole(bytes("\n,4,5,6]"))).toBe("has more than 5 values");
  const lines = createJsonMeter(bounds, true);
  for (let n = 0; n < 10; n++) expect(lines(bytes("[1,2,3]\n"))).toBe(undefined);
});
