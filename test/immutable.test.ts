/** What is published never changes: everything a worker, the coordinator or a command could try against it, on a real disk, in the real sandbox. */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import { type Asked, createModel, type Play, results } from "../src/runtime/model.test-help.ts";
import type { CommandInput } from "../src/schema/command.ts";
import { createBash } from "../src/tool/bash.ts";
import { openHouse } from "./crash/house.ts";
import { bash, type Call, newHome, removeHome } from "./desk.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await removeHome(home);
});

const sandboxed = !(await machine.processes.sandbox());
const call = (tool: string, input: unknown = {}): Call => ({ tool, input });
const write = (path: string, content = "changed") => call("write_file", { path, content });

/** Every file and folder below, with its content, rights and times. */
function picture(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const look = (path: string) => {
    const { mode, mtimeMs, size } = lstatSync(path);
    const isFolder = lstatSync(path).isDirectory();
    seen[path] = `${mode.toString(8)} ${mtimeMs} ${isFolder ? "" : `${size} ${readFileSync(path, "utf8")}`}`;
    if (isFolder) for (const name of readdirSync(path)) look(join(path, name));
  };
  look(folder);
  return seen;
}

test("what is published stays as it is, whatever is tried against it", async () => {
  const home = newHome();
  homes.push(home);
  const run = join(home, "agents/a1/runs/r1");
  const published = join(run, "nodes/n1-first/published");
  const paths = [
    ...["published/n1-first/a.md", "nodes/n1-first/published/a.md", "published/n1-first/new.md"],
    ...["../../n1-first/published/a.md", "./../../n1-first/published/a.md", `${published}/a.md`],
    ...["link/a.md", "hard.md", "published/n1-first/manifest.json", "published/n1-first"],
  ];
  const byTools = (who: string): Call[] => [
    ...paths.flatMap((path) => [write(path), call("edit_file", { path, old: "alpha", new: `by ${who}` })]),
    call("memory_write", { path: "../../nodes/n1-first/published/a.md", content: "changed" }),
    call("memory_write", { path: "published/n1-first/a.md", content: "changed" }),
  ];
  const byPrograms = sandboxed
    ? [
        `ln -s ${published} link; ln ${published}/a.md hard.md; cp -al ${published} copy; true`,
        `echo changed > ${published}/a.md; echo more >> ${published}/a.md; truncate -s 0 ${published}/a.md; true`,
        `chmod -R u+w ${published}; rm -rf ${published}; mv ${published} away; touch ${published}/new ${published}/a.md; true`,
        "echo changed > link/a.md; rm link/a.md; sed -i s/alpha/changed/ link/a.md; echo changed > hard.md; true",
        `mount --bind . ${published}; (sleep 1; echo late > ${published}/a.md) & mv ../../n1-first ../../n9; true`,
        "rm -rf link hard.md copy away",
      ].map((command) => bash(command))
    : [];
  const attacks = (who: string) => [...byPrograms.slice(0, 5), ...byTools(who), ...byPrograms.slice(5)];
  let before: Record<string, string> | undefined;
  const play: Play = {
    coordinator: [
      {
        calls: [
          call("spawn_worker", { name: "Ann" }),
          call("create_work_node", { task: "first" }),
          call("create_work_node", { task: "second", depends_on: ["n1"] }),
          call("wait_for_nodes"),
        ],
      },
      { calls: [...attacks("the coordinator"), call("cancel_node", { node_id: "n1", reason: "no" })] },
      { calls: [write("answer.md", "own"), call("finish", { summary: "done" })] },
    ],
    ann: [
      // A program that still has the file open, and a second publish in the same turn.
      {
        calls: [
          write("a.md", "alpha"),
          write("deep/b.md", "beta"),
          ...(sandboxed ? [bash("exec 3>>a.md; (sleep 1; echo late >&3) & true")] : []),
          call("publish", { summary: "made" }),
          write("a.md", "after"),
          call("publish", { summary: "again" }),
        ],
      },
      () => {
        before = picture(published);
        return { calls: attacks("Ann") };
      },
      { calls: [write("c.md", "gamma"), call("publish", { summary: "second" })] },
    ],
  };
  const asked: Asked[] = [];
  const open = () =>
    openHouse({
      home,
      backend: createModel(play, asked, machine.clock),
      tools: [createBash({ sandbox: { bash: "required", network: [], other_hosts: "ask" } })],
    });
  const house = await open();
  await house.runtime.create({ goal: "publish", name: "a1", model: "scripted/test" });
  await house.until("a1", ({ type }) => type === "agent.completed");
  const commands: CommandInput[] = [
    { type: "node.publish", node: "n1-first", summary: "other", files: [] },
    { type: "node.fail", node: "n1-first", reason: { code: "x", message: "x", next_mover: "human" } },
    { type: "node.cancel", node: "n1-first", reason: "x" },
    { type: "node.checkpoint", node: "n1-first", summary: "x" },
    { type: "node.assign", node: "n1-first", worker: "ann" },
  ];
  for (const command of commands)
    for (const actor of ["ann", "coordinator", "human"])
      await expect(house.runtime.send("a1", command, { actor })).rejects.toThrow();
  await house.close();
  const again = await open();
  await again.runtime.start();
  await again.runtime.read("a1", (state) => expect(state.nodes.get("n1-first")).toMatchObject({ status: "completed" }));
  await again.close();

  expect(before).toBeDefined();
  expect(picture(published)).toEqual(before);
  expect(readFileSync(`${published}/a.md`, "utf8")).toBe("alpha");
  const told = results(asked.findLast((one) => one.participant === "coordinator")!);
  const first = 4 + (sandboxed ? 5 : 0);
  // The paths that name it; the others are names in the caller's own scratch.
  expect(told.slice(first, first + 12).map(({ outcome }) => outcome)).toEqual(Array(12).fill("error"));
});
