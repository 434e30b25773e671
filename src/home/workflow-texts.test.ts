import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { createWorkflowTexts } from "./workflow-texts.ts";

function folders() {
  const root = mkdtempSync(join(tmpdir(), "agiraph-texts-"));
  const [home, example] = [join(root, "home", "workflows"), join(root, "example")];
  mkdirSync(example);
  writeFileSync(join(example, "review.yml"), "agents: {coder: theirs}\n");
  return { home, example };
}
const of = (folders: { path: string; from: "home" | "example" }[]) =>
  createWorkflowTexts({ files: machine.files, folders });

test("an example is copied to the home, never changed, and the copy takes its place", async () => {
  const { home, example } = folders();
  const texts = of([
    { path: home, from: "home" },
    { path: example, from: "example" },
  ]);
  const theirs = await texts.read("review");
  expect(theirs).toMatchObject({ from: "example", path: join(example, "review.yml") });
  const mine = await texts.write("review", "agents: {coder: mine}\n", theirs.sha256);
  expect(mine).toMatchObject({ from: "home", path: join(home, "review.yaml"), text: "agents: {coder: mine}\n" });
  expect(await texts.read("review")).toEqual(mine);
  expect(readFileSync(join(example, "review.yml"), "utf8")).toBe("agents: {coder: theirs}\n");
  // A file that ends in .yml stays the file it is.
  writeFileSync(join(home, "other.yml"), "agents: {a: x}");
  const other = await texts.read("other");
  expect((await texts.write("other", "agents: {b: x}", other.sha256)).path).toBe(join(home, "other.yml"));
});

test("without a home of its own nothing is written; nor what is too large", async () => {
  const { home, example } = folders();
  await expect(of([{ path: example, from: "example" }]).write("new", "x", undefined)).rejects.toMatchObject({
    code: "forbidden",
  });
  const large = of([{ path: home, from: "home" }]).write("new", "x".repeat(300_000), undefined);
  await expect(large).rejects.toMatchObject({ code: "too_large" });
});
