/** Seed 000, test 10, on a real repository: from the goal to a merged branch whose tests pass. */
import { expect } from "vitest";
import { done } from "../scenarios/log.ts";
import { playOnRepository } from "./lives.ts";
import { allTests, bothSides, cast, files, right } from "./strings.ts";

playOnRepository({
  number: 10,
  title: "two writers, a bug found by message, a failing check that is mended, a reviewer, a conflict",
  setting: { cast },
  files,
  merged: { "strutils.py": right, "test_strutils.py": allTests, "README.md": bothSides },
  board: [
    ["n1-module", "completed", "cody", "verified"],
    ["n2-tests", "completed", "tess", "verified"],
    ["n3-review", "completed", "rita", "claimed"],
    ["n4-merge-n2-tests", "completed", "tess", "verified"],
  ],
  check(stage) {
    expect(stage.outcome().messages).toEqual([
      expect.stringMatching(/^cody → tess: Mended: see resource /),
      expect.stringMatching(/^cody → tess: The module is resource /),
      "tess → cody: All tests pass.",
      "tess → cody: Found a bug in reverse_words(): 'gninrom doog' != 'morning good'",
    ]);
    const merges = done(stage.events()).filter(({ tool }) => tool === "merge");
    expect(merges.map(({ by, result }) => `${by}: ${result.replace(/ at [0-9a-f]+/, "")}`)).toEqual([
      "rita: n1-module is merged; the integration branch is.",
      expect.stringContaining("rita: Not merged: it conflicts with what was merged before, in README.md. n4-"),
      "coordinator: n4-merge-n2-tests is merged; the integration branch is.",
    ]);
  },
  kills: {
    run: [
      "checkout.made#1",
      "workspace.saved#3",
      "check.recorded#1",
      "publish.written#1",
      "merge.made#1",
      "branch.set#1",
    ],
    merge: ["handover.staged#1", "handover.placed#1", "handover.indexed#1", "handed.over#1"],
  },
});
