import { expect, test } from "vitest";
import { calendarOf, whenOf } from "./words.ts";

test.each([
  ["0 9 * * 1-5", "Weekdays at 09:00"],
  ["30 18 * * *", "Every day at 18:30"],
  ["5 7 * * 0", "Sundays at 07:05"],
  ["0 18 * * 5", "Fridays at 18:00"],
  ["0 * * * *", "Every hour, on the hour"],
  ["20 * * * *", "Every hour at minute 20"],
  ["0 9 1 * *", "Day 1 of every month at 09:00"],
  ["*/20 9-17 * * 1-5", "By the calendar */20 9-17 * * 1-5"],
  ["0 9 1 * 1", "By the calendar 0 9 1 * 1"],
  ["0 0 9 * * 1", "By the calendar 0 0 9 * * 1"],
])("%s is %s", (cron, words) => {
  expect(calendarOf(cron)).toBe(words);
});

test("the zone is said where there is one", () => {
  expect(whenOf({ type: "scheduled", cron: "0 9 * * *", zone: "Europe/Berlin" })).toBe(
    "Every day at 09:00, Europe/Berlin",
  );
});
