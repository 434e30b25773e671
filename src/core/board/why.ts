/**
 * Why a node does not move, or why it ended: a chain from the node down to whoever must act. Computed from the state, stored nowhere, for people
 * and for the coordinator alike.
 *
 * Always holds: the chain ends, also when nodes wait for each other (deadlock). The last link of a live node names who can really move it: a
 * participant that can run now, the human if something waits for them, or time (`until`). A waiting participant is never the last link: the chain
 * continues through it, whether or not it holds a node.
 */

import type { NodeId } from "../../schema/ids.ts";
import type { Node, Wait } from "../../schema/node.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Limits } from "../limits.ts";
import { isLive } from "../lookup.ts";
import { completion } from "../message/mail-route.ts";
import { isLead, lead, nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { canRun, isDoer, isWorker } from "../team/worker.ts";
import { holders, isQueued } from "../turn/queue.ts";

export interface Link {
  /** A node, a participant, a question, the agent or the run. */
  what: string;
  /** A closed list, for programs: see the `code`s below. */
  code: string;
  /** For people. */
  text: string;
  since?: string;
  until?: string;
  next_mover?: string;
}

export interface WhyOptions {
  limits: Limits;
  /** Participants whose loop runs now, if known. */
  running?: ReadonlySet<string>;
}

export const why = (state: State, id: NodeId, options: WhyOptions): Link[] => follow(state, id, options, new Set());

/** The chain in one line, from the node to its cause. */
export const inWords = (chain: readonly Link[]): string => chain.map(({ text }) => text).join(" ← ");

function follow(state: State, id: NodeId, options: WhyOptions, before: ReadonlySet<string>): Link[] {
  const node = state.nodes.get(id);
  if (!node) return [];
  if (before.has(id)) return circle(state, id, `${id} waits for itself`, options, before);
  const seen = new Set([...before, id]);
  if (isLive(node)) {
    const stopped = standstill(state);
    if (stopped) return [stopped];
  }
  switch (node.status) {
    case "pending":
      return pending(state, node, options, seen);
    case "assigned":
    case "running":
    case "waiting":
      return held(state, node, options, seen);
    case "completed":
      return [{ what: id, code: "completed", text: `${id} is ${completion(node)}` }];
    default: {
      const { reason, ended_at, status } = node;
      const text = `${id} ${status === "failed" ? "failed" : "was cancelled"}: ${reason.message}`;
      const link = { what: id, code: reason.code, text, since: ended_at, next_mover: reason.next_mover };
      // For the node itself: how it ended; for nodes that wait behind it: who must decide.
      return before.size ? decidedByCoordinator(state, link, options, seen) : [link];
    }
  }
}

/** What stops everyone. */
function standstill({ agent, run }: State): Link | undefined {
  if (!agent) return undefined;
  if (agent.status === "paused") {
    const { message, next_mover, until } = agent.reason;
    const text = `${agent.id} is paused: ${message}`;
    return { what: agent.id, code: "paused", text, since: agent.since, next_mover, ...(until ? { until } : {}) };
  }
  if (agent.status === "active" && run?.status === "open") return undefined;
  const text = run?.status === "open" ? `${agent.id} is ${agent.status}` : `${run?.id} is ${run?.status}`;
  return { what: agent.id, code: "over", text, next_mover: "human" };
}

function pending(state: State, node: Node, options: WhyOptions, seen: ReadonlySet<string>): Link[] {
  const since = node.created_at;
  const unmet = node.depends_on.filter((need) => state.nodes.get(need)?.status !== "completed");
  const dead = unmet.find((need) => !isLive(state.nodes.get(need)!));
  const need = dead ?? unmet[0];
  if (need !== undefined) {
    const more = unmet.length > 1 ? ` and ${unmet.length - 1} more` : "";
    const text = `${node.id} waits for ${need}${more}`;
    const code = dead ? "behind_failed" : "depends_on";
    return [{ what: node.id, code, text, since }, ...follow(state, need, options, seen)];
  }
  const wanted = node.wanted_worker === undefined ? undefined : thinkerOf(state, node.wanted_worker);
  if (wanted && !wanted.retired) {
    const text = `${node.id} waits for ${wanted.name}`;
    return [{ what: node.id, code: "worker_busy", text, since }, ...busy(state, wanted, options, seen)];
  }
  const workers = [...state.participants.values()].filter((one) => isDoer(one)).filter((one) => !one.retired);
  if (workers.length === 0) {
    const link = {
      what: node.id,
      code: "no_worker",
      text: `${node.id} has no worker: this run has none`,
      since,
    };
    return decidedByCoordinator(state, link, options, seen);
  }
  const text = `${node.id} waits for one of ${workers.length} workers to be free`;
  const link = { what: node.id, code: "no_worker", text, since };
  const moving = workers.some((one) => moves(state, one));
  return moving ? [{ ...link, next_mover: "a worker" }] : [link, ...busy(state, workers[0]!, options, seen)];
}

type Held = Extract<Node, { status: "assigned" | "running" | "waiting" }>;

function held(state: State, node: Held, options: WhyOptions, seen: ReadonlySet<string>): Link[] {
  const since = "started_at" in node ? node.started_at : node.created_at;
  if (node.checkpoint !== undefined) {
    const link = { what: node.id, code: "checkpoint", text: `${node.id} has stopped for its stage`, since };
    return decidedByCoordinator(state, link, options, seen);
  }
  const one = thinkerOf(state, node.worker);
  return one ? through(state, one, options, seen, { node: node.id, since }) : [];
}

/** Why a worker is not free: the node it holds, or what it does without one. */
const busy = (state: State, one: Thinker, options: WhyOptions, seen: ReadonlySet<string>): Link[] =>
  one.node !== undefined && state.nodes.has(one.node)
    ? follow(state, one.node, options, seen)
    : through(state, one, options, seen);

/** What stands between a participant and its next step. */
function through(
  state: State,
  one: Thinker,
  options: WhyOptions,
  before: ReadonlySet<string>,
  at: { node?: NodeId; since?: string } = {},
): Link[] {
  if (before.has(one.id)) return circle(state, one.id, `${one.name} waits for itself`, options, before);
  const seen = new Set([...before, one.id]);
  const node = at.node ?? one.node;
  const since = at.since === undefined ? {} : { since: at.since };
  const link = (code: string, text: string, next_mover: string): Link[] => [
    { what: node ?? one.id, code, text, ...since, next_mover },
  ];
  const { turn } = one;
  if (turn?.status === "calling" && turn.retry) {
    const { at, not_before } = turn.retry;
    const text = `${one.name} retries: the last call failed ${turn.retried === 1 ? "once" : `${turn.retried} times`}`;
    return [{ what: one.id, code: "retry", text, since: at, until: not_before, next_mover: "nobody" }];
  }
  if (turn?.status === "acting" && turn.asking) return asked(state, turn.asking[0]!);
  if (!canRun(one)) {
    if (one.wait) return parked(state, one, one.wait, options, seen);
    if (isLead(one))
      return [{ what: one.id, code: "rests", text: `${one.name} rests until it gets a message`, next_mover: "human" }];
    return link("silent", `${one.name} has no work in progress`, one.id);
  }
  const waits = queuedFor(state, one);
  if (waits) return [waits];
  const { running, limits } = options;
  const places = running ? [...running].filter((id) => isWorker(state.participants.get(id))).length : 0;
  if (running && isWorker(one) && !running.has(one.id) && places >= limits.concurrency)
    return link(
      "concurrency",
      `${one.name} waits for a free slot: ${places} of ${limits.concurrency} are in use`,
      "a worker",
    );
  return link("working", node ? `${one.name} is at work on ${node}` : `${one.name} is at work`, one.id);
}

/** It can run, and neither time nor money holds it back. */
const moves = (state: State, one: Thinker): boolean =>
  canRun(one) && !(one.turn?.status === "calling" && one.turn.retry) && !isQueued(state, one);

/** The coordinator must decide; if it cannot now, the chain continues through it. */
function decidedByCoordinator(state: State, link: Link, options: WhyOptions, seen: ReadonlySet<string>): Link[] {
  const one = lead(state);
  if (!one || moves(state, one)) return [{ ...link, next_mover: nextMover(state) }];
  const { next_mover: _, ...cause } = link;
  // It waits for this very thing: only a message from outside can free it.
  return seen.has(one.id) ? [{ ...cause, next_mover: "human" }] : [cause, ...through(state, one, options, seen)];
}

const circle = (state: State, what: string, text: string, options: WhyOptions, seen: ReadonlySet<string>): Link[] =>
  decidedByCoordinator(state, { what, code: "circle", text }, options, seen);

function parked(state: State, one: Thinker, wait: Wait, options: WhyOptions, seen: ReadonlySet<string>): Link[] {
  if (wait.for === "question") return asked(state, wait.question);
  const until = wait.deadline ? { until: wait.deadline } : {};
  if (wait.for === "mail" && wait.from) {
    const names = wait.from.map((id) => state.participants.get(id)?.name ?? id);
    const text = `${one.name} waits for an answer from ${names.join(", ")}`;
    const link: Link = { what: one.id, code: "mail", text, ...until };
    const debtors = wait.from.flatMap((id) => thinkerOf(state, id) ?? []);
    const debtor = debtors.find((each) => moves(state, each)) ?? debtors[0];
    const isHumans = wait.from.includes("human") && !(debtor && moves(state, debtor));
    return isHumans || !debtor ? [{ ...link, next_mover: "human" }] : [link, ...busy(state, debtor, options, seen)];
  }
  if (wait.for === "mail") {
    const others = [...state.participants.values()].some((other) => other.id !== one.id && canRun(other));
    const next_mover = others ? "anyone who has something to say" : "human";
    return [{ what: one.id, code: "mail", text: `${one.name} waits for messages`, next_mover, ...until }];
  }
  const open = wait.nodes.filter((id) => state.nodes.has(id) && isLive(state.nodes.get(id)!));
  const text = `${one.name} waits for ${open.join(", ") || "nothing"}`;
  const link: Link = { what: one.id, code: "nodes", text, ...until };
  return open[0] === undefined ? [{ ...link, next_mover: one.id }] : [link, ...follow(state, open[0], options, seen)];
}

function asked(state: State, id: string): Link[] {
  const question = state.questions.get(id);
  if (!question) return [];
  const who = thinkerOf(state, question.by)?.name ?? question.by;
  const text = `${who} asked the human (${id}): ${question.text.split("\n")[0]!.slice(0, 200)}`;
  const until = question.deadline ? { until: question.deadline } : {};
  return [{ what: id, code: "question", text, since: question.asked_at, next_mover: "human", ...until }];
}

/** Its next turn waits for money: the holders of reservations move it. */
function queuedFor(state: State, one: Thinker): Link | undefined {
  if (!one.queued || !isQueued(state, one)) return undefined;
  const { account, since } = one.queued;
  const by = holders(state, account);
  const names = by.map(({ name }) => name).join(", ");
  const text = `${one.name} waits for the budget of ${account}: the rest is reserved by calls of ${names}`;
  return { what: one.id, code: "budget_room", text, since, next_mover: by[0]?.id ?? "nobody" };
}

function thinkerOf(state: State, id: string): Thinker | undefined {
  const one = state.participants.get(id);
  return one && one.kind !== "human" ? one : undefined;
}
