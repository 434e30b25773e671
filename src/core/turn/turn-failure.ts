/**
 * A turn that fails: interrupted by a crash, refused by the provider, given up, failed permanently.
 *
 * A lost call is charged what is known of it, and never more than was reserved for it. A turn that is interrupted too often without progress pauses
 * its agent instead of crashing it for ever. Mail that the model did not act on is shown again.
 */
import type { Reason } from "../../schema/agent.ts";
import type { Amount } from "../../schema/budget.ts";
import type { Fact } from "../../schema/event.ts";
import type { Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { accountsOf, capAmount, charge, noAmount, overdraftProblem, settleCall } from "../agent/budget.ts";
import type { Limits } from "../limits.ts";
import { isLive, modelOf } from "../lookup.ts";
import { acknowledge } from "../message/inbox.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { isLead, nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { isWorker } from "../team/worker.ts";
import { removeUnread, sayUnfinished } from "./conversation.ts";
import { isProgram } from "./driver.ts";
import { isReported } from "./own-call.ts";
import { inTurn, updateDuringTurn } from "./turn.ts";

const failureDecide: Deciders<"turn.resume" | "turn.retry" | "turn.fail"> = {
  "turn.resume": (state, { turn: id, participant }, { limits, now }) => {
    const { turn, one } = inTurn(state, participant, id);
    const lost = lostOf(turn, now, turn.reserved);
    if (!turn.orderly && turn.resumed >= limits.resumes) {
      const message = `${id} was interrupted ${turn.resumed} times`;
      return failed(state, one, turn, { code: "recovery", message, next_mover: "human" }, lost);
    }
    return anew(state, one, turn, lost) ?? [{ type: "turn.resumed", data: { turn: id, participant, lost } }];
  },

  "turn.retry": (state, { turn: id, participant, error, endpoint, not_before, lost = noAmount }) => {
    const { turn, one } = inTurn(state, participant, id, "calling");
    const retried = { turn: id, participant, error, ...(endpoint ? { endpoint } : {}), not_before, lost };
    return anew(state, one, turn, lost) ?? [{ type: "turn.retried", data: retried }];
  },

  "turn.fail": (state, { turn: id, participant, reason, lost = noAmount }, { limits }) => {
    const { turn, one } = inTurn(state, participant, id);
    const again = retryOf(state, one, turn, reason, limits);
    const facts = failed(state, one, turn, reason, capAmount(lost, turn.reserved));
    return again ? [...facts.filter(({ type }) => type !== "node.failed"), again] : facts;
  },
};

/** What is charged for a call whose end was not received. One that only waits for its retry costs nothing. */
function lostOf(turn: Turn, now: number, otherwise: Amount): Amount {
  if (turn.status !== "calling" || (turn.retry && now < Date.parse(turn.retry.not_before))) return noAmount;
  return turn.known ?? otherwise;
}

/** There is no money for the lost call plus its retry: the turn starts over, with what is left. */
function anew(state: State, one: Thinker, turn: Turn, lost: Amount): Fact[] | undefined {
  if (turn.status !== "calling") return undefined;
  const problem = overdraftProblem(state, accountsOf(one.id, turn.node, turn.reserved_at), lost);
  if (!problem) return undefined;
  const message = `it starts over: ${problem.message}`;
  const reason = { code: "interrupted", message, next_mover: "nobody" };
  return failed(state, one, turn, reason, capAmount(lost, turn.reserved));
}

/**
 * A worker's failed turn fails its node, and the coordinator is told; without a node the worker is halted, and whoever leads is told. The coordinator's
 * own, what concerns everyone, and what nobody else would hear of pauses the agent: the human must look. A deliberate interruption does neither.
 */
function failed(state: State, one: Thinker, turn: Turn, reason: Reason, lost: Amount): Fact[] {
  const facts: Fact[] = [{ type: "turn.failed", data: { turn: turn.id, participant: one.id, reason, lost } }];
  if (reason.code === "interrupted") return facts;
  if (concernsEveryone(state, one, turn, reason.code)) {
    if (state.agent?.status === "active") facts.push({ type: "agent.paused", data: { reason } });
    return facts;
  }
  const next_mover = nextMover(state);
  if (one.node && one.node === turn.node)
    facts.push({ type: "node.failed", data: { node: one.node, reason: { ...reason, next_mover } } });
  if (hasNoNode(one, turn)) {
    const message = `${one.name} could not act on what it was sent: ${reason.message}`;
    facts.push({ type: "worker.halted", data: { worker: one.id, reason: { ...reason, message, next_mover } } });
  }
  return facts;
}

/** Whether it stops everyone until it is fixed. */
const concernsEveryone = (state: State, one: Thinker, turn: Turn, code: string): boolean =>
  isLead(one) ||
  ["recovery", "budget", "provider"].includes(code) ||
  (hasNoNode(one, turn) && ["human", one.id].includes(nextMover(state)));

const hasNoNode = (one: Thinker, turn: Turn): boolean => one.node === undefined && turn.node === undefined;

/**
 * A node whose model failed permanently goes back to the board with the agent's own model, if that is another one and the config allows it
 * (`node_retries`). Transient errors were retried by the turn; errors that concern everyone pause the agent.
 */
function retryOf(state: State, one: Thinker, turn: Turn, reason: Reason, limits: Limits): Fact | undefined {
  const node = one.node && one.node === turn.node ? state.nodes.get(one.node) : undefined;
  const model = state.agent?.model;
  if (isProgram(state, one)) return;
  if (!node || !model || !isWorker(one) || reason.code !== "backend" || (node.retries ?? 0) >= limits.node_retries)
    return;
  if ((modelOf(state, one) ?? model) === model || !isLive(node)) return;
  return { type: "node.retried", data: { node: node.id, model, reason: { ...reason, next_mover: "system" } } };
}

/** A call for an ended run or node is given up, whether or not it is running; so is one that waits for approval. */
const settleOver: Settle = (state, { now }) => {
  const { agent, run } = state;
  const over = run?.status !== "open" || agent?.status === "stopped" || agent?.status === "archived";
  for (const one of state.participants.values()) {
    if (one.kind === "human" || !one.turn || (one.turn.status === "acting" && !one.turn.asking)) continue;
    const node = one.turn.node ? state.nodes.get(one.turn.node) : undefined;
    if (!over && !one.retired && (!node || isLive(node))) continue;
    if ((over ? run : node)?.status === "completed" && agent?.status !== "archived" && endsItself(one.turn)) continue;
    const ended = over
      ? `the run is ${run?.status === "open" ? agent?.status : run?.status}`
      : `${node?.id} is ${node?.status}`;
    const what = one.retired ? `${one.name} is retired` : ended;
    return failed(
      state,
      one,
      one.turn,
      { code: "interrupted", message: what, next_mover: "nobody" },
      lostOf(one.turn, now, noAmount),
    );
  }
  return [];
};

/** Its program has just handed its work over and is about to end: its end is recorded as usual. */
const endsItself = (turn: Turn): boolean =>
  turn.status === "calling" &&
  turn.own !== undefined &&
  (turn.own.final === true || turn.own.open.some((call) => !isReported(call)));

const reduceFailures: Reduce = (state, event) => {
  switch (event.type) {
    case "turn.resumed":
      return updateDuringTurn(state, event, (one, turn) => {
        charge(state, one.id, turn.node, turn.reserved_at, event.data.lost, noAmount);
        const again = { resumed: turn.resumed + (turn.orderly ? 0 : 1), orderly: false };
        return { turn: { ...turn, ...again } };
      });
    case "turn.retried":
      return updateDuringTurn(state, event, (one, turn) => {
        if (turn.status !== "calling") return {};
        charge(state, one.id, turn.node, turn.reserved_at, event.data.lost, noAmount);
        return {
          turn: { ...turn, retried: turn.retried + 1, retry: { at: event.ts, not_before: event.data.not_before } },
        };
      });
    case "turn.failed":
      return updateDuringTurn(state, event, (one, turn) => {
        settleCall(state, one.id, turn, event.data.lost);
        sayUnfinished(one, turn, event.data.reason.message);
        const next = goesOn(state, one, turn, event.data.reason.code) ? "continue" : "rest";
        if (handled(state, one, turn, event.data.reason.code))
          return { turn: undefined, next, ...acknowledge(one, turn.upto) };
        removeUnread(one);
        return { turn: undefined, next };
      });
  }
};

/**
 * A failed turn has handled its mail if the model saw it and acted, or if a retry would only fail again. Otherwise the mail stays unread and is
 * shown again.
 */
const handled = (state: State, one: Thinker, turn: Turn, code: string): boolean =>
  turn.status === "acting" || isOwn(state, one, turn, code);

/** A participant that was interrupted resumes when it may, mail or not; unless its work is over, or would only fail again. */
const goesOn = (state: State, one: Thinker, turn: Turn, code: string): boolean =>
  state.run?.status === "open" && one.node === turn.node && !isOwn(state, one, turn, code);

/** A failure of this worker alone; the others stop everyone until they are fixed. */
const isOwn = (state: State, one: Thinker, turn: Turn, code: string): boolean =>
  code !== "interrupted" && !concernsEveryone(state, one, turn, code);

export const turnFailure = defineBehaviour({
  decide: failureDecide,
  reduce: [{ phase: "own", looksAt: ["turn.resumed", "turn.retried", "turn.failed"], reduce: reduceFailures }],
  settle: [{ phase: "interrupt", rule: settleOver }],
});
