/**
 * The team that a workflow declares for an agent, and how it enters a run: by the same commands as a coordinator's own, one fact at a time.
 *
 * Level-triggered: what is declared and missing is created, so a crash in the middle is completed afterwards and nothing is created twice. A worker
 * exists if somebody has its name, retired or not; a node if one on the board says so (`planned`); a stage if one of its name was begun. The next
 * stage begins when none is open: the coordinator completes one and the next is there. What a limit refuses is retried when there is room. After
 * the run was finished once, nothing more of it is created.
 * Not here: the file that people write (home/workflows.ts).
 */

import { type Command, parseCommand } from "../../schema/command.ts";
import { driverOf, isProgramDriver } from "../../schema/driver.ts";
import type { Fact } from "../../schema/event.ts";
import type { Check } from "../../schema/evidence.ts";
import type { NodeId } from "../../schema/ids.ts";
import { Problem, refusalOr } from "../../schema/problem.ts";
import type { Run } from "../../schema/run.ts";
import type { Schedule } from "../../schema/schedule.ts";
import type { Team } from "../../schema/workflow.ts";
import { nodeDecide } from "../board/node.ts";
import { stageDecide } from "../board/stage.ts";
import { documentDecide } from "../file/document.ts";
import type { Limits } from "../limits.ts";
import { currentStage } from "../lookup.ts";
import { attachmentsOf } from "../message/attachments.ts";
import { mentions } from "../message/mention.ts";
import { type Context, type Decide, defineBehaviour, type Settle } from "../noun.ts";
import { emptyState, type State } from "../state.ts";
import { findParticipant, foldCase, nameProblem, newId } from "../team/names.ts";
import { isWorker, workerDecide } from "../team/worker.ts";
import { cronTimes } from "../time/cron.ts";
import { patternProblem } from "../time/schedule.ts";
import { triggerDecide } from "../time/trigger.ts";
import { defaultLead, lead } from "./lead.ts";

const settleWorkflow: Settle = (state, context) => {
  const { agent, run, preparation } = state;
  if (agent?.status !== "active" || run?.status !== "open" || !run.team || run.answers > 0 || preparation) return [];
  const [output] = missingOutputs(state, run);
  if (output) return [output];
  for (const wanted of missing(state, run.team)) {
    const facts = allowed(state, wanted, context);
    if (facts.length) return facts;
  }
  return run.kicked_off ? [] : firstMessage(state, run, run.team);
};

/** What the setup printed, as resources of the run. */
const missingOutputs = ({ resources }: State, { setup = [] }: Run): Fact[] =>
  setup.flatMap(({ as, resource, size, output }): Fact[] => {
    if (as === undefined || resource === undefined || resources.has(resource)) return [];
    const preview = output.slice(0, 200).toWellFormed();
    const data = { resource, title: `${as}.txt`, type: "text/plain", size, preview };
    return [{ type: "resource.created", data, actor: "human" }];
  });

/**
 * The first message, once everybody is there: to those it mentions, else to the lead, or to everyone if nobody leads. Where nobody leads and there are
 * no nodes either, the goal is the first message, because somebody must hear of it.
 */
function firstMessage(state: State, { goal, quotes, attached }: Run, team: Team): Fact[] {
  const text = team.kickoff ?? (team.lead === false && !team.nodes.length ? goal : undefined);
  if (text === undefined) return [];
  const everyone = [...state.participants.values()].flatMap((one) =>
    one.kind === "human" || one.retired ? [] : one.id,
  );
  const named = mentions(state, text).flatMap(({ id }) => (id === "*" ? everyone : (id ?? [])));
  const called = [...new Set(named)].filter((id) => id !== "human");
  const boss = lead(state);
  const to = called.length ? called : boss ? [boss.id] : everyone;
  if (!to.length) return [];
  const data = { message: `m${state.counts.messages + 1}`, from: "human", to, text, priority: "normal" as const };
  const with_ = {
    ...(quotes ? { quotes } : {}),
    ...(attached?.length ? { attachments: attachmentsOf(state, attached) } : {}),
  };
  return [{ type: "message.posted", data: { ...data, ...with_, kickoff: true }, actor: "human" }];
}

const deciders = { ...triggerDecide, ...workerDecide, ...stageDecide, ...nodeDecide, ...documentDecide };
type Wanted = { type: keyof typeof deciders; planned?: string } & Record<string, unknown>;

