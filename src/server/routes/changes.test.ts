import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Changes, changeRoutes } from "../../api/changes.ts";
import { Diff } from "../../schema/diff.ts";
import { createRepositoryFolder, emptyRoom, git, photograph } from "../../workspace/workspaces.test-help.ts";
import { startTestServer } from "../server.test-help.ts";

const script = `
goal: Change two files
participants:
  coordinator:
    - calls:
        - tool: spawn_worker
          input: { name: Ada }
        - tool: create_work_node
          input: { name: One, task: Change one, worker: Ada }
        - tool: create_work_node
          input: { name: Two, task: Change two, worker: Ada }
        - tool: wait_for_nodes
    - calls:
        - tool: merge
          input: { node: n1 }
        - tool: write_file
          input: { path: own.txt, content: "own\\n" }
    - calls:
        - tool: finish
          input: { summary: One is merged }
  ada:
    - calls:
        - tool: write_file
          input: { path: b/c.txt, content: "one\\n" }
        - tool: publish
          input: { summary: One }
    - calls:
        - tool: write_file
          input: { path: two.txt, content: "two\\n" }
        - tool: publish
          input: { summary: Two }
`;

async function start() {
  const folder = join(await emptyRoom(), "user");
  await createRepositoryFolder(folder);
  const server = await startTestServer({ script, folder: async (path) => path });
  const { body } = await server.ask("POST /agents", { goal: "Change two files", name: "a1", folder });
  const over = new AbortController();
  for await (const events of server.runtime.follow(body.id, 0, over.signal))
    if (events.some(({ type }) => type === "agent.completed")) over.abort();
  return { ...server, folder };
}

test("what was changed is shown by node and as a whole, and taken over in three ways", async () => {
  const { ask, close, folder, faults } = await start();
  const before = await photograph(folder);
  const { body: changes } = await ask("GET /agents/a1/changes");
  expect(Changes.parse(changes)).toEqual(changes);
  expect(changes).toMatchObject({
    run: "r1",
    workspace: { kind: "repository", folder, branch: "main" },
    integration: { files: [{ path: "b/c.txt", status: "modified", added: 1, removed: 1 }, { path: "own.txt" }] },
    nodes: [
      { node: "n1-one", published: true, change: { branch: "agiraph/a1/n1-one" }, merged: expect.any(String) },
      { node: "n2-two", published: true, change: { files: [{ path: "two.txt" }] }, merged: null },
      { node: null, worker: "coordinator", published: true, change: { files: [{ path: "own.txt" }] } },
    ],
    unmerged: ["n2-two"],
  });
  expect((await ask("GET /agents/a1")).body).toMatchObject({ unmerged: ["n2-two"] });
  for (const [path, changed] of [
    ["/agents/a1/diff", ["b/c.txt", "own.txt"]],
    ["/agents/a1/board/n2/diff", ["two.txt"]],
  ] as const) {
    const { body } = await ask(`GET ${path}`);
    expect(Diff.parse(body)).toEqual(body);
    expect(body.files.map(({ path }: { path: string }) => path)).toEqual(changed);
  }
  const { body: against } = await ask("GET /agents/a1/board/n2/diff?against=integration");
  expect(against.files.map(({ path }: { path: string }) => path)).toEqual(["b/c.txt", "own.txt", "two.txt"]);

  const patch = await ask("POST /agents/a1/merge", { as: "patch", name: "work" });
  expect(changeRoutes.mergeChanges.answer.parse(patch.body)).toEqual(patch.body);
  expect(await readFile(patch.body.into, "utf8")).toContain("+one");
  expect(await photograph(folder)).toEqual(before);
  expect((await ask("POST /agents/a1/merge", { as: "patch", name: "../x" })).body.error.code).toBe("invalid");
  expect((await ask("POST /agents/a1/merge", { as: "branch", name: "two", node: "n2" })).body.text).toBe(
    "1 changed file (+1 -0) is on the branch two.",
  );
  expect((await ask("POST /agents/a1/merge", { as: "branch", name: "two" })).body.error.code).toBe("name_taken");
  expect((await ask("POST /agents/a1/merge", {})).body).toMatchObject({
    ...{ as: "merge", into: "main", files: 2, unmerged: ["n2-two"] },
    text: "2 changed files (+2 -1) were merged into main. Not merged: n2-two. What was published there is not part of the result.",
  });
  expect(await readFile(join(folder, "b/c.txt"), "utf8")).toBe("one\n");
  expect(await git(folder, "show", "two:two.txt")).toBe("two\n");
  expect((await ask("GET /agents/a1/changes")).body.handovers.map(({ as }: { as: string }) => as)).toEqual([
    "patch",
    "branch",
    "merge",
  ]);
  expect(faults).toEqual([]);
  await close();
});

test("after a new run, the work of the earlier one is still listed and shown, on request", async () => {
  const { ask, close, faults } = await start();
  const before = (await ask("GET /agents/a1/changes")).body;
  expect(before.runs).toEqual(["r1"]);
  const started = await ask("POST /agents/a1/runs", { goal: "again" });
  expect(started.status).toBeLessThan(300);
  expect((await ask("GET /agents/a1/changes")).body).toMatchObject({ run: "r2", runs: ["r1", "r2"] });
  const { body: earlier } = await ask("GET /agents/a1/changes?run=r1");
  expect(earlier).toMatchObject({ run: "r1", runs: ["r1", "r2"], integration: before.integration });
  const changesOf = ({ nodes }: Changes) => nodes.map(({ node, change }) => [node, change?.commit]);
  expect(changesOf(earlier)).toEqual(changesOf(before));
  const { body: diff } = await ask("GET /agents/a1/board/n2/diff?run=r1");
  expect(diff.files.map(({ path }: { path: string }) => path)).toEqual(["two.txt"]);
  const { body: merged } = await ask("GET /agents/a1/diff?run=r1");
  expect(merged.files.map(({ path }: { path: string }) => path)).toEqual(["b/c.txt", "own.txt"]);
  expect((await ask("GET /agents/a1/changes?run=r9")).body.error).toMatchObject({
    code: "not_found",
    message: expect.stringContaining("runs: r1, r2"),
  });
  expect(faults).toEqual([]);
  await close();
});

test("an agent without a folder has no changes, and says so", async () => {
  const { ask, close } = await startTestServer();
  await ask("POST /agents", { goal: "nothing", name: "a1" });
  expect((await ask("GET /agents/a1/changes")).body).toMatchObject({
    workspace: null,
    why: expect.stringContaining("works on no repository"),
  });
  expect((await ask("GET /agents/a1/diff")).status).toBe(409);
  expect((await ask("POST /agents/a1/merge", {})).body.error.code).toBe("wrong_state");
  await close();
});
