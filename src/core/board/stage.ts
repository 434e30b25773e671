/**
 * Stages: nodes that reconvene together under a contract.
 *
 * A stage ends by its policy (a node at its checkpoint counts as completed): `all` when every node has ended, `majority` when more than half are
 * completed, `any` when one is; and in any case when no node can move any more, so that a stage never hangs on a failure. Then it is reconvening:
 * the coordinator is told, reviews the results, and completes it; where nobody leads it completes itself. A stage without nodes does not end by
 * itself. One stage is open at a time.
 */
import { typesOf } from "../../schema/event.ts";
import type { NodeId } from "../../schema/ids.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Stage } from "../../schema/stage.ts";
import { countAgainstLimit, currentStage, isLive, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { lead } from "../run/lead.ts";
import { nodesThatCanEnd } from "./node.ts";

/** Whether the policy is met by these nodes, or cannot be met any more. */
function reached(policy: Stage["contract"]["policy"], nodes: Node[], movable: Set<NodeId>): boolean {
  if (nodes.length === 0) return false;
  const completed = nodes.filter((node) => node.status === "completed" || node.checkpoint !== undefined).length;
  if (policy === "any" && completed > 0) return true;
  if (policy === "majority" && completed * 2 > nodes.length) return true;
  return nodes.every((node) => !movable.has(node.id));
}

export const stageDecide: Deciders<"stage.start" | "stage.complete"> = {
  "stage.start": (state, { name, policy, max_turns, timeout_seconds }, { limits, now }) => {
    requireRun(state);
    const open = currentStage(state);
    if (open)
      throw new Problem(
        "wrong_state",
        `${open.id} (${open.name}) is ${open.status}; complete it before the next stage`,
      );
    const begun = [...state.stages.values()].map((one) => one.started_at);
    if (countAgainstLimit(state, begun, now) >= limits.stages_per_run)
      throw new Problem(
        "limit_reached",
        `this run has used up its ${limits.stages_per_run} stages${state.agent?.mode === "infinite" ? " of a day" : ""}`,
      );
    const stage = `s${state.stages.size + 1}`;
    return [{ type: "stage.started", data: { stage, name, contract: { policy, max_turns, timeout_seconds } } }];
  },
  "stage.complete": (state, { assessment }) => {
    requireRun(state);
    const open = currentStage(state);
    if (!open) throw new Problem("wrong_state", "no stage is open; start one first");
    return [{ type: "stage.completed", data: { stage: open.id, assessment } }];
  },
};

const reduceStages: Reduce = (state, event) => {
  if (event.type === "run.started") return state.stages.clear();
  if (event.type === "stage.started") {
    const { stage: id, name, contract } = event.data;
    state.stages.set(id, { status: "running", id, name, contract, started_at: event.ts });
    return;
  }
  if (event.type !== "stage.reconvened" && event.type !== "stage.completed") return;
  const stage = state.stages.get(event.data.stage);
  if (!stage || stage.status === "completed") return;
  const { id, name, contract, started_at } = stage;
  const same = { id, name, contract, started_at };
  if (event.type === "stage.completed") {
    state.stages.set(id, { ...same, status: "completed", assessment: event.data.assessment, ended_at: event.ts });
  } else if (stage.status === "running") {
    state.stages.set(id, { ...same, status: "reconvening", completed: event.data.completed, since: event.ts });
  }
};

const endedBy = ({ completed }: { completed: readonly NodeId[] }): string =>
  `nobody leads this run; completed: ${completed.join(", ") || "none"}`;

const settleStages: Settle = (state) => {
  const stage = currentStage(state);
  if (stage?.status === "reconvening" && !lead(state) && state.run?.status === "open")
    return [{ type: "stage.completed", data: { stage: stage.id, assessment: endedBy(stage) } }];
  if (stage?.status !== "running") return [];
  const nodes = [...state.nodes.values()].filter((node) => node.stage === stage.id);
  if (!reached(stage.contract.policy, nodes, nodesThatCanEnd(state))) return [];
  const ids = (wanted: (node: Node) => boolean): NodeId[] => nodes.filter(wanted).map((node) => node.id);
  const completed = ids((node) => node.status === "completed");
  const stopped = ids((node) => isLive(node) && node.checkpoint !== undefined);
  const checkpointed = stopped.length ? stopped : undefined;
  return [{ type: "stage.reconvened", data: { stage: stage.id, completed, open: ids(isLive), checkpointed } }];
};

export const stage = defineBehaviour({
  decide: stageDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("stage"), "run.started"], reduce: reduceStages }],
  settle: [{ phase: "answer", rule: settleStages }],
});
