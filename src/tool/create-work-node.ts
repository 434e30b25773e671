import { z } from "zod";
import { inputsReady } from "../core/board/node.ts";
import { assertUsable } from "../core/board/usable-check.ts";
import { currentStage, findNode } from "../core/lookup.ts";
import type { State } from "../core/state.ts";
import { findParticipant, foldCase } from "../core/team/names.ts";
import { isWorker } from "../core/team/worker.ts";
import { type Check, GivenChecks } from "../schema/evidence.ts";
import { type Node, nodeCommands } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";

const { task, name, acceptance, if_unverified, worker, model, max_turns, timeout_seconds, suggestion, workspace } =
  nodeCommands["node.create"].shape;

export const createWorkNode = defineTool({
  name: "create_work_node",
  about:
    "Put a node on the board. It starts when everything it depends on is completed and a worker is free. Returns at once.",
  guidance:
    "For a part of the work that someone else can do by itself and whose result can be judged. " +
    "Say in task what is to be made, how large and in which form, what is given and what is not wanted, so that someone who knows nothing else can do it. " +
    "Checks are done on exactly the files that the worker publishes: what passes is verified, the rest is only claimed. " +
    "Refs become dependencies, and the worker reads them by their names. After a failure name the failed node in retry_of and change something. " +
    "One or a few at a time, as the work shows what is needed.",
  effect: "state",
  repeatable: true,
  offer: {
    always: "coordinator",
    when: ["board", "leaderless"],
    words: "delegate work, divide work, split the work, parallel, sub-node, task for a worker",
  },
  input: z.object({
    task: task.describe("What to produce"),
    name,
    acceptance: acceptance.describe("When it is done"),
    checks: GivenChecks.optional().describe(
      "Each one of {run: COMMAND that must exit with 0, seconds?}, {file, schema?, matches?: PATTERN, min_bytes?, max_bytes?}, {links: true}, {tests: true or COMMAND}, {review: true or QUESTION, by?: worker or model}",
    ),
    if_unverified: if_unverified.describe("If its checks never pass; default complete"),
    depends_on: z.array(z.string().min(1)).max(200).optional().describe("Nodes that must be completed first"),
    refs: z.record(z.string().min(1).max(64), z.string().min(1)).optional().describe("NAME: NODE or NODE/FILE"),
    worker,
    stage: z.string().min(1).max(100).optional().describe("Opens it if none is open"),
    model,
    max_turns,
    timeout_seconds,
    retry_of: z.string().min(1).optional().describe("The failed or partial node that this one replaces"),
    suggestion: suggestion.describe("The one it accepts, e.g. sg1"),
    workspace: workspace.describe("scratch: an empty folder instead of a checkout of the user's files"),
    base: z
      .string()
      .min(1)
      .optional()
      .describe("Its checkout starts from what this node published; from what was merged if missing"),
  }),
  async run({ depends_on = [], refs = {}, stage, retry_of, model, base, checks, ...rest }, context) {
    const { dispatch, node, state } = context;
    for (const check of checks ?? []) assertUsable(check);
    const needs = depends_on.map((id) => findNode(state(), id).id);
    const sources = Object.entries(refs).map(([name, ref]) => [name, whole(context, ref)]);
    if (stage !== undefined && !currentStage(state())) await open(context, stage);
    const { made } = await dispatch({
      type: "node.create",
      parent: node,
      ...rest,
      ...(checks === undefined ? {} : { checks: checks.map((check) => withReviewer(context, check)) }),
      ...(model === undefined ? {} : { model: context.driver(model) }),
      ...(stage === undefined ? {} : { stage }),
      ...(base === undefined ? {} : { base: base === "base" ? base : findNode(state(), base).id }),
      ...(retry_of === undefined ? {} : { retry_of: findNode(state(), retry_of).id }),
      depends_on: needs,
      refs: Object.fromEntries(sources),
    });
    const created = state().nodes.get(made.node!);
    const next = node && created && lacksWorker(state(), created) ? { next: bringOne } : {};
    return JSON.stringify({ node_id: made.node, status: created?.status, ...next });
  },
});

const bringOne = "No worker is free for it: bring one with spawn_worker, or it waits until one is free.";

/** It could start, and nobody is there to take it. */
const lacksWorker = (state: State, node: Node): boolean =>
  node.status === "pending" && node.wanted_worker === undefined && inputsReady(state, node);

/** A model that participants may choose, or a worker. */
function withReviewer({ state, driver }: ToolContext, check: Check): Check {
  if (!("review" in check) || check.by === undefined) return check;
  const one = findParticipant(state(), check.by);
  if (one && !isWorker(one)) throw new Problem("invalid", `${one.name} is not a worker; name a worker or a model`);
  return { ...check, by: one?.id ?? driver(check.by) };
}

/** NODE/FILE with the node's full id. */
function whole({ state }: ToolContext, ref: string): string {
  const [id = "", ...path] = ref.split("/");
  return [findNode(state(), id).id, ...path].join("/");
}

/** The first node of a stage opens it, if it is the coordinator's. */
async function open({ state, me, dispatch }: ToolContext, name: string): Promise<void> {
  const past = [...state().stages.values()].find(
    ({ id, name: called }) => id === name || foldCase(called) === foldCase(name),
  );
  if (past)
    throw new Problem("wrong_state", `${past.id} (${past.name}) is ${past.status}; open the next stage with reconvene`);
  if (me !== "coordinator") throw new Problem("forbidden", "no stage is open; only the coordinator opens one");
  await dispatch({ type: "stage.start", name }, 1);
}
