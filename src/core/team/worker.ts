/**
 * The participants that take turns: the coordinator and the workers. Who may run is decided here and nowhere else.
 *
 * A participant can run when it has a running turn, or unhandled mail, or its last turn asked to continue; unless it waits. A message from the
 * human, or an immediate one, is delivered also while it waits; background mail wakes nobody. A participant that waits only for nodes is woken by
 * any message (its sender may hold one of them), a failed node, a reconvening stage, a trigger's reminder, and a vote. Not here: a worker that
 * falls silent over its node (stall.ts).
 */

import { driverOf, isProgramDriver } from "../../schema/driver.ts";
import { typesOf } from "../../schema/event.ts";
import type { Wait } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Entry, Participant, Thinker, Worker } from "../../schema/worker.ts";
import { nodesThatCanEnd } from "../board/node.ts";
import { requireRun } from "../lookup.ts";
import { type Appointments, type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { isGuest } from "./guest.ts";

import { newId, requireParticipant, requireWorker } from "./names.ts";
import { givenBy } from "./sub-worker.ts";

export const isWorker = (
  one: Participant | undefined,
): one is Extract<Participant, { kind: "harnessed" | "autonomous" }> =>
  one?.kind === "harnessed" || one?.kind === "autonomous";

/** Who can be given nodes. */
export const isDoer = (one: Participant | undefined): one is Worker => isWorker(one) && !isGuest(one);

/** A single call: it is asked once, without tools, and its answer is the result of its node. */
export const isSingle = (one: Participant): boolean => "single_inference" in one && one.single_inference === true;

/** Whether it has something to do. Not whether it may start now: agent state, concurrency and retry times come on top. */
export function canRun(one: Participant): boolean {
  if (one.kind === "human" || isGuest(one)) return false;
  if (one.turn?.status === "acting" && one.turn.asking) return false;
  if (one.retired) return one.turn !== undefined;
  if (one.turn || one.next === "continue") return true;
  const mail = one.unread.filter(wakes);
  if (one.wait?.for === "nodes")
    return mail.some(({ kind, priority }) => heardOverNodes.has(kind) || priority === "immediate");
  if (one.wait)
    return mail.some(
      ({ from, kind, priority }) => kind === "message" && (from === "human" || priority === "immediate"),
    );
  return mail.length > 0;
}

const heardOverNodes: ReadonlySet<Entry["kind"]> = new Set(["message", "stage", "fire", "vote"]);

/** Whether this entry gives its reader something to do now. */
export const wakes = ({ priority }: Entry): boolean => priority !== "background";

export function newThinker(id: string, name: string): Omit<Extract<Participant, { kind: "coordinator" }>, "kind"> {
  return {
    id,
    name,
    read: 0,
    unread: [],
    turns: 0,
    next: "rest",
    done: [],
    conversation: [],
    retired: false,
    stall: { alone: 0, nudges: 0, repeats: [], fruitless: 0, fruitful: false, compactions: 0 },
    // Set although empty: objects of one shape are copied much faster, and each event copies one.
    turn: undefined,
    wait: undefined,
    node: undefined,
    quiet: undefined,
    tokens: undefined,
    needs: undefined,
    session: undefined,
    queued: undefined,
    deferred: undefined,
    offered: undefined,
    found: undefined,
    full: undefined,
    shortened: undefined,
  };
}

export const workerDecide: Deciders<"worker.spawn" | "worker.retire" | "worker.unpark"> = {
  "worker.spawn": (state, { type: _, name, agent_command, ...given }, context) => {
    requireRun(state);
    const { limits, actor } = context;
    if (given.ref !== undefined && given.ref === state.agent?.id)
      throw new Problem("invalid", `${given.ref} leads this run and cannot be a guest in it`);
    const model = agent_command === undefined ? given.model : `command:${agent_command}`;
    const isProgram = model !== undefined && isProgramDriver(driverOf(model));
    if (given.kind === "autonomous" && !isProgram)
      throw new Problem("invalid", `${name} is autonomous but has no program; name one, such as claude-code or codex`);
    if (isProgram && given.single_inference)
      throw new Problem("invalid", `${name} is a program; single_inference is for models`);
    const kit = { ...given, model, kind: isProgram ? ("autonomous" as const) : ("harnessed" as const) };
    const workers = [...state.participants.values()].filter((one) => isWorker(one) && !one.retired).length;
    if (workers >= limits.workers_per_run) {
      throw new Problem(
        "limit_reached",
        `this run already has ${limits.workers_per_run} workers, the maximum; retire one or reuse an idle one`,
      );
    }
    const worker = newId(state, name);
    const spawner = state.participants.get(actor);
    if (!isWorker(spawner)) return [{ type: "worker.spawned", data: { worker, name, ...kit } }];
    const share = givenBy(state, spawner, { ...given, name }, isProgram, context);
    return [{ type: "worker.spawned", data: { worker, name, ...kit, ...share.given } }, ...share.facts];
  },
  "worker.retire": (state, command) => {
    const worker = requireWorker(state, command.worker);
    if (worker.retired) return [];
    if (worker.node)
      throw new Problem("wrong_state", `${worker.name} is busy with ${worker.node}; cancel that node first`);
    return [{ type: "worker.retired", data: { worker: worker.id, reason: command.reason } }];
  },
  "worker.unpark": (state, { worker, reason }) => {
    const parked = requireParticipant(state, worker);
    return parked.kind !== "human" && parked.wait
      ? [{ type: "worker.unparked", data: { worker: parked.id, reason } }]
      : [];
  },
};

const reduceWorkers: Reduce = (state, event) => {
  switch (event.type) {
    case "worker.spawned": {
      const { worker: id, name, budget, ...kit } = event.data;
      state.participants.set(id, { ...newThinker(id, name), ...kit } as Participant);
      if (budget)
        state.accounts.set(`worker:${id}`, {
          limit: budget,
          spent: { usd: 0, tokens: 0, turns: 0, seconds: 0 },
          reserved: { usd: 0, tokens: 0 },
        });
      return;
    }
    case "worker.retired":
      return update(state, event.data.worker, () => ({ retired: true }));
    case "worker.halted":
      return update(state, event.data.worker, () => ({ next: "rest" }));
    case "worker.parked":
      return update(state, event.data.worker, () => ({ wait: event.data.wait, next: "rest" }));
    case "worker.unparked":
      return update(state, event.data.worker, () => unparked);
    case "question.asked": {
      const { by, question, limit } = event.data;
      const parked = { wait: { for: "question", question }, next: "rest" } as const;
      return limit === undefined ? undefined : update(state, by, () => parked);
    }
    case "node.assigned":
      update(state, event.data.worker, () => ({ node: event.data.node }));
      return unparkWhoCan(state);
    case "node.checkpointed":
    case "question.answered":
    case "question.expired":
      return unparkWhoCan(state);
    case "node.completed":
    case "node.failed":
    case "node.retried":
    case "node.cancelled": {
      const { node } = event.data;
      for (const one of state.participants.values())
        if (one.kind !== "human" && one.node === node)
          update(state, one.id, (one) => letGo(one, event.type === "node.completed"));
      unparkWhoCan(state);
    }
  }
};

function unparkWhoCan(state: State): void {
  for (const one of state.participants.values()) {
    if (one.kind !== "human" && one.wait && waitIsOver(state, one, one.wait)) update(state, one.id, () => unparked);
  }
}

/** A participant that waited resumes, whether or not the news reached its inbox. */
const unparked = { wait: undefined, next: "continue" } as const;

/** A worker without its node has nothing to continue; mail still wakes it. */
function letGo(one: Thinker, done: boolean): Partial<Thinker> {
  return {
    node: undefined,
    next: "rest",
    wait: undefined,
    queued: undefined,
    ...(done ? { done: [...one.done, one.node!] } : {}),
  };
}

/** What it waits for has happened, or cannot happen any more: checked when it happens, and when a wait begins. */
export function waitIsOver(state: State, { node, unread }: Pick<Thinker, "node" | "unread">, wait: Wait): boolean {
  if (wait.for === "question") return state.questions.get(wait.question)?.status !== "open";
  if (wait.for === "mail") return unread.some(wakes);
  const open = nodesThatCanEnd(state, node);
  return wait.nodes.every((id) => !open.has(id));
}

export function update(state: State, id: string, next: (one: Thinker) => Partial<Thinker>): void {
  const one = state.participants.get(id);
  if (one && one.kind !== "human") state.participants.set(id, { ...one, ...next(one) } as Participant);
}

const workerAppointments: Appointments = (state) => {
  const due: ReturnType<Appointments> = [];
  for (const one of state.participants.values()) {
    if (one.kind === "human") continue;
    if (one.wait && "deadline" in one.wait && one.wait.deadline) {
      due.push({
        at: one.wait.deadline,
        command: { type: "worker.unpark", worker: one.id, reason: "the wait timed out" },
      });
    }
  }
  return due;
};

export const worker = defineBehaviour({
  decide: workerDecide,
  reduce: [
    {
      phase: "own",
      looksAt: [...typesOf("worker", "node"), ...typesOf("question")],
      reduce: reduceWorkers,
    },
  ],
  appointments: { while: ["active"], of: workerAppointments },
});