/** The facts of a command that the workflow's author could give now; none if it is refused: deciders refuse by throwing, here as on the road. */
function allowed(state: State, { planned, ...wanted }: Wanted, context: Context): Fact[] {
  const decide = deciders[wanted.type] as Decide<Command>;
  const facts = refusalOr(() => decide(state, parseCommand(wanted as never), context));
  if (facts instanceof Problem) return [];
  return facts.map((fact) =>
    fact.type === "node.created"
      ? { ...fact, data: { ...fact.data, planned }, actor: "human" }
      : { ...fact, actor: "human" },
  );
}

/** What is declared and can be created now, in its order. */
function* missing(state: State, team: Team): Generator<Wanted> {
  for (const worker of team.workers)
    if (!findParticipant(state, worker.name)) yield { type: "worker.spawn", ...worker };
  const { documents = [], laid_out = [] } = state.run?.status === "open" ? state.run : {};
  for (const { name, owner, ...text } of documents) {
    const one = owner === undefined ? undefined : findParticipant(state, owner);
    if (laid_out.includes(name) || (owner !== undefined && !one)) continue;
    yield { type: "document.write", document: name, ...text, ...(one ? { owner: one.id } : {}) };
  }
  for (const [at, { schedule, to, text }] of (team.triggers ?? []).entries()) {
    const key = `workflow/${at + 1}`;
    const one = to === undefined ? undefined : findParticipant(state, to);
    if (to !== undefined && !one) continue;
    const action = one ? { type: "send_message", to: one.id, text } : { type: "wake_agent", text };
    const before = [...state.triggers.values()].findLast((trigger) => trigger.key === key);
    const isSame = before && JSON.stringify([before.schedule, before.action]) === JSON.stringify([schedule, action]);
    if (!isSame) yield { type: "trigger.create", schedule, action, key };
  }
  const begun = new Set([...state.stages.values()].map(({ name }) => foldCase(name)));
  const next = team.stages.find(({ name }) => !begun.has(foldCase(name)));
  const there = new Map<string, NodeId>();
  for (const { id, planned } of state.nodes.values()) if (planned !== undefined) there.set(planned, id);
  for (const { id, title, spec, worker, depends_on, refs: named = {}, stage, ...more } of team.nodes) {
    if (there.has(id) || (stage !== undefined && !begun.has(foldCase(stage)))) continue;
    if (![...depends_on, ...Object.values(named).map(plannedIn)].every((need) => there.has(need))) continue;
    const shown = Object.values(named).map(plannedIn);
    const refs = Object.fromEntries([
      ...depends_on.flatMap((need) => (shown.includes(need) ? [] : [[need, there.get(need)]])),
      ...Object.entries(named).map(([name, ref]) => [name, ref.replace(plannedIn(ref), there.get(plannedIn(ref))!)]),
    ]);
    const one = worker === undefined ? undefined : findParticipant(state, worker);
    const wanted = isWorker(one) && !one.retired ? { worker: one.id } : {};
    const needs = depends_on.map((need) => there.get(need));
    yield { type: "node.create", planned: id, name: title, task: spec, depends_on: needs, refs, ...more, ...wanted };
  }
  if (next && !currentStage(state)) yield { type: "stage.start", ...next };
}

/** The node of NODE/FILE. */
const plannedIn = (ref: string): string => ref.split("/", 1)[0]!;

export interface Flaw {
  /** As in the file: workers by name, nodes and stages by place. */
  path: (string | number)[];
  message: string;
}

function scheduleProblem(schedule: Schedule): string | undefined {
  if (schedule.type === "scheduled") return cronProblem(schedule.cron, schedule.zone);
  return schedule.type === "on_event" ? patternProblem(schedule.pattern) : undefined;
}

