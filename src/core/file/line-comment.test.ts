import { expect, test } from "vitest";
import type { Diff } from "../../schema/diff.ts";
import type { Message } from "../../schema/message.ts";
import { start } from "../core.test-help.ts";
import { commentsOn, commentText, lineAt, listenerOf, spotKey } from "./line-comment.ts";

const message = (from: string, text: string, seq: number): Message => ({
  ...{ id: `m${seq}`, seq, from, to: [from === "human" ? "rui" : "human"], text },
  ...{ priority: "normal", at: "2026-01-01T00:00:00.000Z" },
});

test("a comment is a message that names its line, and is found again with its answers", () => {
  const at = { path: "src/my file.ts", side: "new" as const, line: 23 };
  const other = { path: "src/fetch.ts", side: "old" as const, line: 4 };
  const sent = commentText("n3-retry", at, "    tries: 5,", "Why 5?\n\nFour is the limit.");
  expect(sent).toBe(
    "On src/my file.ts:23 of n3-retry:\n> tries: 5,\n\nWhy 5?\n\nFour is the limit.\n\n" +
      "(An answer that begins with src/my file.ts:23 is shown beside the line.)",
  );
  const found = commentsOn(
    [
      message("human", sent, 1),
      message("human", commentText("n3-retry", other, "x", "Was this used?"), 2),
      message("human", commentText("n4-other", at, "x", "Of another node"), 3),
      message("rui", "src/fetch.ts:4: Only by the old tests.", 4),
      message("rui", "src/fetch.ts:44: of no comment", 5),
      message("rui", "`src/my file.ts:23` It is 4 now.", 6),
      message("human", "just a message", 7),
    ],
    "n3-retry",
  );
  expect([...found.keys()]).toEqual([spotKey(at), spotKey(other)]);
  expect(found.get(spotKey(at))!.map(({ text }) => text)).toEqual(["Why 5?\n\nFour is the limit.", "It is 4 now."]);
  expect(found.get(spotKey(other))!.map(({ from, text }) => [from, text])).toEqual([
    ["human", "Was this used?"],
    ["rui", "Only by the old tests."],
  ]);
});

test("a comment goes to the node's worker while it reads messages, else to whoever leads", () => {
  const world = start();
  const node = world.node({ name: "Retry", task: "Retry" });
  world.append({ type: "node.assigned", data: { node, worker: "alice" } });
  expect(listenerOf(world.state, node)).toBe("alice");
  world.append({ type: "worker.retired", data: { worker: "alice", reason: "done" } as never });
  expect(listenerOf(world.state, node)).toBeUndefined();
  expect(listenerOf(world.state, undefined)).toBeUndefined();
});

test("a line is found by its number on its side; one that the diff does not show is not", () => {
  const hunk = {
    ...{ old_start: 4, old_lines: 2, new_start: 4, new_lines: 2, header: "" },
    lines: [
      { kind: "context" as const, text: "same" },
      { kind: "removed" as const, text: "before" },
      { kind: "added" as const, text: "after" },
    ],
  };
  const file = { path: "a.py", status: "modified" as const, binary: false, added: 1, removed: 1, hunks: [hunk] };
  const diff: Diff = { base: "a".repeat(40), commit: "b".repeat(40), files: [file], added: 1, removed: 1 };
  const text = (line: number, side: "old" | "new", path = "a.py") => lineAt(diff, { path, side, line });
  expect([text(4, "new"), text(5, "new"), text(5, "old")]).toEqual(["same", "after", "before"]);
  expect([text(4, "old"), text(6, "new"), text(5, "new", "b.py")]).toEqual([undefined, undefined, undefined]);
});
