/** What a team changed in the user's repository, from the terminal: the run, its diff, a comment on a line and the answer to it, and the merge. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../../src/backend/scripted.ts";
import { agiraph, newFolder } from "../program.ts";
import { createCast } from "../web/cast.ts";
import { after, git, newRepository, retry } from "../web/repositories.ts";

/** The same team, whose coordinator comes to an end by itself, each time. */
const ending: ScriptInput = {
  ...retry,
  participants: {
    ...retry.participants,
    coordinator: [
      ...retry.participants.coordinator!.slice(0, -1),
      { calls: [{ tool: "finish", input: { summary: "Fetches are tried again." } }] },
    ],
  },
};

test("a person sees what to do next, reads a diff, comments on a line, reads the answer, and takes it over", async () => {
  const cast = await createCast(ending);
  const home = newFolder({ "config.yaml": cast.config });
  const folder = newRepository();
  const say = async (...args: string[]) => {
    const { code, out, err } = await agiraph(home, ...args);
    return [code, `${out}${err}`] as const;
  };

  const [code, said] = await say("run", cast.goal, "--name", "shop", "--folder", folder);
  expect([code, said]).toEqual([0, expect.stringContaining("your files are as they were")]);
  expect(said).toMatch(/agiraph diff shop\n +\S*agiraph merge shop\n$/);

  const [, list] = await say("diff", "shop", "--stat");
  expect(list).toMatch(/n1-retry-price-fetches +merged +claimed +\+2 -2 /);
  expect(list).toMatch(/n2-describe-retries +published +claimed +\+2 -0 /);
  expect((await say("diff", "shop", "n1"))[1]).toContain("+  const response = await retry(() => ");
  expect((await say("diff", "shop", "n2", "--side-by-side"))[1]).toMatch(/1 {3}# Prices +│ 1 {3}# Prices\n +│ 2 \+/);

  const none = await say("comment", "shop", "n1", "src/prices.js:99", "Where?");
  expect(none).toEqual([1, expect.stringContaining("shows no line 99 of src/prices.js")]);
  const [, sent] = await say("comment", "shop", "n1", "src/prices.js:3", "Why 5? The vendor locks us out after 4.");
  expect(sent).toMatch(/^Sent to rui \(m\d+\), read with: /);
  expect((await say("resume", "shop"))[1]).toContain("It is 4 now.");
  const [, thread] = await say("diff", "shop", "n1", "--stat");
  expect(thread.replace(/\s+/g, " ")).toContain(
    "Comments src/prices.js:3 human: Why 5? The vendor locks us out after 4. rui: It is 4 now.",
  );

  expect(git(folder, "status", "--porcelain")).toBe("");
  expect(await say("merge", "shop")).toEqual([
    0,
    "1 changed file (+2 -2) was merged into main. Not merged: n2-describe-retries.\nWhat was published there is not part of the result.\n",
  ]);
  expect(readFileSync(join(folder, "src/prices.js"), "utf8")).toBe(after);
  expect(git(folder, "status", "--porcelain")).toBe("");

  expect((await say("rerun", "shop"))[0]).toBe(0);
  const [, next] = await say("diff", "shop", "--stat");
  expect(next.replace(/\s+/g, " ")).toContain("This is run r2. Other runs (r1): ");
  const [, earlier] = await say("diff", "shop", "--stat", "--run", "r1");
  expect(earlier).toMatch(/n1-retry-price-fetches +merged +claimed +\+2 -2 /);
  expect(earlier).toContain("Handed over: merge main");
  expect((await say("diff", "shop", "n1", "--run", "r1"))[1]).toContain("+  const response = await retry(() => ");
  expect(await say("diff", "shop", "--run", "r9")).toEqual([
    expect.any(Number),
    expect.stringContaining("runs: r1, r2"),
  ]);
});
