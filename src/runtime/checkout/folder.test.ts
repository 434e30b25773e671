/** Checkouts of a folder of the user's. On a simulated disk. */
import { expect, test } from "vitest";
import { loadTree } from "../../workspace/folder/tree.ts";
import { use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";

const scratch = "/home/agents/a1/runs/r1/scratch";

test("what a power loss took from a checkout before anything was saved of it is not taken for removed", async () => {
  const coordinator = [use("list_files"), {}, use("write_file", { path: "a.md", content: "new" })];
  const world = start({ play: { coordinator } });
  for (const name of ["a.md", "b.md"]) world.sim.disk.put(`/project/${name}`, `given ${name}`);
  await world.begin();
  await world.create({ folder: "/project" });
  await world.pass();
  world.sim.disk.put(`${scratch}/b.md`, null);
  await world.restart("kill");
  await world.send("a1", { type: "message.post", text: "go on" });
  await world.pass();
  const events = await world.events();
  const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  expect(of("workspace.restored")).toMatchObject([{ workspace: "r1", why: "damaged", paths: ["b.md"] }]);
  const [kept] = of("workspace.kept") as { version: string }[];
  const get = async (sha256: string) => world.sim.disk.peek(`/home/agents/a1/blobs/${sha256}`);
  expect([...(await loadTree({ get, put: () => Promise.reject() }, kept!.version)).keys()]).toEqual(["a.md", "b.md"]);
});

test.each(["checkout.moved", "publish.ready"])(
  "nor if the power went at %s, while the run was being finished",
  async (point) => {
    const world = start({ play: { coordinator: [use("finish", { summary: "done" })] } });
    for (const name of ["a.md", "b.md"]) world.sim.disk.put(`/project/${name}`, `given ${name}`);
    await world.begin();
    await world.create({ folder: "/project", merge: "auto" });
    expect(await world.dies(point, 1, "kill")).toBe(true);
    world.sim.disk.put(`${scratch}/b.md`, null);
    await world.restart("kill");
    await world.pass();
    expect(world.state().run?.status).toBe("completed");
    expect(world.sim.disk.paths().filter((path) => path.startsWith("/project/"))).toHaveLength(2);
  },
);

test("a checkout of an archived agent is mended as well", async () => {
  const world = start({ play: { coordinator: [use("list_files")] } });
  world.sim.disk.put("/project/a.md", "given");
  await world.begin();
  await world.create({ folder: "/project" });
  await world.pass();
  await world.send("a1", { type: "agent.archive" }, { actor: "human" });
  world.sim.disk.put(`${scratch}/a.md`, null);
  await world.restart("kill");
  const using = world
    .runtime()
    .reading("a1")
    .then(({ checkouts }) => checkouts.open("r1"));
  await world.pass();
  expect(await using).toBe(true);
  expect(String(world.sim.disk.peek(`${scratch}/a.md`))).toBe("given");
});
