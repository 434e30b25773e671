/**
 * Checks of nodes that work on the user's repository, in the real sandbox: the project's own tests run on the whole project with the change, exactly
 * as it is published. What fails is told to its worker; what passes is verified on that very commit.
 */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { createModel, type Play, unmarked } from "../../src/runtime/model.test-help.ts";
import { createBash } from "../../src/tool/bash.ts";
import { createRepositoryFolder, git, photograph } from "../../src/workspace/workspaces.test-help.ts";
import { openHouse } from "../crash/house.ts";
import { events, of } from "../scenarios/log.ts";

/** The project's tests: every file in sums/ has two numbers and their sum. */
const makefile =
  'test:\n\t@for f in sums/*; do read a b c < $$f; [ $$((a + b)) = $$c ] || { echo "$$f is wrong"; exit 1; }; done\n';

const call = (tool: string, input: object = {}) => ({ tool, input });
const write = (path: string, content: string) => call("write_file", { path, content });
const publish = call("publish", { summary: "done" });
const node = (checks: object[], more: object = {}) =>
  call("create_work_node", { name: "sums", task: "add sums", worker: "Ann", checks, ...more });

async function place() {
  const room = mkdtempSync(join("/var/tmp", "agiraph-checks-"));
  onTestFinished(() => rm(room, { recursive: true, force: true }));
  const folder = join(room, "user");
  await createRepositoryFolder(folder);
  await writeFile(join(folder, "Makefile"), makefile);
  await writeFile(join(folder, ".gitignore"), "*.local\n");
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "tests");
  return { folder, home: join(room, "home"), before: await photograph(folder) };
}

const bash = createBash({ sandbox: { bash: "required", network: [], other_hosts: "deny" } });

async function live(home: string, play: Play) {
  const house = await openHouse({ home, backend: createModel(play, [], machine.clock), tools: [bash] });
  onTestFinished(() => house.close());
  return {
    ...house,
    /** What calls of this tool were answered. */
    told: (who: string, tool: string) =>
      of(events(home, "a1"), "tool.ended")
        .filter(({ data }) => data.participant === who && data.tool === tool)
        .map(({ data }) => unmarked(data.result)),
  };
}

const lead = (first: object[], ...rest: object[]): Play["x"] => [
  { calls: [call("spawn_worker", { name: "Ann" }), ...first, call("wait_for_nodes")] as never },
  ...(rest as never[]),
];
const agent = (folder: string) => ({ goal: "sums", name: "a1", model: "scripted/test", folder });
const isOver = ({ type }: { type: string }) => type === "run.completed";

const cannot = (await machine.processes.sandbox()) !== null || !existsSync("/usr/bin/make");

