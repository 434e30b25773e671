/** What was saved of a node that has ended, when its folder lost it: nobody works there any more, and whoever reads it finds it again. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isUnsaved, savedOf } from "../../core/file/workspace.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { type Answer, type Play, use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";

const scratch = "/home/agents/a1/runs/r1/nodes/n1-work/scratch";
const draft = `${scratch}/draft.md`;

const shell = defineTool({
  name: "shell",
  about: "Runs a command.",
  guidance: "-",
  effect: "outside",
  repeatable: false,
  input: z.object({}),
  async run(_, { run }) {
    await run(["work"]);
    return "done";
  },
});

/** The command that Ann runs writes a draft, and her node is cancelled meanwhile; the draft is saved then, and lost. Answered, the coordinator does `then`. */
async function abandoned(then: Answer[], play: Play = {}) {
  const team = [
    { tool: "spawn_worker", input: { name: "Ann" } },
    { tool: "create_work_node", input: { task: "t", name: "work", worker: "Ann" } },
  ];
  /** What later commands find. */
  const found: (string | undefined)[] = [];
  const world = start({
    play: {
      coordinator: [{ calls: team }, use("ask_human", { question: "And now?" }), ...then],
      ann: [use("shell")],
      ...play,
    },
    tools: [shell],
    async command({ signal }) {
      const isFirst = world.state().nodes.get("n1-work")?.status === "running";
      if (!isFirst) found.push(world.sim.disk.peek(draft)?.toString());
      else {
        world.sim.disk.put(draft, "as far as I got");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }
      return { code: 0, output: "" };
    },
  });
  await world.begin();
  await world.create();
  await world.until(() => world.sim.disk.peek(draft) !== null);
  await world.send("a1", { type: "node.cancel", node: "n1-work", reason: "enough" }, { actor: "human" });
  await world.pass();
  expect(savedOf(world.state(), "n1-work")).toMatchObject({ files: 1 });
  expect(isUnsaved(world.state(), "n1-work")).toBe(false);
  world.sim.disk.put(draft, null);
  await world.restart("kill");
  const goOn = async () => {
    await world.send("a1", { type: "question.answer", answer: "Try again." }, { actor: "human" });
    await world.pass();
  };
  const look = (path: string) =>
    world.settled(world.runtime().opened("a1")!.reading.files.look({ of: "workspace" }, path));
  const restored = async () =>
    (await world.events()).flatMap(({ type, data }) => (type === "workspace.restored" ? [data] : []));
  const told = () => JSON.stringify(world.asked.at(-1));
  return { world, goOn, look, restored, told, found };
}

describe("the saved files of a node that has ended, and lost them, are there again", () => {
  test("for a person who opens one, or their folder", async () => {
    const { look, restored } = await abandoned([]);
    const file = await look("nodes/n1-work/scratch/draft.md");
    expect(file.kind === "file" && String(file.content)).toBe("as far as I got");
    expect(await restored()).toMatchObject([{ workspace: "n1-work", files: 1 }]);

    const other = await abandoned([]);
    expect(await other.look("nodes/n1-work/scratch")).toMatchObject({ entries: [{ name: "draft.md" }] });
  });

  test("for a person who searches the files", async () => {
    const { world } = await abandoned([]);
    const wanted = { query: "far as I", limit: 10 };
    const { files } = await world.settled(world.runtime().opened("a1")!.reading.find({ of: "workspace" }, wanted));
    expect(files.map(({ path }) => path)).toContain("nodes/n1-work/scratch/draft.md");
  });

  test("for whoever created the node", async () => {
    const { goOn, told } = await abandoned([use("read_file", { path: "nodes/n1-work/scratch/draft.md" })]);
    await goOn();
    expect(told()).toContain("as far as I got");
  });

  test("for the worker that retries it, and for its programs", async () => {
    const team = [
      { tool: "spawn_worker", input: { name: "Bea" } },
      { tool: "create_work_node", input: { task: "t", name: "again", worker: "Bea", retry_of: "n1-work" } },
      { tool: "wait_for_nodes" },
    ];
    const bea = [use("shell"), use("publish", { summary: "s" })];
    const { world, goOn, found } = await abandoned([{ calls: team }], { bea });
    await goOn();
    expect(world.state().nodes.get("n2-again")?.status).toBe("completed");
    expect(found).toEqual(["as far as I got"]);
  });

  test("and not for one that was never saved", async () => {
    const { look, restored, goOn } = await abandoned([
      { calls: [{ tool: "create_work_node", input: { task: "t", name: "new" } }] },
    ]);
    await goOn();
    expect((await look("nodes/n2-new")).kind).toBe("folder");
    expect(await restored()).toEqual([]);
  });
});

test("a file that was written although its disk said otherwise is saved", async () => {
  let isBroken = true;
  const world = start({
    play: { coordinator: [use("write_file", { path: "a.md", content: "there" })] },
    files: (files) => ({
      ...files,
      within: (root) => ({
        ...files.within(root),
        async write(path, content, how) {
          await files.within(root).write(path, content, how);
          if (!isBroken || path !== "scratch/a.md") return;
          isBroken = false;
          throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
        },
      }),
    }),
  });
  await world.begin();
  await world.create();
  await world.pass();
  expect(isBroken).toBe(false);
  expect(savedOf(world.state(), "r1")).toMatchObject({ files: 1 });
});
