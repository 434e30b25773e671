/** The board of an agent's run: its nodes and its people at a glance, and one node in full. */
import { z } from "zod";
import type { State } from "../core/state.ts";
import { workerStatus } from "../core/status.ts";
import { isWorker } from "../core/worker.ts";
import { Published } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import { WorkerStatus } from "../schema/worker.ts";
import { assertKnown } from "./agent-tools.ts";
import { defineHumanTool, OneAgent } from "./tool.ts";

const Brief = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  depends_on: z.array(z.string()),
  worker: z.string().optional(),
  partial: z.boolean().optional().describe("Completed, but not all of it"),
  why: z.string().optional().describe("Why it failed, was cancelled or waits"),
});

const Whole = Brief.extend({
  agent: z.string(),
  run: z.string(),
  creator: z.string().describe("Who wrote the task"),
  task: z.string(),
  acceptance: z.string().optional(),
  summary: z.string().optional().describe("What its worker says it made"),
  files: z.array(Published).optional().describe("What it published; read one with file_read nodes/NODE/published/PATH"),
  turns: z.number().int(),
});

export const boardGet = defineHumanTool({
  name: "board_get",
  title: "Look at the board",
  about:
    "The work of an agent's latest run: every node with its status and what it depends on, the workers, and the plan.",
  reads: true,
  input: OneAgent,
  output: z.object({
    agent: z.string(),
    run: z.string().nullable(),
    run_status: z.string().nullable(),
    plan: z.string().optional().describe("In the coordinator's words"),
    nodes: z.array(Brief),
    workers: z.array(z.object({ id: z.string(), name: z.string(), status: WorkerStatus, node: z.string().optional() })),
  }),
  async run({ agent }, { house: { runtime } }) {
    assertKnown(runtime, agent);
    return runtime.read(agent, (state) => ({
      agent,
      run: state.run?.id ?? null,
      run_status: state.run?.status ?? null,
      ...(state.run?.status === "open" && state.run.plan ? { plan: state.run.plan } : {}),
      nodes: [...state.nodes.values()].map(brief),
      workers: [...state.participants.values()].filter(isWorker).map((one) => ({
        id: one.id,
        name: one.name,
        status: workerStatus(one),
        ...(one.node ? { node: one.node } : {}),
      })),
    }));
  },
});

export const nodeGet = defineHumanTool({
  name: "node_get",
  title: "Look at a node",
  about: "One node in full: its task, what came of it, and the files it published.",
  reads: true,
  input: OneAgent.extend({ node: z.string().min(1).max(200).describe("Its id, from board_get") }),
  output: Whole,
  async run({ agent, node: id }, { house: { runtime } }) {
    assertKnown(runtime, agent);
    return runtime.read(agent, (state) => {
      const node = state.nodes.get(id);
      const ids = [...state.nodes.keys()].join(", ") || "none";
      if (!node) throw new Problem("not_found", `${agent} has no node ${id}; on the board are ${ids}`);
      const { creator, task, acceptance, turns } = node;
      return {
        agent,
        run: state.run!.id,
        ...brief(node),
        creator,
        task,
        turns,
        ...(acceptance ? { acceptance } : {}),
        ...(node.status === "completed" ? { summary: node.summary, files: node.files } : {}),
      };
    });
  },
});

type Node = State["nodes"] extends Map<string, infer N> ? N : never;

function brief(node: Node): z.input<typeof Brief> {
  const { id, name, status, depends_on } = node;
  return {
    id,
    name,
    status,
    depends_on,
    ...("worker" in node && node.worker ? { worker: node.worker } : {}),
    ...(node.status === "completed" && node.partial ? { partial: true } : {}),
    ...("reason" in node ? { why: node.reason.message } : {}),
    ...(node.status === "waiting" ? { why: `it waits for ${node.on.for}` } : {}),
  };
}