describe.skipIf(cannot)("checks on the user's repository", () => {
  test("the project's tests run on all of it with the change; what fails is told by publish, and mended it is verified on its commit", async () => {
    const { folder, home, before } = await place();
    const { runtime, state, told, until } = await live(home, {
      coordinator: lead([node([{ tests: true }, { file: "b/c.txt" }])], {
        calls: [call("merge", { node: "n1" }), call("finish", { summary: "done" })],
      }),
      ann: [
        { calls: [write("sums/one", "1 2 3\n"), write("sums/two", "2 2 5\n"), publish] },
        // The old one must not come back from anywhere, nor may a deleted one.
        {
          calls: [
            write("sums/two", "2 2 4\n"),
            call("bash", { command: "git rm -qf --cached a.txt; rm a.txt" }),
            publish,
            publish,
          ],
        },
      ],
    });
    await runtime.create(agent(folder));
    await until("a1", isOver);
    const [refused, published] = told("ann", "publish");
    expect(refused).toContain("Not published: 1 of 2 checks did not pass, 1 passed. n1-sums is still yours");
    expect(refused).toContain("$ make test\nsums/two is wrong\n");
    const n1 = state("a1")!.nodes.get("n1-sums");
    if (n1?.status !== "completed" || !n1.change) throw new Error(`${n1?.status}: ${published}`);
    expect(n1).toMatchObject({ evidence: "verified", rejections: 1 });
    const log = events(home, "a1");
    const ended = of(log, "check.ended").map(({ data }) => [data.check, data.outcome, data.on]);
    const [first] = ended;
    expect(ended.map(([check, outcome]) => [check, outcome])).toEqual([
      [1, "failed"],
      [2, "passed"],
      [1, "passed"],
      [2, "passed"],
    ]);
    expect(n1.results).toMatchObject([{ check: 1, outcome: "passed", by: "runtime" }, { check: 2 }]);
    const [done] = of(log, "node.completed");
    expect(n1.results?.map(({ on }) => on)).toEqual([ended[2]![2], ended[2]![2]]);
    expect(first![2]).not.toBe(ended[2]![2]);
    expect(done!.data).toMatchObject({ evidence: "verified", change: { commit: n1.change.commit } });
    // The commit is that content: what was checked, with the rest of the project.
    const show = (path: string) => git(join(home, "agents/a1/repository"), "show", `${n1.change!.commit}:${path}`);
    expect([await show("sums/two"), await show("b/c.txt")]).toEqual(["2 2 4\n", "see\n"]);
    await expect(show("a.txt")).rejects.toThrow("does not exist");
    const manifest = JSON.parse(
      readFileSync(join(home, "agents/a1/runs/r1/nodes/n1-sums/published/manifest.json"), "utf8"),
    );
    expect(manifest).toMatchObject({ evidence: "verified", change: { commit: n1.change.commit }, checks: n1.results });
    expect(state("a1")!.run).toMatchObject({ evidence: "verified" });
    expect(await photograph(folder)).toEqual(before);
  });

  test("what is not part of what is published is not there when it is checked, and a check changes nothing of it", async () => {
    const { folder, home } = await place();
    const checks = [{ run: "test ! -e sums/x.local && echo '9 9 9' > sums/one && rm -rf .git a.txt" }, { tests: true }];
    const { runtime, state, until } = await live(home, {
      coordinator: lead([node(checks)], { calls: [call("finish", { summary: "done" })] }),
      ann: [{ calls: [write("sums/one", "1 2 3\n"), write("sums/x.local", "1 1 1\n"), publish] }],
    });
    await runtime.create(agent(folder));
    await until("a1", isOver);
    expect(state("a1")!.nodes.get("n1-sums")).toMatchObject({
      evidence: "verified",
      change: { files: [{ path: "sums/one", status: "added" }] },
    });
  });

  test("checks on the whole run on what was merged, also if the coordinator looked at the files before", async () => {
    const { folder, home, before } = await place();
    const finish = call("finish", {
      summary: "done",
      checks: [{ tests: true }, { file: "sums/one", matches: "^1 2 " }],
    });
    const { runtime, state, told, until } = await live(home, {
      coordinator: [
        { calls: [call("bash", { command: "ls" }), write("notes.md", "mine\n")] },
        ...lead(
          [node([])],
          { calls: [call("merge", { node: "n1" }), finish, node([], { name: "right" }), call("wait_for_nodes")] },
          { calls: [call("merge", { node: "n2" }), finish] },
        ),
      ],
      ann: [{ calls: [write("sums/one", "1 2 4\n"), publish] }, { calls: [write("sums/one", "1 2 3\n"), publish] }],
    });
    await runtime.create(agent(folder));
    await until("a1", ({ type, data }) => type === "tool.ended" && data.tool === "finish" && data.outcome === "ok");
    expect(told("coordinator", "finish")).toEqual([
      expect.stringMatching(/sums\/one is wrong\n[\s\S]*Not finished: the answer did not pass the checks on the whole/),
      expect.stringContaining("It is verified."),
    ]);
    expect(state("a1")!.run).toMatchObject({ status: "completed", evidence: "verified" });
    const published = join(home, "agents/a1/runs/r1/published");
    expect(Object.keys(await photograph(published)).sort()).toEqual([
      "changes.patch",
      "manifest.json",
      "notes.md",
      "sums/one",
    ]);
    expect(await photograph(folder)).toEqual(before);
  });
});
