import { expect, test } from "vitest";
import { secondsOf } from "./duration.ts";

test.each([
  ["30s", 30],
  ["5m", 300],
  ["1.5h", 5_400],
  ["2 d", 172_800],
  ["500ms", 0.5],
  [45, 45],
  ["0s", undefined],
  [0, undefined],
  ["-5m", undefined],
  ["5", undefined],
  ["0 9 * * 1-5", undefined],
  ["5 minutes", undefined],
])("%j is %j seconds", (given, seconds) => {
  expect(secondsOf(given)).toBe(seconds);
});
