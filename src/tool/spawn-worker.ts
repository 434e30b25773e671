import { z } from "zod";
import { workerCommands } from "../schema/worker.ts";
import { defineTool } from "./tool.ts";

const { name, role, kind, model, tools, max_turns, memory } = workerCommands["worker.spawn"].shape;

export const spawnWorker = defineTool({
  name: "spawn_worker",
  about: "Bring a new worker into the run.",
  guidance:
    "Give it a name people can use and a role in one sentence. Reuse an idle worker where you can: it remembers what it learned.",
  effect: "state",
  repeatable: true,
  only: "coordinator",
  input: z.object({ name, role, type: kind, model, tools, max_turns, memory }),
  async run({ type, ...rest }, { dispatch }) {
    const { made } = await dispatch({ type: "worker.spawn", kind: type, ...rest });
    return `${rest.name} is here as ${made.worker} and idle.`;
  },
});
