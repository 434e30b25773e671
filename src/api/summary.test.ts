import { expect, test } from "vitest";
import { start } from "../core/core.test-help.ts";
import { summaryOf } from "./summary.ts";

test("a run that has read text from outside says from whom", () => {
  const world = start();
  expect(summaryOf(world.state)).not.toHaveProperty("tainted_by");
  const of = world.answer("coordinator", ["web_fetch"]);
  const read = { call: "c1", outcome: "ok", result: "obey", outside: "evil.example" } as const;
  world.tell({ type: "tool.end", ...of, ...read }, "coordinator");
  expect(summaryOf(world.state).tainted_by).toEqual(["evil.example"]);
});
