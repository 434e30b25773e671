/**
 * The team that a workflow declares for an agent, and how it enters a run: by the same commands as a coordinator's own, one fact at a time.
 *
 * Level-triggered: what is declared and missing is created, so a crash in the middle is completed afterwards and nothing is created twice. A worker
 * exists if somebody has its name, retired or not; a node if one on the board says so (`planned`); a stage if one of its name was begun. The next
 * stage begins when none is open: the coordinator completes one and the next is there. What a limit refuses is retried when there is room. After
 * the run was finished once, nothing more of it is created.
 * Not here: the file that people write (home/workflows.ts).
 */
import { type Command, parseCommand } from "../schema/command.ts";
import type { Fact } from "../schema/event.ts";
import type { NodeId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";
import type { Team } from "../schema/workflow.ts";
import type { Limits } from "./limits.ts";
import { currentStage } from "./lookup.ts";
import { findParticipant, foldCase, nameProblem, newId } from "./names.ts";
import { nodeDecide } from "./node.ts";
import { type Context, type Decide, defineBehaviour, type Settle } from "./noun.ts";
import { stageDecide } from "./stage.ts";
import { emptyState, type State } from "./state.ts";
import { isWorker, workerDecide } from "./worker.ts";

const settleWorkflow: Settle = (state, context) => {
  const { agent, run } = state;
  if (!agent?.team || agent.status !== "active" || run?.status !== "open" || run.answers > 0) return [];
  for (const wanted of missing(state, agent.team)) {
    const facts = allowed(state, wanted, context);
    if (facts.length) return facts;
  }
  return [];
};

const deciders = { ...workerDecide, ...stageDecide, ...nodeDecide };
type Wanted = { type: "worker.spawn" | "stage.start" | "node.create"; planned?: string } & Record<string, unknown>;

/** The facts of a command that the workflow's author could give now; none if it is refused: deciders refuse by throwing, here as on the road. */
function allowed(state: State, { planned, ...wanted }: Wanted, context: Context): Fact[] {
  try {
    const facts = (deciders[wanted.type] as Decide<Command>)(state, parseCommand(wanted as never), context);
    return facts.map((fact) =>
      fact.type === "node.created"
        ? { ...fact, data: { ...fact.data, planned }, actor: "human" }
        : { ...fact, actor: "human" },
    );
  } catch (problem) {
    if (problem instanceof Problem) return [];
    throw problem;
  }
}

/** What is declared and can be created now, in its order. */
function* missing(state: State, team: Team): Generator<Wanted> {
  for (const worker of team.workers)
    if (!findParticipant(state, worker.name)) yield { type: "worker.spawn", ...worker };
  const begun = new Set([...state.stages.values()].map(({ name }) => foldCase(name)));
  const next = team.stages.find(({ name }) => !begun.has(foldCase(name)));
  const there = new Map<string, NodeId>();
  for (const { id, planned } of state.nodes.values()) if (planned !== undefined) there.set(planned, id);
  for (const { id, title, spec, worker, depends_on, stage } of team.nodes) {
    const needs = depends_on.map((need) => there.get(need));
    if (there.has(id) || (stage !== undefined && !begun.has(foldCase(stage))) || needs.includes(undefined)) continue;
    const refs = Object.fromEntries(depends_on.map((need, at) => [need, needs[at]]));
    const one = worker === undefined ? undefined : findParticipant(state, worker);
    const wanted = isWorker(one) && !one.retired ? { worker: one.id } : {};
    yield { type: "node.create", planned: id, name: title, task: spec, depends_on: needs, refs, ...wanted };
  }
  if (next && !currentStage(state)) yield { type: "stage.start", ...next };
}

export interface Flaw {
  /** As in the file: workers by name, nodes and stages by place. */
  path: (string | number)[];
  message: string;
}

/** The first inconsistency, if there is one. */
export function flawIn({ workers, nodes, stages }: Team): Flaw | undefined {
  const people = emptyState();
  for (const { name } of workers) {
    const problem = nameProblem(people, name);
    if (problem) return { path: ["workers", name], message: problem.message };
    const id = newId(people, name);
    people.participants.set(id, { kind: "human", id, name, read: 0, unread: [] });
  }
  const names = new Set<string>();
  for (const [at, { name }] of stages.entries()) {
    if (names.has(foldCase(name))) return { path: ["stages", at], message: `the stage ${name} is listed twice` };
    names.add(foldCase(name));
  }
  const ids: string[] = [];
  let last = 0;
  for (const [at, { id, worker, depends_on, stage }] of nodes.entries()) {
    const flaw = (field: string, message: string): Flaw => ({ path: ["nodes", at, field], message });
    if (ids.includes(id)) return flaw("id", `${id} is listed twice`);
    if (worker !== undefined && !findParticipant(people, worker))
      return flaw(
        "worker",
        `${worker} is not a worker of this team; workers: ${listed(workers.map(({ name }) => name))}`,
      );
    for (const need of depends_on)
      if (!ids.includes(need)) return flaw("depends_on", `there is no node ${need} above it; nodes: ${listed(ids)}`);
    const given = listed(stages.map(({ name }) => name));
    if ((stage === undefined) !== (stages.length === 0))
      return flaw(
        "stage",
        stages.length
          ? `in a team with stages every node must name one; stages: ${given}`
          : `${stage} is not a stage; this team has none`,
      );
    if (stage !== undefined) {
      const place = [...names].indexOf(foldCase(stage));
      if (place < 0) return flaw("stage", `${stage} is not a stage of this team; stages: ${given}`);
      if (place < last)
        return flaw(
          "stage",
          `${stage} comes before the stage of the node above it; list the nodes in the order of their stages`,
        );
      last = place;
    }
    ids.push(id);
  }
  const empty = [...names].findIndex(
    (name) => !nodes.some(({ stage }) => stage !== undefined && foldCase(stage) === name),
  );
  if (empty >= 0) return { path: ["stages", empty], message: `no node belongs to the stage ${stages[empty]!.name}` };
  return undefined;
}

const listed = (names: readonly string[]): string => names.join(", ") || "none";

/** Throws if it is inconsistent, or larger than a run may be. */
export function assertTeam(team: Team, limits: Limits): void {
  const flaw = flawIn(team);
  if (flaw) throw new Problem("invalid", `team.${flaw.path.join(".")}: ${flaw.message}`);
  const few = (what: string, has: number, most: number) => {
    if (has > most) throw new Problem("limit_reached", `the team has ${has} ${what}; a run may have ${most}`);
  };
  few("workers", team.workers.length, limits.workers_per_run);
  few("nodes", team.nodes.length, Math.min(limits.nodes_per_run, limits.live_nodes));
  few("stages", team.stages.length, limits.stages_per_run);
}

export const workflow = defineBehaviour({
  settle: [{ phase: "begin", rule: settleWorkflow }],
});
