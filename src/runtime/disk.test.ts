/** The runtime on the real disk: what the simulated one does not have, links and modes. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { createEmbedded } from "../engine/embedded.ts";
import { machine } from "../lib/machine/index.ts";
import { createFilesStore } from "../store/file-store.ts";
import { tempFolder } from "../store/temp.test-help.ts";
import { tools } from "../tool/index.ts";
import { type Asked, createModel, type Play, results, use } from "./model.test-help.ts";
import { createRuntime } from "./runtime.ts";

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });

/** Runs it to its end: Ann does the node n1-work as `ann` says. */
async function played(ann: (node: string, outside: string) => Play[string]) {
  const home = await tempFolder();
  const outside = await tempFolder();
  writeFileSync(join(outside, "secret"), "secret");
  const node = join(home, "agents/a1/runs/r1/nodes/n1-work");
  const asked: Asked[] = [];
  const begin = {
    calls: [
      { tool: "spawn_worker", input: { name: "Ann" } },
      { tool: "create_work_node", input: { task: "work" } },
      { tool: "wait_for_nodes" },
    ],
  };
  const play = { coordinator: [begin, use("finish", { summary: "done" })], ann: ann(node, outside) };
  const store = createFilesStore({ home, files: machine.files });
  const runtime = createRuntime({
    home,
    world: machine,
    store,
    engine: createEmbedded({ clock: machine.clock }),
    limits: defaultLimits,
    tools,
    backend: () => createModel(play, asked, machine.clock),
    snapshotEvery: 1000,
    notice: () => undefined,
  });
  onTestFinished(async () => {
    await runtime.stop();
    await store.close();
    await machine.files.remove(node); // what is frozen too
  });
  await runtime.start();
  await runtime.create({ goal: "go", name: "a1", model: "m" });
  for await (const events of runtime.follow("a1", 0)) if (events.some(({ type }) => type === "agent.completed")) break;
  const of = (who: string) => asked.filter((one) => one.participant === who);
  return { home, outside, node, results: () => results(of("ann")[1]!), runtime };
}

test("what is published has lost its write permission, and what is private is private", async () => {
  const { node, home } = await played(() => [
    { calls: [write("a.md", "A"), write("deep/b.md", "B"), { tool: "publish", input: { summary: "s" } }] },
  ]);
  const modeOf = (path: string) => statSync(join(node, path)).mode & 0o777;
  for (const path of ["a.md", "deep/b.md", "manifest.json"]) expect(modeOf(`published/${path}`)).toBe(0o400);
  for (const path of ["published", "published/deep"]) expect(modeOf(path)).toBe(0o500);
  expect(readFileSync(join(node, "published/deep/b.md"), "utf8")).toBe("B");
  expect(modeOf("scratch/a.md")).toBe(0o600);
  expect(statSync(join(home, "agents/a1")).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, "agents/a1/events.jsonl")).mode & 0o777).toBe(0o600);
});

test("nothing is written through a link", async () => {
  const { results, outside } = await played((node, outside) => [
    () => {
      mkdirSync(join(node, "scratch/real"), { recursive: true });
      symlinkSync(outside, join(node, "scratch/folder"));
      symlinkSync(join(outside, "secret"), join(node, "scratch/real/file"));
      symlinkSync("/nowhere/at/all", join(node, "scratch/dangling"));
      return {
        calls: [write("folder/x", "x"), write("real/file", "x"), write("dangling", "x"), write("real/ok", "x")],
      };
    },
  ]);
  expect(results().map((one) => one.outcome)).toEqual(["error", "error", "error", "ok"]);
  for (const { result } of results().slice(0, 3)) expect(result).toContain("contains a link");
  expect(readdirSync(outside)).toEqual(["secret"]);
});

test("a scratch folder that holds a link is not published", async () => {
  const { results, node } = await played((node) => [
    () => {
      mkdirSync(join(node, "scratch/deep"), { recursive: true });
      symlinkSync("/etc/passwd", join(node, "scratch/deep/file"));
      return use("publish", { summary: "s" });
    },
  ]);
  expect(results()).toMatchObject([
    {
      outcome: "error",
      result: expect.stringMatching(/^scratch\/deep\/file is a link, .*can be published; remove it, or/),
    },
  ]);
  expect(readdirSync(node).filter((name) => name.startsWith("publish"))).toEqual([]);
});

test("a scratch folder that is itself a link is neither written to nor published", async () => {
  const { results, node, outside } = await played((node, outside) => [
    () => {
      mkdirSync(join(node, "scratch"), { recursive: true });
      renameSync(join(node, "scratch"), join(node, "moved"));
      symlinkSync(outside, join(node, "scratch"));
      return { calls: [write("x", "x"), { tool: "publish", input: { summary: "s" } }] };
    },
  ]);
  expect(results().map((one) => one.outcome)).toEqual(["error", "error"]);
  expect(readdirSync(outside)).toEqual(["secret"]);
  expect(readdirSync(node)).not.toContain("published");
});

test("an attempt that was refused leaves nothing of it in the next", async () => {
  const { node } = await played((node) => [
    { calls: [write("a.md", "A"), write("z.md", "Z")] },
    () => {
      symlinkSync("/etc/passwd", join(node, "scratch/link"));
      return use("publish", { summary: "one" });
    },
    () => {
      rmSync(join(node, "scratch/link"));
      rmSync(join(node, "scratch/a.md"));
      return use("publish", { summary: "two" });
    },
  ]);
  expect(readdirSync(join(node, "published"))).toEqual(["manifest.json", "z.md"]);
  expect(readdirSync(node)).not.toContain("publishing");
});
