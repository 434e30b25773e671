import { z } from "zod";
import { currentStage, findNode } from "../core/lookup.ts";
import { foldCase } from "../core/names.ts";
import { nodeCommands } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";

const { task, name, acceptance, worker, model, max_turns, suggestion } = nodeCommands["node.create"].shape;

export const createWorkNode = defineTool({
  name: "create_work_node",
  about:
    "Put a node on the board. It starts when everything it depends on is completed and a worker is free. Returns at once.",
  guidance:
    "For a part of the work that someone else can do by itself and whose result can be judged; not for a single step that you can do yourself. " +
    "Say in task what is to be made, how large and in which form, what is given and what is not wanted; say in acceptance when it is done. " +
    "Name what it builds on in refs (a name of your choice: NODE or NODE/FILE): these become dependencies and the worker reads them by that name. " +
    "After a failure name the failed node in retry_of and change something: the task, the worker, the model. " +
    "One or a few at a time, as the work shows what is needed. Then wait_for_nodes, or go on with something else.",
  effect: "state",
  repeatable: true,
  input: z.object({
    task: task.describe("What to produce: output, size, format, inputs, what is not wanted"),
    name,
    acceptance: acceptance.describe("When it is done"),
    depends_on: z.array(z.string().min(1)).max(200).optional().describe("Ids of nodes that must be completed first"),
    refs: z.record(z.string().min(1).max(64), z.string().min(1)).optional().describe("NAME: NODE or NODE/FILE"),
    worker,
    stage: z.string().min(1).max(100).optional().describe("Name or id of the open stage; opens it if none is open"),
    model,
    max_turns,
    retry_of: z
      .string()
      .min(1)
      .optional()
      .describe("A failed or partially completed node that this one replaces; its worker is shown what was tried"),
    suggestion: suggestion.describe("The suggestion that this node accepts, e.g. sg1"),
  }),
  async run({ depends_on = [], refs = {}, stage, retry_of, model, ...rest }, context) {
    const { dispatch, node, state } = context;
    const needs = depends_on.map((id) => findNode(state(), id).id);
    const sources = Object.entries(refs).map(([name, ref]) => [name, whole(context, ref)]);
    if (stage !== undefined && !currentStage(state())) await open(context, stage);
    const { made } = await dispatch({
      type: "node.create",
      parent: node,
      ...rest,
      ...(model === undefined ? {} : { model: context.driver(model) }),
      ...(stage === undefined ? {} : { stage }),
      ...(retry_of === undefined ? {} : { retry_of: findNode(state(), retry_of).id }),
      depends_on: needs,
      refs: Object.fromEntries(sources),
    });
    return JSON.stringify({ node_id: made.node, status: state().nodes.get(made.node!)?.status });
  },
});

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
