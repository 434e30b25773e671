/** Workers over HTTP. */
import { type workerRoutes, workersOf } from "../../api/workers.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const workerHandlers = ({ runtime }: Served): Handlers<typeof workerRoutes> => ({
  async listWorkers({ params: { agent } }) {
    assertKnown(runtime, agent);
    const workers = await runtime.read(agent, workersOf);
    const { memorySize } = await runtime.reading(agent);
    return { items: await Promise.all(workers.map(async (one) => ({ ...one, memory: await memorySize(one.id) }))) };
  },
});
