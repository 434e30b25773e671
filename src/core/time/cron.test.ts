import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusal } from "../core.test-help.ts";
import { cronTimes } from "./cron.ts";

const ms = (text: string) => Date.parse(text);
const text = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString().slice(0, 16));

function times(pattern: string, zone: string, from: string, count: number): (string | undefined)[] {
  const next = cronTimes(pattern, zone);
  const found: (string | undefined)[] = [];
  for (let at: number | undefined = next(ms(from)); found.length < count; at = next(at)) {
    found.push(text(at));
    if (at === undefined) break;
  }
  return found;
}

describe("on the nights when clocks change", () => {
  test("a time that the night leaves out runs once, at the first valid instant", () => {
    expect(times("30 2 * * *", "America/New_York", "2024-03-09T12:00Z", 2)).toEqual([
      "2024-03-10T07:00",
      "2024-03-11T06:30",
    ]);
    expect(times("0,15,30 2 * * *", "America/New_York", "2024-03-09T12:00Z", 2)).toEqual([
      "2024-03-10T07:00",
      "2024-03-11T06:00",
    ]);
    expect(times("30 0 * * *", "America/Santiago", "2024-09-07T12:00Z", 1)).toEqual(["2024-09-08T04:00"]);
  });

  test("a time that the night has twice runs the first time only, whenever it is asked", () => {
    expect(times("30 1 * * *", "America/New_York", "2024-11-02T12:00Z", 2)).toEqual([
      "2024-11-03T05:30",
      "2024-11-04T06:30",
    ]);
    for (const asked of ["05:30", "05:45", "06:00", "06:10", "06:30", "06:45"]) {
      expect(times("30 1 * * *", "America/New_York", `2024-11-03T${asked}Z`, 1)).toEqual(["2024-11-04T06:30"]);
    }
    expect(times("0 2 * * *", "America/New_York", "2024-11-03T06:10:00Z", 1)).toEqual(["2024-11-03T07:00"]);
  });

  test("every so many minutes has no pause and no burst", () => {
    for (const from of ["2024-11-03T04:30Z", "2024-03-10T05:30Z"]) {
      const found = times("*/20 * * * *", "America/New_York", from, 15).map((at) => ms(`${at}Z`));
      for (let at = 1; at < found.length; at++) expect(found[at]! - found[at - 1]!).toBe(1_200_000);
    }
    expect(times("@hourly", "America/New_York", "2024-11-03T04:30Z", 3)).toEqual([
      "2024-11-03T05:00",
      "2024-11-03T06:00",
      "2024-11-03T07:00",
    ]);
  });

  /* Shifts at 2:00, at 1:00 UTC, at midnight, by half an hour, on the southern half, and none. */
  const zones = [
    "America/New_York",
    "Europe/London",
    "America/Santiago",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Asia/Kolkata",
  ];
  const daily = ["30 0 * * *", "30 1 * * *", "30 2 * * *"];
  test.each(zones.flatMap((zone) => daily.map((pattern) => [zone, pattern] as const)))(
    "in %s %s runs once each day from 2024 to 2030",
    (zone, pattern) => {
      const day = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
      const next = cronTimes(pattern, zone);
      const runs = new Map<string, number>();
      for (let at = next(ms("2023-12-31T00:00Z")); at !== undefined && at < ms("2031-01-02T00:00Z"); at = next(at)) {
        runs.set(day.format(at), (runs.get(day.format(at)) ?? 0) + 1);
      }
      const days: string[] = [];
      for (let at = ms("2024-01-01T12:00Z"); at < ms("2031-01-01T00:00Z"); at += 86_400_000)
        days.push(new Date(at).toISOString().slice(0, 10));
      expect(days.filter((one) => runs.get(one) !== 1)).toEqual([]);
    },
  );

  test("the next time does not depend on when it is asked", () => {
    const pattern = fc.constantFrom(
      "30 0 * * *",
      "30 1 * * *",
      "*/30 2 * * *",
      "0 */3 * * *",
      "15 1,2,3 * * 0",
      "*/20 * * * *",
      "0 0 0 1 * *",
    );
    const around = fc.constantFrom(
      "2024-03-10T07:00Z",
      "2024-11-03T06:00Z",
      "2024-09-08T04:00Z",
      "2024-04-07T03:00Z",
      "2024-10-05T15:30Z",
    );
    fc.assert(
      fc.property(
        pattern,
        fc.constantFrom(...zones),
        around,
        fc.integer({ min: -10_800, max: 10_800 }),
        (given, zone, about, seconds) => {
          const asked = ms(about) + seconds * 1000;
          const next = cronTimes(given, zone);
          const answer = next(asked)!;
          expect(answer).toBeGreaterThan(asked);
          let chained = asked - 3 * 86_400_000;
          for (let at: number | undefined = chained; at !== undefined && at <= asked; at = next(at))
            chained = next(at)!;
          expect(text(answer)).toBe(text(chained));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("the calendar's rare days are found, and days that do not exist are given up", () => {
  expect(times("0 0 29 2 *", "UTC", "2024-02-29T00:00Z", 1)).toEqual(["2028-02-29T00:00"]);
  expect(times("0 0 30 2 *", "UTC", "2024-01-01T00:00Z", 1)).toEqual([undefined]);
  expect(times("0 0 31 * *", "UTC", "2026-01-31T00:00Z", 2)).toEqual(["2026-03-31T00:00", "2026-05-31T00:00"]);
});

test("seconds come first when there are six fields", () => {
  expect(new Date(cronTimes("15 30 9 * * 1-5")(ms("2026-01-03T00:00Z"))!).toISOString()).toBe(
    "2026-01-05T09:30:15.000Z",
  );
});

test.each([
  "",
  "x",
  "* * * *",
  "61 * * * *",
  "0 0 * * 8",
  "? * * * *",
  "0 0 0 1 1 * 2030",
  "2030-01-01T00:00:00",
  "@never",
  "@reboot",
])("%j is refused with what would be allowed", (pattern) => {
  expect(refusal(() => cronTimes(pattern))).toMatch(/^invalid: ".*" is not a cron expression.*allowed are 5 fields/s);
});

test("a zone that does not exist is refused", () => {
  expect(refusal(() => cronTimes("0 0 * * *", "Mars/Phobos"))).toBe(
    'invalid: "Mars/Phobos" is not a known time zone; use an IANA name such as UTC or Europe/Berlin',
  );
});

test("blanks around a pattern and the case of its words do not matter", () => {
  for (const [given, plain] of [
    ["  30 9 * * 1-5 ", "30 9 * * 1-5"],
    [" @HOURLY ", "@hourly"],
    ["\t*/20 * * * *\n", "*/20 * * * *"],
  ] as const) {
    const night = "2024-11-03T04:30Z";
    expect(times(given, "America/New_York", night, 5)).toEqual(times(plain, "America/New_York", night, 5));
  }
});

test("a zone may be seconds away from the hour, to either side", () => {
  const noon = (zone: string, day: string) => new Date(cronTimes("0 12 * * *", zone)(ms(day))!).toISOString();
  expect(noon("Europe/Paris", "1900-01-10T00:00Z")).toBe("1900-01-10T11:50:39.000Z");
  expect(noon("Africa/Monrovia", "1960-01-10T00:00Z")).toBe("1960-01-10T12:44:30.000Z");
});