/** The first inconsistency, if there is one. */
export function flawIn(team: Team): Flaw | undefined {
  const { workers, nodes, stages, documents = [], lead: led, coordinator, kickoff, on_idle } = team;
  const people = emptyState();
  for (const { name, model, single_inference, ref, ...more } of workers) {
    const wrong = ref === undefined ? undefined : guestFlaw({ name, model, single_inference, ref, ...more }, workers);
    if (wrong) return wrong;
    const problem = nameProblem(people, name);
    if (problem) return { path: ["workers", name], message: problem.message };
    if (single_inference && model !== undefined && isProgramDriver(driverOf(model)))
      return { path: ["workers", name, "single_inference"], message: `${model} is a program; this is for models` };
    const id = newId(people, name);
    people.participants.set(id, { kind: "human", id, name, read: 0, unread: [] });
  }
  if (led === false && !workers.length) return { path: ["lead"], message: "a team without a lead needs workers" };
  if (led === false && coordinator) return { path: ["coordinator"], message: "nobody leads this team" };
  if (led !== false && on_idle)
    return { path: ["on_idle"], message: "a run with a lead ends when the lead finishes it" };
  const everybody = listed(workers.map(({ name }) => name));
  const unknown = mentions(people, kickoff ?? "").find(({ id, addressed }) => id === undefined && addressed);
  if (unknown)
    return {
      path: ["kickoff"],
      message: `@${unknown.said} is not in this team; workers: ${everybody}`,
    };
  for (const [at, { to, schedule }] of (team.triggers ?? []).entries()) {
    const wrong = scheduleProblem(schedule);
    if (wrong) return { path: ["triggers", at], message: wrong };
    if (to !== undefined && !findParticipant(people, to) && !(led !== false && foldCase(to) === defaultLead.id))
      return { path: ["triggers", at, "to"], message: `${to} is not in this team; workers: ${everybody}` };
  }
  const texts = new Set<string>();
  for (const { name, owner } of documents) {
    if (texts.has(foldCase(name))) return { path: ["documents", name], message: `${name} is listed twice` };
    texts.add(foldCase(name));
    if (
      owner !== undefined &&
      !findParticipant(people, owner) &&
      !(led !== false && foldCase(owner) === defaultLead.id)
    )
      return { path: ["documents", name, "owner"], message: `${owner} is not in this team; workers: ${everybody}` };
  }
  const names = new Set<string>();
  for (const [at, { name }] of stages.entries()) {
    if (names.has(foldCase(name))) return { path: ["stages", at], message: `the stage ${name} is listed twice` };
    names.add(foldCase(name));
  }
  const ids: string[] = [];
  let last = 0;
  for (const [at, { id, worker, depends_on, refs, stage, checks }] of nodes.entries()) {
    const flaw = (field: string, message: string): Flaw => ({ path: ["nodes", at, field], message });
    if (ids.includes(id)) return flaw("id", `${id} is listed twice`);
    if (worker !== undefined && !findParticipant(people, worker))
      return flaw(
        "worker",
        `${worker} is not a worker of this team; workers: ${listed(workers.map(({ name }) => name))}`,
      );
    const guest = workers.find(
      (one) => one.ref !== undefined && worker !== undefined && foldCase(one.name) === foldCase(worker),
    );
    if (guest) return flaw("worker", `${guest.name} is a guest (ref) and does no nodes; name another worker`);
    for (const check of checks ?? []) {
      const wrong = reviewerFlaw(check, worker, (name) => findParticipant(people, name)?.id);
      if (wrong) return flaw("checks", `${wrong}; workers: ${listed(workers.map(({ name }) => name))}`);
    }
    const missing = (need: string) => `there is no node ${need} above it; nodes: ${listed(ids)}`;
    for (const need of depends_on) if (!ids.includes(need)) return flaw("depends_on", missing(need));
    for (const ref of Object.values(refs ?? {}))
      if (!ids.includes(plannedIn(ref))) return flaw("refs", missing(plannedIn(ref)));
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

function cronProblem(cron: string, zone: string | undefined): string | undefined {
  const times = refusalOr(() => cronTimes(cron, zone));
  return times instanceof Problem ? times.message : undefined;
}

/** A guest brings what it is: only what it is told, and how long it may take, can be said here. */
function guestFlaw(guest: Team["workers"][number], workers: Team["workers"]): Flaw | undefined {
  const { name, ref } = guest;
  const replaced = (["model", "tools", "soul", "memory", "single_inference", "budget"] as const).find(
    (field) => guest[field] !== undefined,
  );
  if (replaced)
    return {
      path: ["workers", name, replaced],
      message: `${ref} is an agent of its own and brings its ${replaced.replace("_", " ")}; with ref, give only prompt and max_turns`,
    };
  const first = workers.find((one) => one.ref === ref);
  return first === guest || first?.name === name
    ? undefined
    : { path: ["workers", name, "ref"], message: `${ref} is in this team already, as ${first?.name}` };
}

/** A model has its provider before it. */
function reviewerFlaw(
  check: Check,
  author: string | undefined,
  find: (name: string) => string | undefined,
): string | undefined {
  if (!("review" in check) || check.by === undefined) return undefined;
  const reviewer = find(check.by);
  if (reviewer === undefined && !check.by.includes("/"))
    return `${check.by} is not a worker of this team and not provider/model`;
  return reviewer !== undefined && author !== undefined && find(author) === reviewer
    ? `${check.by} does this node and cannot review it`
    : undefined;
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
