/** Who is at work in the current run: the coordinator and its workers. */
import { z } from "zod";
import { workerStatus } from "../core/agent/status.ts";
import { modelOf } from "../core/lookup.ts";
import type { State } from "../core/state.ts";
import { Amount } from "../schema/budget.ts";
import { Name, NodeId, ParticipantId } from "../schema/ids.ts";
import { Wait } from "../schema/node.ts";
import { WorkerStatus } from "../schema/worker.ts";
import { OfAgent } from "./agents.ts";
import { costOf } from "./board-view.ts";
import { route } from "./route.ts";

export const WorkerView = z
  .object({
    id: ParticipantId,
    name: Name,
    kind: z.enum(["coordinator", "harnessed", "autonomous"]),
    role: z.string(),
    status: WorkerStatus,
    wait: Wait.optional().describe("What it waits for"),
    node: NodeId.nullable().describe("Its nodes"),
    done: z.array(NodeId),
    model: z.string().describe("Its current model"),
    tools: z.array(z.string()).optional().describe("Tools it may use; default: all worker tools"),
    turns: z.number().int(),
    unread: z.number().int(),
    cost: Amount,
  })
  .describe("The coordinator or a worker");
export type WorkerView = z.infer<typeof WorkerView>;

export const Worker = WorkerView.extend({
  memory: z.object({ files: z.number().int(), bytes: z.number().int() }).describe("Size of its memory"),
});

/** From the state alone: the same on both sides of the wire. */
export function workersOf(state: State): WorkerView[] {
  const views: WorkerView[] = [];
  for (const one of state.participants.values()) {
    if (one.kind === "human") continue;
    views.push({
      id: one.id,
      name: one.name,
      kind: one.kind,
      role: "role" in one ? one.role : "",
      status: workerStatus(one),
      ...(one.wait ? { wait: one.wait } : {}),
      node: one.node ?? null,
      done: one.done,
      model: modelOf(state, one) ?? state.agent?.model ?? "",
      ...("tools" in one && one.tools ? { tools: one.tools } : {}),
      turns: one.turns,
      unread: one.unread.length,
      cost: costOf(state, `worker:${one.id}`),
    });
  }
  return views;
}

export const workerRoutes = {
  listWorkers: route({
    method: "GET",
    path: "/agents/{agent}/workers",
    tag: "board",
    summary: "List the coordinator and workers of the current run",
    params: OfAgent,
    ok: 200,
    answer: z.object({ items: z.array(Worker) }),
    errors: ["not_found"],
    tools: [
      {
        name: "worker_list",
        title: "List workers",
        about:
          "Who is at work in an agent's latest run: the coordinator and its workers, what each does, waits for and cost.",
      },
    ],
  }),
};
