import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScripts } from "./scripts.ts";

const root = mkdtempSync(join(tmpdir(), "agiraph-scripts-"));
const folder = join(root, "in");
const text = "participants: { coordinator: [] }\n";
beforeAll(() => {
  mkdirSync(join(folder, "deeper"), { recursive: true });
  for (const path of ["in/play.yaml", "in/deeper/play.yaml", "outside.yaml"]) writeFileSync(join(root, path), text);
  symlinkSync(join(root, "outside.yaml"), join(folder, "link.yaml"));
  symlinkSync(folder, join(root, "other"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  writeFileSync(join(folder, "play.jsonl"), '{"recording":1,"agent":"a","run":"r1","goal":"g"}\n');
  writeFileSync(join(folder, "huge.yaml"), "#".repeat(1_000_001));
});
afterAll(() => rmSync(root, { recursive: true }));

test("a plain file in the folder that the process was started with is played", () => {
  const { find } = createScripts({}, folder);
  expect(find(`scripted/${folder}/play.yaml`)).toBeDefined();
  expect(find(`recorded/${folder}/play.jsonl`)).toBeDefined();
  expect(() => find(`recorded/${folder}/play.yaml`)).toThrow(/^the recording .*play\.yaml is invalid at line 1/);
});

test("without such a folder no file is played; a model that is asked is not our matter", () => {
  const { find } = createScripts({}, undefined);
  expect(() => find(`scripted/${folder}/play.yaml`)).toThrow(
    /there are no scripts here. Name a model as provider\/model/,
  );
  expect(find("anthropic/some")).toBeUndefined();
});

test.each([
  [
    "a file outside of it",
    "outside.yaml",
    /is not available: the scripts here are scripted\/FILE or recorded\/FILE for a file in/,
  ],
  ["a file deeper in it", "in/deeper/play.yaml", /is not available/],
  ["a way out of it", "in/../outside.yaml", /is not available/],
  ["another way to it", "other/play.yaml", /is not available/],
  ["a link", "in/link.yaml", /cannot be read: it is a link/],
  ["a FIFO", "in/pipe", /cannot be read: it is not a regular file/],
  ["a folder", "in/deeper", /cannot be read: it is not a regular file/],
  ["a huge file", "in/huge.yaml", /more than 1000000 bytes/],
  ["nothing", "in/missing.yaml", /cannot be read: ENOENT/],
])("%s is refused", (_what, path, message) => {
  expect(() => createScripts({}, folder).find(`scripted/${root}/${path}`)).toThrow(message);
  if (path !== "in/huge.yaml")
    expect(() => createScripts({}, folder).find(`recorded/${root}/${path}`)).toThrow(message);
});
