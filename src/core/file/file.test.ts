import { describe, expect, test } from "vitest";
import { start } from "../core.test-help.ts";

const one = "1".repeat(64);
const two = "2".repeat(64);

describe("the log knows of each file", () => {
  test("the hash last written, and writing the same again records nothing", () => {
    const { tell, state } = start();
    tell({ type: "file.write", path: "GOAL.md", sha256: one });
    expect(tell({ type: "file.write", path: "GOAL.md", sha256: one })).toEqual([]);
    tell({ type: "file.write", path: "GOAL.md", sha256: two });
    expect([...state.files]).toEqual([["GOAL.md", two]]);
  });

  test("what people made of it; a deleted file is forgotten", () => {
    const { tell, state } = start();
    tell({ type: "file.edit", path: "memory/a.md", sha256: one });
    expect(tell({ type: "file.edit", path: "memory/a.md", sha256: one })).toEqual([]);
    tell({ type: "file.edit", path: "memory/a.md", sha256: null });
    expect(state.files.size).toBe(0);
    expect(tell({ type: "file.edit", path: "memory/a.md", sha256: null })).toEqual([]);
  });

  test("which is a document of the run", () => {
    const { tell, state } = start();
    tell({ type: "document.write", document: "plan.md", sha256: one, size: 1 });
    expect(state.files.get("runs/r1/documents/plan.md")).toBe(one);
    tell({ type: "document.remove", document: "plan.md" });
    expect(state.files.size).toBe(0);
  });

  test("under any name, also an odd one", () => {
    const { tell, state } = start();
    tell({ type: "file.write", path: "__proto__", sha256: one });
    expect(state.files.get("__proto__")).toBe(one);
    expect(tell({ type: "file.write", path: "constructor", sha256: one })).toHaveLength(1);
  });
});

test.each(["../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", "..", ".", "a/", "a\\..\\b", "C:\\x", "a\u0000b"])(
  "a path that leaves the agent's home is refused: %j",
  (path) => {
    const { refused } = start();
    const said = `path_escapes: ${JSON.stringify(path)} leaves the agent's home; use a relative path without ..`;
    expect(refused({ type: "file.write", path, sha256: one })).toBe(said);
    expect(refused({ type: "file.edit", path, sha256: one })).toBe(said);
  },
);

test.each([
  [{ path: "" }, /^invalid: file.write: path: /],
  [{ path: "x".repeat(501) }, /^invalid: file.write: path: /],
  [{ sha256: "nope" }, /^invalid: file.write: sha256: /],
])("bad input is refused and the field named (%#)", (given, said) => {
  expect(start().refused({ type: "file.write", path: "a", sha256: one, ...given })).toMatch(said);
});

test("a repair of the log is recorded and changes nothing else", () => {
  const { tell, state } = start();
  const before = JSON.stringify([...state.files]);
  const [event] = tell({ type: "log.repair", bytes: 17, kept_as: "events.torn-1.bin" }, "system");
  expect(event).toMatchObject({ type: "log.repaired", data: { bytes: 17, kept_as: "events.torn-1.bin" } });
  expect(JSON.stringify([...state.files])).toBe(before);
});
