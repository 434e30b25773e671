import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { assertTeam } from "../core/run/workflow.ts";
import { machine } from "../lib/machine/index.ts";
import { createWorkflows } from "./workflows.ts";

test("a workflow of the home goes before an example of its name; one that cannot be used says why and hides nothing else", async () => {
  const root = mkdtempSync(join(tmpdir(), "agiraph-workflows-"));
  const [home, example] = [join(root, "home"), join(root, "example")];
  for (const folder of [home, example]) mkdirSync(folder);
  writeFileSync(join(home, "one.yaml"), "about: mine\nworkers: {Ada: x}");
  writeFileSync(join(example, "one.yaml"), "about: theirs\nworkers: {Ada: x}");
  writeFileSync(join(example, "two.yml"), "about: other\nworkers: {Ada: x}");
  writeFileSync(join(home, "broken.yaml"), "about: x\nworker: {}");
  writeFileSync(join(home, "huge.yaml"), "x".repeat(300_000));
  writeFileSync(join(home, "notes.txt"), "no workflow");
  const workflows = createWorkflows({
    files: machine.files,
    folders: [
      { path: home, from: "home" },
      { path: example, from: "example" },
    ],
  });
  const all = await workflows.list();
  expect(all.map(({ name, from }) => `${name} ${from}`).sort()).toEqual([
    "broken home",
    "huge home",
    "one home",
    "two example",
  ]);
  expect((await workflows.find("one")).about).toBe("mine");
  await expect(workflows.find("broken")).rejects.toThrow(
    "broken.yaml, line 2, column 1: worker is not a field of a workflow; did you mean workers?",
  );
  await expect(workflows.find("huge")).rejects.toThrow("a workflow may have at most 262144");
  await expect(workflows.find("three")).rejects.toThrow("there is no workflow three; workflows:");
});

test("every example can be used as it is", async () => {
  const path = join(import.meta.dirname, "../../examples/workflows");
  const all = await createWorkflows({ files: machine.files, folders: [{ path, from: "example" }] }).list();
  expect(all.length).toBeGreaterThan(1);
  for (const one of all) {
    if ("problem" in one) throw new Error(one.problem);
    assertTeam(one.team, defaultLimits);
    expect(one.goal).toBeTruthy();
  }
});
