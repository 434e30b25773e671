import { expect, test } from "vitest";
import { addTo, causeOf, type Group, isOf } from "./group.ts";

test.each([
  [
    "/home/agents/a1/runs/r1/nodes/n1-x/published is shown half written: empty",
    "/home/agents/a3/runs/r12/nodes/n4-x/published is shown half written: empty",
  ],
  [
    "a1: ann.5 consumes up to 12, but 19 was handled before",
    "a2: coordinator.11 consumes up to 7, but 70 was handled before",
  ],
  ['a1: could run ann {"id":"ann","unread":[1]}', 'a2: could run bea {"id":"bea"}'],
  [
    "a1: 36/post is sent although nothing says that it should be",
    "a3: 7/post is sent although nothing says that it should be",
  ],
  ["a1: the state is not the fold of the log\nfold: …x", "a1: the state is not the fold of the log\nfold: …y"],
  ["half written: a.md, notes.md", "half written: report.md"],
  [
    "a3: GOAL.md was written (edit 3 of GOAL.md xxxxxx), and its text is not kept",
    "a1: runs/r1/nodes/n3-x/_spec.md was written (edit 5 of nodes/n3-x/_spec.md xxxxx), and its text is not kept",
  ],
  ["a1: 1/post, 2/post to send", "a1: 9/post to send"],
])("%s has the cause of %s", (one, other) => {
  expect(causeOf(one)).toBe(causeOf(other));
});

test.each([
  ["a1: n1 was assigned while running (event 5)", "a1: n1 was assigned while completed (event 5)"],
  ["published is shown half written: empty", "published is shown half written: notes.md"],
  ["a1: ann never ended", "a1: ann runs without a worker"],
])("%s has another cause than %s", (one, other) => {
  expect(causeOf(one)).not.toBe(causeOf(other));
});

test("violations of one cause are one group that keeps its smallest worlds", () => {
  const groups: Group<number>[] = [];
  for (let n = 20; n > 0; n--)
    addTo(groups, { invariant: "I1", what: `p${n} is lost` }, { world: n, size: n, commit: "c" });
  addTo(groups, { invariant: "I2", what: "p1 is lost" }, { world: 0, size: 0, commit: "c" });
  expect(groups.map(({ invariant, times }) => [invariant, times])).toEqual([
    ["I1", 20],
    ["I2", 1],
  ]);
  expect(groups[0]!.examples.map(({ world }) => world)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(isOf({ invariant: "I1", what: "p77 is lost" }, groups[0]!)).toBe(true);
});

test("a group that was gone is there again when it is seen again, with the world that fails now", () => {
  const groups: Group<number>[] = [];
  const see = (world: number, commit: string) =>
    addTo(groups, { invariant: "I1", what: "lost" }, { world, size: world, commit });
  see(1, "one").gone = "two";
  expect(see(2, "three")).toEqual({
    invariant: "I1",
    cause: "lost",
    times: 2,
    commit: "three",
    examples: [{ world: 2, what: "lost", size: 2 }],
  });
});
