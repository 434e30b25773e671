import { describe, expect, test } from "vitest";
import type { Event } from "../../schema/event.ts";
import { type FileThen, filesAt } from "./past-files.ts";
import { placeOf, searchOf } from "./place.ts";

const hash = (letter: string) => letter.repeat(64);
const log = (...given: [type: string, data: object, run?: string][]): Event[] =>
  given.map(
    ([type, data, run = "r1"], index) =>
      ({
        seq: index + 1,
        ts: `2026-11-10T14:00:0${index % 10}.000Z`,
        actor: "human",
        run,
        type,
        data,
      }) as unknown as Event,
  );
const wrote = (document: string, version: number, run?: string): [string, object, string?] => [
  "document.written",
  { document, version, sha256: hash("a"), size: version },
  run,
];
const kept = (files: readonly FileThen[]) => files.map(({ path, from, seq }) => `${path} ${from} ${seq}`);

describe("files of a moment", () => {
  test("a document has the version of that time, and is not there before it was written or after it was removed", () => {
    const events = log(wrote("plan.md", 1), wrote("plan.md", 2), ["document.removed", { document: "plan.md" }]);
    const versions = [0, 1, 2, 3].map((seq) => filesAt(events, seq).map(({ version, seq: by }) => [version, by]));
    expect(versions).toEqual([[], [[1, 1]], [[2, 2]], []]);
  });

  test("what nothing touched since lies on the disk; what was written over is read by its event; a note of which no text is kept is nowhere", () => {
    const spec = "runs/r1/nodes/n1-a/_spec.md";
    const events = log(
      ["file.written", { path: spec, sha256: hash("a") }],
      ["file.written", { path: "SOUL.md", sha256: hash("b") }],
      ["memory.written", { participant: "coordinator", path: "MEMORY.md", outcome: "created" }],
      ["memory.written", { participant: "ada", path: "MEMORY.md", outcome: "created" }],
      ["file.edited", { path: spec, sha256: hash("c") }],
      ["memory.written", { participant: "coordinator", path: "MEMORY.md", outcome: "replaced" }],
      ["file.edited", { path: "SOUL.md", sha256: null }],
    );
    expect(kept(filesAt(events, 4))).toEqual(["SOUL.md event 2", "MEMORY.md nowhere 3", `${spec} event 1`]);
    expect(kept(filesAt(events, 5))).toEqual(["SOUL.md event 2", "MEMORY.md nowhere 3", `${spec} event 5`]);
    expect(kept(filesAt(events, 7))).toEqual(["MEMORY.md disk 6", `${spec} event 5`]);
    expect(kept(filesAt(events.slice(0, 4), 4))).toEqual(["SOUL.md disk 2", "MEMORY.md disk 3", `${spec} disk 1`]);
  });

  test("published files and resources are there from when they came, by group, nodes by their number, the newest run first", () => {
    const published = (node: string): [string, object] => [
      "node.completed",
      { node, worker: "ada", summary: "", partial: false, files: [{ path: "a/b.md", size: 3, sha256: hash("d") }] },
    ];
    const events = log(
      ["resource.created", { resource: hash("e"), title: "Page", type: "text/html", size: 1, preview: "" }],
      published("n10-x"),
      published("n9-y"),
      wrote("plan.md", 1),
      wrote("plan.md", 1, "r2"),
    );
    expect(filesAt(events, 2).map(({ group }) => group)).toEqual(["Published", "Resources"]);
    const all = filesAt(events, 5);
    expect(all.map(({ name, node, run }) => [name, node ?? run])).toEqual([
      ["plan.md", "r2"],
      ["plan.md", "r1"],
      ["a/b.md", "n9-y"],
      ["a/b.md", "n10-x"],
      ["Page", "r1"],
    ]);
    expect(all[2]).toMatchObject({ by: "ada", from: "disk", path: "runs/r1/nodes/n9-y/published/a/b.md" });
    expect(all[4]).toMatchObject({ from: "resource", type: "text/html", path: hash("e") });
  });
});

describe("the place in an address", () => {
  test("says nothing but what can be, and nothing in the present", () => {
    expect(placeOf({ at: 7, show: "talk", with: "ada", file: 3, more: 1 })).toEqual({
      at: 7,
      show: "talk",
      with: "ada",
      file: "3",
    });
    for (const at of [0, -1, 1.5, "7", null, undefined, Number.POSITIVE_INFINITY])
      expect(placeOf({ at, show: "talk" })).toEqual({});
    expect(placeOf({ at: 7, show: "all", with: {} })).toEqual({ at: 7 });
  });

  test("leaves out what is taken for granted, and reads back as what is shown", () => {
    expect(searchOf({ show: "talk" })).toEqual({});
    expect(searchOf({ at: 7, show: "graph", with: "ada", file: "a" })).toEqual({ at: 7 });
    expect(searchOf({ at: 7, show: "talk", with: "coordinator", file: "a" })).toEqual({ at: 7, show: "talk" });
    expect(searchOf({ at: 7, show: "talk", with: "ada" })).toEqual({ at: 7, show: "talk", with: "ada" });
    expect(searchOf({ at: 7, show: "files", file: "a" })).toEqual({ at: 7, show: "files", file: "a" });
  });
});
