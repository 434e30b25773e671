import { expect, test } from "vitest";
import { refusal, start } from "./core.test-help.ts";
import { findNode, requireNode } from "./lookup.ts";

test("a node is found by its id in any case, with blanks around it, or by its number; never by a part of its name", () => {
  const world = start();
  world.node({ name: "a b" });
  world.node({ name: "a" });
  for (const given of ["n1-a-b", " N1-A-B ", "n1", "N1"]) expect(findNode(world.state, given).id).toBe("n1-a-b");
  expect(findNode(world.state, "n2").id).toBe("n2-a");
  for (const given of ["n1-a", "n", "n3", "1", ""])
    expect(refusal(() => findNode(world.state, given))).toBe(
      `not_found: there is no node ${given}; nodes: n1-a-b, n2-a`,
    );
});

test("a refusal names the last fifty nodes and how many are older", () => {
  const world = start({ live_nodes: 100 });
  for (let n = 0; n < 50; n++) world.node({ name: "x" });
  const said = () => refusal(() => requireNode(world.state, "n99"));
  expect(said().split("-x")).toHaveLength(51);
  expect(said()).toMatch(/n1-x, .*n50-x$/);
  for (let n = 0; n < 2; n++) world.node({ name: "x" });
  expect(said()).toMatch(/nodes: n3-x, .*n52-x, and 2 older ones$/);
});
