import { expect, test } from "vitest";
import type { Clock } from "../../lib/world.ts";
import { createVersions, type Version } from "./versions.ts";

function createAsked(answer: () => Version) {
  let now = 0;
  const clock: Clock = { now: () => now, mono: () => now, after: () => () => undefined };
  const versions = createVersions(clock);
  const asked: string[] = [];
  const of = (mark: string) =>
    versions.of(mark, async () => {
      asked.push(mark);
      return answer();
    });
  return { of, asked, pass: (ms: number) => (now += ms) };
}

test("a version is asked once for a file, and again, in the background, when it is old", async () => {
  let version = "1.0";
  const { of, asked, pass } = createAsked(() => ({ version }));
  expect(await Promise.all([of("a"), of("a")])).toEqual([{ version: "1.0" }, { version: "1.0" }]);
  await of("a, replaced");
  expect(asked).toEqual(["a", "a, replaced"]);
  version = "2.0";
  pass(60_001);
  expect(await of("a")).toEqual({ version: "1.0" });
  expect(asked).toHaveLength(3);
  expect(await of("a")).toEqual({ version: "2.0" });
  expect(asked).toHaveLength(3);
});

test("a failure is not remembered", async () => {
  let answer: Version = { why: "no" };
  const { of } = createAsked(() => answer);
  expect(await of("a")).toEqual({ why: "no" });
  answer = { version: "1.0" };
  expect(await of("a")).toEqual({ version: "1.0" });
});
