/**
 * The stall detector: participants that act without progress, or do not act at all. One table says which signal, beyond which threshold, has which
 * consequence; one record on each participant (`stall`) holds what is counted, and only the reducer here writes it.
 *
 * Always holds: a stall ends in something that somebody sees. A worker's node fails and the coordinator is told; a coordinator asks the human;
 * otherwise the agent pauses. A consequence waits until the running turn has ended; only a program's turn may never end.
 * Not here: the turns and the time of a node (node.ts); the details of some signals: which calls are the same (repeat.ts), what a silent worker may
 * still wait for (silence.ts), who waits for whom (deadlock.ts), messages between two participants (chatter-limit.ts).
 */

import type { Reason } from "../../schema/agent.ts";
import { type Event, type Fact, typesOf } from "../../schema/event.ts";
import type { Entry, Stall, Thinker, Worker } from "../../schema/worker.ts";
import { turnsOf } from "../board/node-time.ts";
import type { Limits } from "../limits.ts";
import { isLive } from "../lookup.ts";
import { type Context, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { isLead, nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { deadlocked, describeDeadlock } from "./deadlock.ts";
import { countCall, mostRepeats } from "./repeat.ts";
import { isForgotten, noAnswer, nudge, waitForReply } from "./silence.ts";
import { canRun, isWorker, update, wakes } from "./worker.ts";

/** How much of each signal is too much. */
export const thresholds = {
  /** The same call with the same result: from here on its result says so. */
  repeatNudge: ({ same_call_nudge }: Limits) => same_call_nudge,
  /** The same call with the same result: here its participant is stopped. */
  repeat: ({ same_call_stop }: Limits) => same_call_stop,
  /** Turns on a node without progress. */
  fruitless: ({ turns_without_progress }: Limits) => turns_without_progress,
  /** The share of a node's turns at which its worker is told to produce. */
  late: () => 0.7,
  /** Nudges about a node before a worker that stays silent waits or fails. */
  silent: () => 1,
  /** Participants that wait only for each other. */
  deadlock: () => 1,
  /** Turns since the human's last message (coordinator), or since new mail (worker). */
  alone: ({ turns_alone }: Limits) => turns_alone,
  /** Messages between the same two participants without an effect. */
  chatter: ({ messages_without_effect }: Limits) => messages_without_effect,
  /** Compactions in a row with hardly a turn between them; and how often one request may be made smaller. */
  compactions: () => 2,
  /** Two compactions with no more than this many turns between them are in a row. */
  turnsBetweenCompactions: () => 4,
} as const satisfies Record<string, (limits: Limits) => number>;

interface Signal {
  name: keyof typeof thresholds;
  /** What follows from the state, if the threshold is reached. */
  consequence(state: State, threshold: number, context: Context): Fact | undefined;
}

/** For a signal that each participant has for itself: the first consequence. */
const each =
  (of: (state: State, one: Thinker, threshold: number, context: Context) => Fact | undefined): Signal["consequence"] =>
  (state, threshold, context) => {
    for (const one of state.participants.values()) {
      const fact = one.kind === "human" ? undefined : of(state, one, threshold, context);
      if (fact) return fact;
    }
    return undefined;
  };

/** Signal → threshold → consequence, in the order in which they are asked. Chatter and compactions are looked at where they happen. */
const table: readonly Signal[] = [
  {
    name: "repeat",
    consequence: each((state, one, threshold) => {
      const times = mostRepeats(one.stall);
      if (times < threshold || (one.turn && !(one.turn.status === "calling" && one.turn.own))) return undefined;
      if (isLead(one))
        return asks(
          state,
          one,
          "limit.loop",
          `I made the same tool call ${times} times and nothing changed. What should I do differently?`,
        );
      const message = `${one.name} made the same tool call ${times} times and nothing changed`;
      const reason = { code: "limit.loop", message, next_mover: nextMover(state) };
      return nodeFails(state, one, reason) ?? { type: "worker.halted", data: { worker: one.id, reason } };
    }),
  },
  {
    name: "fruitless",
    consequence: each((state, one, threshold) => {
      const { fruitless } = one.stall;
      if (!isWorker(one) || one.turn || fruitless < threshold) return undefined;
      const message = `${one.name} took ${fruitless} turns on ${one.node} without a result: no file, no publication, no node, no memory`;
      return nodeFails(state, one, { code: "limit.progress", message, next_mover: nextMover(state) });
    }),
  },
  {
    name: "late",
    // Once per node, in a turn that the worker takes anyway.
    consequence: each((state, one, threshold) => {
      if (!isWorker(one) || !one.node || one.turn || one.wait || !canRun(one)) return undefined;
      const node = state.nodes.get(one.node);
      if (node?.status !== "running" && node?.status !== "waiting") return undefined;
      const max_turns = turnsOf(state, node);
      if (node.urged || node.turns >= max_turns || node.turns < threshold * max_turns) return undefined;
      return { type: "worker.urged", data: { worker: one.id, node: node.id, turns: node.turns, max_turns } };
    }),
  },
  {
    name: "silent",
    consequence: each((state, one, threshold, { now }) => {
      // A worker whose call waits for approval is in a turn, and not silent.
      if (!isWorker(one) || !one.node || one.retired || one.turn || canRun(one)) return undefined;
      const node = state.nodes.get(one.node);
      if (!node || !isLive(node)) return undefined;
      const worker = one.id;
      if (one.wait)
        return isForgotten(state, one)
          ? { type: "worker.unparked", data: { worker, reason: noAnswer(one) } }
          : undefined;
      if (one.stall.nudges < threshold)
        return { type: "worker.nudged", data: { worker, node: node.id, text: nudge(node.id) } };
      const wait = waitForReply(state, one, now);
      if (wait) return { type: "worker.parked", data: { worker, node: node.id, wait } };
      const message = `${one.name} stopped acting on ${one.node} without publishing`;
      return nodeFails(state, one, { code: "limit.progress", message, next_mover: nextMover(state) });
    }),
  },
  {
    name: "deadlock",
    consequence(state, threshold, { limits }) {
      const stuck = deadlocked(state);
      const one = stuck.find(isLead) ?? stuck[0];
      if (!one || stuck.length < threshold) return undefined;
      return { type: "worker.unparked", data: { worker: one.id, reason: describeDeadlock(state, stuck, limits) } };
    },
  },
  {
    name: "alone",
    consequence: each((state, one, threshold) => {
      const { alone } = one.stall;
      if (one.turn || !canRun(one) || alone < threshold || one.unread.some((entry) => isCompany(state, one, entry)))
        return undefined;
      if (isLead(one))
        return asks(
          state,
          one,
          "limit.turns",
          `I took ${alone} turns since your last word and the goal is not reached. Shall I go on, and with what first?`,
        );
      const message = `${one.name} took ${alone} turns without a new message`;
      return { type: "agent.paused", data: { reason: { code: "limit.turns", message, next_mover: "human" } } };
    }),
  },
];

const settleStalls: Settle = (state, context) => {
  if (state.agent?.status !== "active" || state.run?.status !== "open") return [];
  for (const { name, consequence } of table) {
    const fact = consequence(state, thresholds[name](context.limits), context);
    if (fact) return [fact];
  }
  return [];
};

/** It is parked until the answer comes. */
const asks = (state: State, { id: by }: Thinker, limit: string, text: string): Fact => ({
  type: "question.asked",
  data: { question: `q${state.questions.size + 1}`, by, text, limit },
});

function nodeFails(state: State, one: Worker, reason: Reason): Fact | undefined {
  const node = one.node ? state.nodes.get(one.node) : undefined;
  return node && isLive(node) ? { type: "node.failed", data: { node: node.id, reason } } : undefined;
}

/** Compaction does not help any more: a full context window ends the node. */
export const isStuck = ({ shortened, stall, turns }: Thinker): boolean =>
  shortened !== undefined && stall.compactions >= thresholds.compactions() && isNear(turns - shortened.turn);

const isNear = (turns: number): boolean => turns <= thresholds.turnsBetweenCompactions();

/** The provider refused the request as too large, and it was made smaller often enough. */
export const isTooLargeForProvider = ({ full }: Thinker): boolean =>
  full !== undefined && full.tries >= thresholds.compactions();

/** A worker's turns alone are counted from any new mail; the coordinator's from the human's last message, in an infinite run also from its wake-ups. */
const isCompany = ({ agent }: State, one: Thinker, entry: Entry): boolean =>
  isLead(one) ? entry.from === "human" || (entry.kind === "fire" && agent?.mode === "infinite") : wakes(entry);

const reduceStalls: Reduce = (state, event) => {
  const count = (id: string, next: (one: Thinker) => Partial<Stall> | undefined) => {
    const one = state.participants.get(id);
    const changed = one && one.kind !== "human" ? next(one) : undefined;
    if (changed) update(state, id, ({ stall }) => ({ stall: { ...stall, ...changed } }));
  };
  switch (event.type) {
    case "turn.started":
      return count(event.data.participant, (one) => {
        const entries = one.unread.filter(({ seq }) => seq <= event.data.upto && seq > one.read);
        return {
          alone: entries.some((entry) => isCompany(state, one, entry)) ? 0 : one.stall.alone + 1,
          fruitful: false,
          ...(entries.some(({ kind }) => kind !== "nudge") ? { repeats: [] } : {}),
        };
      });
    case "tool.ended":
      return count(event.data.participant, (one) => toolEnded(one, event.data));
    case "turn.ended":
      return count(event.data.participant, ({ node, turn, stall: { fruitful, fruitless } }) => {
        // A turn that parks is not counted, nor is one that began before the node was held.
        if (turn?.id !== event.data.turn || turn.status !== "acting" || event.data.wait) return undefined;
        if (!turn.node || turn.node !== node) return undefined;
        return { fruitless: fruitful ? 0 : fruitless + 1 };
      });
    case "worker.nudged":
      return count(event.data.worker, ({ stall }) => ({ nudges: stall.nudges + 1 }));
    case "worker.parked":
      return count(event.data.worker, () => ({ nudges: 0 }));
    case "worker.halted":
      return count(event.data.worker, () => ({ repeats: [] }));
    case "question.asked":
      if (event.data.limit === undefined) return;
      return count(event.data.by, () => ({ alone: 0, repeats: [] }));
    case "agent.resumed":
      for (const id of state.participants.keys()) count(id, () => ({ alone: 0, compactions: 0 }));
      return;
    case "context.shortened":
      return count(event.data.participant, ({ shortened, stall, turns }) => ({
        compactions: shortened && isNear(turns - shortened.turn) ? stall.compactions + 1 : 1,
      }));
    case "node.assigned":
      return count(event.data.worker, () => ({ nudges: 0, repeats: [], fruitless: 0 }));
    case "node.completed":
    case "node.failed":
    case "node.retried":
    case "node.cancelled":
      for (const id of state.participants.keys())
        count(id, ({ node }) => (node === event.data.node ? { repeats: [], fruitless: 0 } : undefined));
  }
};

/** A call that a program makes by itself counts as repeated, but says nothing about progress. */
function toolEnded(
  { turn, stall }: Thinker,
  data: (Event & { type: "tool.ended" })["data"],
): Partial<Stall> | undefined {
  if (turn?.id !== data.turn) return undefined;
  if (turn.status === "calling") {
    const call = turn.own?.open.find(({ id }) => id === data.call);
    return call && { repeats: countCall(stall, data, call.input).repeats };
  }
  const call = turn.calls.find(({ id, status }) => id === data.call && status !== "ended");
  if (!call) return undefined;
  const { repeats, fruitful } = countCall(stall, data, call.input);
  return { repeats, nudges: 0, fruitful: fruitful || stall.fruitful };
}

export const stall = defineBehaviour({
  reduce: [
    {
      phase: "before",
      looksAt: [
        ...typesOf("worker", "node"),
        ...([
          "turn.started",
          "tool.ended",
          "turn.ended",
          "question.asked",
          "agent.resumed",
          "context.shortened",
        ] as const),
      ],
      reduce: reduceStalls,
    },
  ],
  settle: [{ phase: "limit", rule: settleStalls }],
});
