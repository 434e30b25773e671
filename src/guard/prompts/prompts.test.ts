import { expect, test } from "vitest";
import { start } from "../../runtime/runtime.test-help.ts";
import { createBash } from "../../tool/bash.ts";
import { tools } from "../../tool/index.ts";
import { createWebTools } from "../../tool/web-tools.ts";
import * as prompts from "./index.ts";

const all = [
  ...tools,
  createBash({ sandbox: { bash: "required", network: [], other_hosts: "ask" } }),
  ...createWebTools({ network: {}, threads: {}, config: { allow_private: [] } } as never),
];
const names = new Set(all.map((tool) => tool.name));
const { fill, ...texts } = prompts;

/** Names in backquotes that look like tools: lower case with an underscore. Files begin with one or have a dot. */
const named = (text: string): string[] => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name!);
/** What may stand in backquotes and is no tool. */
const fields = new Set(["depends_on"]);

test.each(Object.entries(texts))("every tool that %s names can be called", (_, text) => {
  expect(named(text).filter((name) => !names.has(name) && !fields.has(name))).toEqual([]);
});

test.each(all.map((tool) => [tool.name, tool] as const))(
  "the guidance of %s names only tools that exist",
  (_, { guidance, about }) => {
    const snake = [...`${about} ${guidance}`.matchAll(/\b([a-z]+(?:_[a-z]+)+)\b/g)].map(([, name]) => name!);
    const shapes = new Set(all.flatMap((tool) => JSON.stringify(tool.input.meta?.() ?? {}).match(/[a-z_]+/g) ?? []));
    const unknown = snake.filter((name) => !names.has(name) && !shapes.has(name) && !parameters.has(name));
    expect(unknown).toEqual([]);
  },
);

/** Parameters and values that guidance speaks of. */
const parameters = new Set([
  ...["depends_on", "node_ids", "worker_id", "max_turns", "single_inference", "agent_command", "timeout_seconds"],
  ...["at_time", "on_event", "on_idle", "delay_seconds", "interval_seconds", "idle_seconds", "wake_agent", "run_node"],
  ...[
    "trigger_id",
    "message_id",
    "node_id",
    "ref_name",
    "next_stage",
    "deadline_seconds",
    "budget_usd",
    "any_completes",
    "retry_of",
  ],
]);

test("every gap of a prompt that anyone is shown is filled", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann", role: "writes" } },
            { tool: "spawn_worker", input: { name: "Bea", role: "reads" } },
            { tool: "create_work_node", input: { task: "write it", worker: "Ann" } },
          ],
        },
      ],
    },
  });
  await world.begin();
  await world.create();
  await world.create({ name: "b1", mode: "infinite" });
  await world.pass(3_600_000);
  expect(new Set(world.asked.map((request) => request.participant))).toEqual(new Set(["coordinator", "ann"]));
  for (const { system, note = "" } of world.asked)
    expect(`${system}${note}`).not.toMatch(/\{[a-z]+\}|undefined|\[object/);
});

test("a gap without a value and a value without a gap are bugs", () => {
  expect(() => fill("{name} is here")).toThrow("nothing was given for {name}");
  expect(() => fill("nobody", { name: "Ann" })).toThrow("there is no gap for name");
  expect(fill("{name} is {name}", { name: "Ann" })).toBe("Ann is Ann");
});

test("the team's manners are shown only with a team, the mode only to the coordinator", async () => {
  const world = start({ play: { coordinator: [{ say: "alone" }] } });
  await world.begin();
  await world.create();
  await world.pass(3_600_000);
  expect(world.asked[0]!.system).not.toContain(prompts.team);
  expect(world.asked[0]!.system).toContain(prompts.finite);
});
