import { expect, test } from "vitest";
import { clis } from "../src/driver/index.ts";
import { pinnedVersions } from "./clis.ts";

test("the range of tested versions ends, or begins, with the one that the contract suite is installed with; without one there is no range", () => {
  for (const { name, binary, tested } of clis) {
    const ends = tested && [tested.from, tested.to];
    if (pinnedVersions[binary]) expect(ends, name).toContain(pinnedVersions[binary]);
    else expect(ends, name).toBeUndefined();
  }
});
