import { expect, test } from "vitest";
import { z } from "zod";
import { acpCli } from "../../driver/clis/acp.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { start } from "../runtime.test-help.ts";

const bash = defineTool({
  name: "bash",
  about: "",
  guidance: "",
  effect: "outside",
  repeatable: false,
  input: z.object({}),
  run: async () => "",
});

/** An agent that a program leads, which leaves a file in its home and finishes its run unless it is to think. */
async function led() {
  const world = start({
    tools: [bash],
    programs: {
      prepare: async () => ({
        cli: {
          ...acpCli({
            name: "codex",
            title: "Codex",
            binary: "codex",
            launch: ({ home }) => ({
              command: ["/bin/codex"],
              env: {},
              files: [{ path: `${home}/left.txt`, text: "left" }],
            }),
          }),
          open: () => ({
            async *prompt(text) {
              if (!text.includes("think"))
                await world
                  .runtime()
                  .ownCall(
                    { agent: "a1", run: world.state().run!.id, participant: "coordinator" },
                    { tool: "finish", input: { summary: "over" } },
                  );
              yield { type: "end", how: "done", text: "yes" };
            },
            say: () => false,
            permit: () => undefined,
            interrupt: () => undefined,
            close: async () => undefined,
          }),
        },
        launch: { file: "/bin/codex", path: "/bin" },
      }),
    },
  });
  world.sim.disk.put("/bin/codex", "");
  await world.begin();
  await world.create({ model: "codex/m", goal: "finish" });
  await world.pass();
  const homes = async (folder = "a1") =>
    (await world.settled(world.files().list(`/home/programs/${folder}`))).map(({ name }) => name);
  return { ...world, homes };
}

const day = 24 * 3_600_000;

test("the home of a program outlives its run by a week, because a message reopens it", async () => {
  const { homes, restart, state, sim, pass } = await led();
  expect(state().agent?.status).toBe("completed");
  expect(await homes()).toEqual(["r1"]);
  await sim.time.run({ ms: 6 * day });
  await restart("kill");
  await pass();
  expect(await homes()).toEqual(["r1"]);
  await sim.time.run({ ms: 2 * day });
  await restart("kill");
  await pass();
  expect(await homes()).toEqual([]);
});

test("it is removed with the next run, and all of them when the agent is archived", async () => {
  const { homes, send, pass } = await led();
  await send("a1", { type: "run.start", goal: "think" }, { actor: "human" });
  await pass();
  expect(await homes()).toEqual(["r2"]);
  await send("a1", { type: "agent.stop" }, { actor: "human" });
  await send("a1", { type: "agent.archive" }, { actor: "human" });
  await pass();
  expect(await homes()).toEqual([]);
});

test("after a crash nothing that a resume needs is removed, and what belongs to nobody is", async () => {
  const { homes, send, pass, restart, sim } = await led();
  await send("a1", { type: "run.start", goal: "think" }, { actor: "human" });
  await pass();
  for (const path of ["a1/r1/ann/home/x", "gone/r1/ann/home/x"]) sim.disk.put(`/home/programs/${path}`, "left");
  await restart("kill");
  await pass();
  expect(await homes()).toEqual(["r2"]);
  expect(await homes("")).toEqual(["a1"]);
});
