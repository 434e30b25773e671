import { expect, test } from "vitest";
import { callTitle } from "./call-title.ts";

test.each([
  ["write_file", { path: "lockfile.txt", content: "x" }, "Write lockfile.txt"],
  ["bash", { command: "git push\necho done" }, "Run git push"],
  ["assign_worker", { node_id: "n1", worker_id: "ada" }, "Give n1 to ada"],
  ["github_create_issue", { title: "Broken" }, "Use github create issue: Broken"],
  ["bash", {}, "Use bash"],
  ["constructor", null, "Use constructor"],
])("%s is told in words", (tool, input, title) => {
  expect(callTitle(tool, input)).toBe(title);
});

test("a long one is shortened", () => {
  expect(callTitle("bash", { command: "x".repeat(500) })).toHaveLength(120);
});
