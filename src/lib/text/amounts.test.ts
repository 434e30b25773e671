import { expect, test } from "vitest";
import { bytes, money } from "./amounts.ts";

test("money is written to the cent, and what is less than a cent with four digits", () => {
  expect([0, 0.00001, 0.0042, 0.01, 0.095, 2, 1234.5].map(money)).toEqual([
    "$0.00",
    "< $0.0001",
    "$0.0042",
    "$0.01",
    "$0.10",
    "$2.00",
    "$1234.50",
  ]);
});

test("bytes are written in the unit that keeps them short", () => {
  expect([0, 999, 1000, 12_500, 2_500_000, 3e9].map(bytes)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "12.5 kB",
    "2.5 MB",
    "3.0 GB",
  ]);
});
