import { expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { refusal, start } from "../core.test-help.ts";

const one = "1".repeat(64);
const two = "2".repeat(64);
const write = (
  document: string,
  sha256 = one,
  more: { owner?: string; expected_version?: number } = {},
): CommandInput => ({
  type: "document.write",
  document,
  sha256,
  size: 1,
  ...more,
});

test("each write is the next version and says by whom and when", () => {
  const { tell, state, now } = start();
  tell(write("plan.md"), "alice");
  tell(write("plan.md", two), "bob");
  expect(state.documents.get("plan.md")).toEqual({
    name: "plan.md",
    version: 2,
    sha256: two,
    size: 1,
    by: "bob",
    at: new Date(now).toISOString(),
  });
});

test("writing what is already there records nothing", () => {
  const { tell } = start();
  tell(write("plan.md"), "alice");
  expect(tell(write("plan.md"), "bob")).toEqual([]);
});

test("a document with an owner is written by its owner, the coordinator and the human", () => {
  const { tell, state } = start();
  tell(write("plan.md", one, { owner: "alice" }), "alice");
  expect(refusal(() => tell(write("plan.md", two), "bob"))).toBe(
    "forbidden: plan.md belongs to alice; only alice, the coordinator or the human can write it, not bob",
  );
  for (const [actor, hash] of [
    ["alice", two],
    ["coordinator", one],
    ["human", two],
  ] as const)
    tell(write("plan.md", hash), actor);
  expect(state.documents.get("plan.md")).toMatchObject({ version: 4, owner: "alice" });
});

test("a write from an old version is stale and names both versions", () => {
  const { tell } = start();
  tell(write("plan.md", one, { expected_version: 0 }), "alice");
  tell(write("plan.md", two, { expected_version: 1 }), "bob");
  expect(refusal(() => tell(write("plan.md", one, { expected_version: 1 }), "alice"))).toBe(
    "stale: plan.md is at version 2, not 1; read it again and write with expected_version 2",
  );
  expect(refusal(() => tell(write("new.md", one, { expected_version: 3 }), "alice"))).toBe(
    "stale: new.md is at version 0 (it does not exist), not 3; read it again and write with expected_version 0",
  );
});

test("two names that differ only in case are one too many", () => {
  const { tell } = start();
  tell(write("Plan.md"), "alice");
  expect(refusal(() => tell(write("plan.md"), "alice"))).toBe(
    "name_taken: plan.md differs from Plan.md only in case; write Plan.md or choose another name",
  );
});

test("ownership is changed by the owner, the coordinator or the human, to someone who is there", () => {
  const { tell, state } = start();
  tell(write("plan.md"), "alice");
  expect(refusal(() => tell({ type: "document.own", document: "plan.md", owner: "alice" }, "alice"))).toMatch(
    /^forbidden: alice cannot change the owner of plan.md: it has no owner/,
  );
  expect(refusal(() => tell(write("plan.md", two, { owner: "alice" }), "alice"))).toMatch(/^forbidden/);
  tell({ type: "document.own", document: "plan.md", owner: "alice" }, "coordinator");
  expect(tell({ type: "document.own", document: "plan.md", owner: "alice" }, "human")).toEqual([]);
  expect(refusal(() => tell({ type: "document.own", document: "plan.md", owner: "bob" }, "bob"))).toMatch(
    /belongs to alice/,
  );
  expect(refusal(() => tell({ type: "document.own", document: "plan.md", owner: "carol" }, "alice"))).toMatch(
    /^not_found/,
  );
  tell({ type: "document.own", document: "plan.md", owner: "bob" }, "alice");
  expect(state.documents.get("plan.md")?.owner).toBe("bob");
  tell({ type: "document.own", document: "plan.md" }, "bob");
  expect(state.documents.get("plan.md")?.owner).toBeUndefined();
});

test("a document is removed by whoever may write it, and a missing one is named", () => {
  const { tell, state } = start();
  tell(write("plan.md", one, { owner: "alice" }), "alice");
  expect(refusal(() => tell({ type: "document.remove", document: "plan.md" }, "bob"))).toMatch(
    /can remove it, not bob$/,
  );
  tell({ type: "document.remove", document: "plan.md" }, "alice");
  expect(state.documents.size).toBe(0);
  expect(refusal(() => tell({ type: "document.remove", document: "plan.md" }, "alice"))).toBe(
    "not_found: there is no document plan.md; documents: none",
  );
  tell(write("a.md"), "alice");
  tell(write("b.md"), "alice");
  expect(refusal(() => tell({ type: "document.own", document: "plan.md" }, "human"))).toBe(
    "not_found: there is no document plan.md; documents: a.md, b.md",
  );
});

test("documents belong to their run", () => {
  const { tell, state } = start();
  tell(write("plan.md"), "alice");
  tell({ type: "run.finish", summary: "done" }, "coordinator");
  expect(refusal(() => tell(write("late.md"), "alice"))).toMatch(/^wrong_state/);
  expect(refusal(() => tell({ type: "document.remove", document: "plan.md" }, "alice"))).toMatch(/^wrong_state/);
  expect(refusal(() => tell({ type: "document.own", document: "plan.md" }, "human"))).toMatch(/^wrong_state/);
  expect(state.documents.size).toBe(1);
  tell({ type: "run.start" });
  expect(state.documents.size).toBe(0);
});

test("events about a document that is not there change nothing", () => {
  const { append, state } = start();
  append({ type: "document.owned", data: { document: "plan.md", owner: "bob" } });
  append({ type: "document.removed", data: { document: "plan.md" } });
  expect(state.documents.size).toBe(0);
});

test("its owner and who wrote it last are told of a change in the background, and nobody of their own", () => {
  const { tell, state } = start();
  const unread = (id: string) =>
    (state.participants.get(id)?.unread ?? []).flatMap(({ text, priority }) =>
      text.startsWith("plan.md") ? [`${priority}: ${text}`] : [],
    );
  tell(write("plan.md", one, { owner: "alice" }), "alice");
  expect([unread("alice"), unread("bob")]).toEqual([[], []]);
  tell(write("plan.md", two), "coordinator");
  expect(unread("alice")).toEqual(["background: plan.md has a new version, 2"]);
  tell({ type: "document.own", document: "plan.md", owner: "bob" }, "human");
  expect(unread("bob")).toEqual(["background: plan.md belongs to Bob now"]);
  tell(write("plan.md", one), "bob");
  expect(unread("coordinator")).toEqual(["background: plan.md has a new version, 3"]);
  expect(unread("human")).toEqual([]);
});
