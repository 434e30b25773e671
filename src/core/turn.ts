/**
 * One model call and the tools it asked for.
 *
 * calling → acting → ended. Every step is in the log before it has any effect (write-ahead), so a crash at any point resumes the same turn: an
 * answered call is not asked again, a tool that was started is never silently started twice. The inbox entries that a turn consumed are handled
 * only when it ends. The price of a call is reserved when the turn starts and settled when it is answered; a lost call is charged what is known of
 * it (`known`): what it was sent, and what was received of its answer. A turn that is interrupted too often without progress pauses its agent
 * instead of crashing it for ever.
 */

import type { Reason } from "../schema/agent.ts";
import type { Amount } from "../schema/budget.ts";
import { type Event, type Fact, typesOf } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Call, Stop, Turn } from "../schema/turn.ts";
import type { Line, Thinker } from "../schema/worker.ts";
import { accountsOf, assertAffordable, assertTurnsLeft, charge, minus } from "./budget.ts";
import { isIdle, lastWords } from "./final-text.ts";
import { acknowledge } from "./inbox.ts";
import { isLead, nextMover } from "./lead.ts";
import type { Limits } from "./limits.ts";
import { clipCall } from "./line.ts";
import { isLive, modelOf, requireAgent, requireRun } from "./lookup.ts";
import { thinker } from "./names.ts";
import { behaves, type Deciders, iso, type Reduce, type Settle } from "./noun.ts";
import { wordOn } from "./question.ts";
import { counted } from "./repeat.ts";
import type { State } from "./state.ts";
import { canRun, isProgram, isWorker, startsAnew, update, waitIsOver, wakes } from "./worker.ts";

/** How many concurrent calls of its own a program may have. */
const mostOwn = 8;

const free: Amount = { usd: 0, tokens: 0 };

type Steps =
  | "turn.start"
  | "turn.hear"
  | "turn.answer"
  | "turn.resume"
  | "turn.retry"
  | "turn.end"
  | "turn.fail"
  | "tool.start"
  | "tool.call"
  | "tool.ask"
  | "tool.end";

const turnDecide: Deciders<Steps> = {
  "turn.start": (state, { participant, reserve, allowed, known, bill }, { now }) => {
    requireAgent(state, "active");
    requireRun(state);
    const one = thinker(state, participant);
    if (one.turn) throw new Problem("wrong_state", `${one.name} is already in turn ${one.turn.id}`);
    if (!canRun(one)) throw new Problem("wrong_state", whyNot(one));
    const node = one.node ? state.nodes.get(one.node) : undefined;
    assertTurnsLeft(state, accountsOf(one.id, one.node, iso(now)));
    assertAffordable(state, accountsOf(one.id, one.node, iso(now)), reserve);
    const turn = `${one.id}.${one.turns + 1}`;
    const lost = known && within(known, reserve);
    // The turn for notes before compaction takes no new mail.
    const upto = one.full ? one.read : Math.max(one.read, one.unread.at(-1)?.seq ?? 0);
    return [
      ...(node?.status === "assigned"
        ? [{ type: "node.started" as const, data: { node: node.id, worker: one.id } }]
        : []),
      {
        type: "turn.started",
        data: { turn, participant: one.id, upto, reserved: reserve, allowed, known: lost, node: one.node, bill },
      },
    ];
  },

  "turn.hear": (state, { turn: id, participant, known }) => {
    const { turn } = inTurn(state, participant, id, "calling");
    return [{ type: "turn.heard", data: { turn: id, participant, known: within(known, turn.reserved) } }];
  },

  "turn.answer": (state, { type: _, ...answer }) => {
    const { turn, participant, calls } = answer;
    inTurn(state, participant, turn, "calling");
    const ids = new Set(calls.map((call) => call.id));
    if (ids.size !== calls.length) throw new Problem("invalid", `${turn}: two tool calls have the same id`);
    return [{ type: "turn.answered", data: answer }];
  },

  "turn.resume": (state, { turn: id, participant }, { limits, now }) => {
    const { turn, one } = inTurn(state, participant, id);
    const lost = lostOf(turn, now, turn.reserved);
    if (!turn.orderly && turn.resumed >= limits.resumes) {
      const message = `${id} was interrupted ${turn.resumed} times`;
      return failed(state, one, turn, { code: "recovery", message, next_mover: "human" }, lost);
    }
    return anew(state, one, turn, lost) ?? [{ type: "turn.resumed", data: { turn: id, participant, lost } }];
  },

  "turn.retry": (state, { turn: id, participant, error, not_before, lost = free }) => {
    const { turn, one } = inTurn(state, participant, id, "calling");
    const retried = { turn: id, participant, error, not_before, lost };
    return anew(state, one, turn, lost) ?? [{ type: "turn.retried", data: retried }];
  },

  /** Its final text comes first: after a crash in between it is still posted once, because text that was posted is not posted again. */
  "turn.end": (state, { turn: id, participant, resource }, context) => {
    const { one, turn } = inTurn(state, participant, id, "acting");
    const open = turn.calls.filter((call) => call.status !== "ended");
    if (open.length)
      throw new Problem("wrong_state", `${id} still has open tool calls: ${open.map((call) => call.id).join(", ")}`);
    const over = turn.node !== undefined && one.node !== turn.node; // what it worked on ended meanwhile
    const goesOn = !over && (turn.calls.length > 0 || turn.stop === "length" || turn.stop === "paused");
    const next = goesOn && !turn.wait && !turn.final ? "continue" : "rest";
    return [
      ...lastWords(state, one, turn, context, resource),
      { type: "turn.ended", data: { turn: id, participant, next, wait: over ? undefined : turn.wait } },
    ];
  },

  "turn.fail": (state, { turn: id, participant, reason, lost = free }, { limits }) => {
    const { turn, one } = inTurn(state, participant, id);
    const again = retryOf(state, one, turn, reason, limits);
    const facts = failed(state, one, turn, reason, within(lost, turn.reserved));
    return again ? [...facts.filter(({ type }) => type !== "node.failed"), again] : facts;
  },

  "tool.start": (state, { turn: id, participant, call: callId }) => {
    const { turn } = inTurn(state, participant, id, "acting");
    const call = requireCall(turn, callId);
    if (call.status !== "asked")
      throw new Problem("wrong_state", `tool call ${callId} of ${id} is already ${call.status}`);
    return [
      {
        type: "tool.started",
        data: { turn: id, participant, call: callId, tool: call.tool, key: callKey(state, id, callId) },
      },
    ];
  },

  /** Only a program makes calls by itself: everyone else asks for them in an answer. */
  "tool.call": (state, { turn: id, participant, tool, input }) => {
    requireAgent(state, "active");
    requireRun(state);
    const { one, turn } = inTurn(state, participant, id, "calling");
    if (!isProgram(one))
      throw new Problem("wrong_state", `${one.name} is not an autonomous worker; it calls tools in its answers`);
    const { count, open } = turn.own ?? { count: 0, open: [] };
    if (open.length >= mostOwn)
      throw new Problem("limit_reached", `${one.name} has ${mostOwn} tool calls in progress; wait for one to end`);
    const call = `own${count + 1}`;
    const key = callKey(state, id, call);
    return [{ type: "tool.called", data: { turn: id, participant: one.id, call, tool, input, key } }];
  },

  "tool.ask": (state, { turn: id, participant, call: callId, text, target }) => {
    requireRun(state);
    const { turn, one } = inTurn(state, participant, id, "acting");
    const { tool, status } = requireCall(turn, callId);
    if (status !== "asked")
      throw new Problem("wrong_state", `tool call ${callId} of ${id} is ${status}; it no longer needs approval`);
    const approves = { turn: id, call: callId, tool, ...(target === undefined ? {} : { target }) };
    if (wordOn(state, one.id, approves)) return [];
    const question = `q${state.questions.size + 1}`;
    return [{ type: "question.asked", data: { question, by: one.id, text, options: ["allow", "deny"], approves } }];
  },

  "tool.end": (state, { type: _, ...ended }, { limits }) => {
    const { turn: id, participant, call: callId } = ended;
    const { one, turn } = inTurn(state, participant, id);
    if (turn.status === "calling" && !turn.own) inTurn(state, participant, id, "acting");
    const call = requireCall(turn, callId);
    if ("status" in call && call.status === "ended")
      throw new Problem("wrong_state", `tool call ${callId} of ${id} already has a result`);
    const upto = ended.upto && Math.min(ended.upto, state.seq);
    const data = { ...ended, tool: call.tool, upto };
    const { times } = counted(one, data, call.input);
    const nudge = `You made this same call ${times} times; the result will not change. Do something else: try another way, publish what you have, or ask.`;
    return [{ type: "tool.ended", data: times < limits.same_call_nudge ? data : { ...data, nudge } }];
  },
};

function whyNot(one: Thinker): string {
  if (one.retired) return `${one.name} is retired and takes no turns`;
  if (!one.wait) return `${one.name} has nothing to do: no unread messages and no work in progress`;
  const what = {
    question: "question" in one.wait ? `question ${one.wait.question}` : "",
    nodes: "nodes",
    mail: "mail",
  };
  return `${one.name} waits for ${what[one.wait.for]}; a message from the human would wake it`;
}

/** What is charged for a call whose end was not received. One that only waits for its retry costs nothing. */
function lostOf(turn: Turn, now: number, otherwise: Amount): Amount {
  if (turn.status !== "calling" || (turn.retry && now < Date.parse(turn.retry.not_before))) return free;
  return turn.known ?? otherwise;
}

/** There is no money for the lost call plus its retry: the turn starts over, with what is left. */
function anew(state: State, one: Thinker, turn: Turn, lost: Amount): Fact[] | undefined {
  try {
    if (turn.status === "calling") assertAffordable(state, accountsOf(one.id, turn.node, turn.reserved_at), lost);
    return undefined;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    const message = `${turn.id} starts over: ${problem.message}`;
    const reason = { code: "interrupted", message, next_mover: "nobody" };
    return failed(state, one, turn, reason, within(lost, turn.reserved));
  }
}

/** A lost call is never charged more than was reserved for it, so it cannot exceed a budget. */
const within = (lost: Amount, { usd, tokens }: Amount): Amount => ({
  usd: Math.min(lost.usd, usd),
  tokens: Math.min(lost.tokens, tokens),
});

/**
 * A worker's failed turn fails its node, and the coordinator is told. The coordinator's own, and what concerns everyone, pauses the agent: the
 * human must look. A deliberate interruption does neither.
 */
function failed(state: State, one: Thinker, turn: Turn, reason: Reason, lost: Amount): Fact[] {
  const facts: Fact[] = [{ type: "turn.failed", data: { turn: turn.id, participant: one.id, reason, lost } }];
  const everyone = isLead(one) || ["recovery", "budget", "provider"].includes(reason.code);
  if (reason.code === "interrupted") return facts;
  const node = one.node === turn.node ? one.node : undefined;
  if (node && !everyone)
    facts.push({ type: "node.failed", data: { node, reason: { ...reason, next_mover: nextMover(state) } } });
  else if (everyone && state.agent?.status === "active") facts.push({ type: "agent.paused", data: { reason } });
  return facts;
}

/**
 * A node whose model failed permanently goes back to the board with the agent's own model, if that is another one and the config allows it
 * (`node_retries`). Transient errors were retried by the turn; errors that concern everyone pause the agent.
 */
function retryOf(state: State, one: Thinker, turn: Turn, reason: Reason, limits: Limits): Fact | undefined {
  const node = one.node && one.node === turn.node ? state.nodes.get(one.node) : undefined;
  const model = state.agent?.model;
  if (!node || !model || !isWorker(one) || reason.code !== "backend" || (node.retries ?? 0) >= limits.node_retries)
    return;
  if ((modelOf(state, one) ?? model) === model || !isLive(node)) return;
  return { type: "node.retried", data: { node: node.id, model, reason: { ...reason, next_mover: "system" } } };
}

/** A call for an ended run or node is given up, whether or not it is running; so is one that waits for approval. */
export const settleOver: Settle = (state, { now }) => {
  const { agent, run } = state;
  const over = run?.status !== "open" || agent?.status === "stopped" || agent?.status === "archived";
  for (const one of state.participants.values()) {
    if (one.kind === "human" || !one.turn || (one.turn.status === "acting" && !one.turn.asking)) continue;
    const node = one.turn.node ? state.nodes.get(one.turn.node) : undefined;
    if (!over && !one.retired && (!node || isLive(node))) continue;
    const ended = over
      ? `the run is ${run?.status === "open" ? agent?.status : run?.status}`
      : `${node?.id} is ${node?.status}`;
    const what = one.retired ? `${one.name} is retired` : ended;
    return failed(
      state,
      one,
      one.turn,
      { code: "interrupted", message: `${one.turn.id} was given up: ${what}`, next_mover: "nobody" },
      lostOf(one.turn, now, free),
    );
  }
  return [];
};

const reduceTurns: Reduce = (state, event) => {
  switch (event.type) {
    case "turn.started":
      return update(state, event.data.participant, (one) => started(state, one, event));
    case "turn.answered":
      return during(state, event, (one, turn) => {
        if (turn.status !== "calling") return {};
        settle(state, one.id, turn, event.data.cost);
        const { text, calls, stop, kept, usage } = event.data;
        say(one, { role: "assistant", turn: turn.id, text, calls, stop, kept });
        return {
          needs: usage ? needed(one, turn, usage.output, stop) : one.needs,
          tokens: usage ? usage.input + usage.output : one.tokens,
          turn: {
            status: "acting",
            id: turn.id,
            upto: turn.upto,
            reserved: free,
            reserved_at: turn.reserved_at,
            resumed: 0,
            orderly: turn.orderly,
            retried: turn.retried,
            node: turn.node,
            stop,
            final: false,
            wait: undefined,
            fruitful: undefined,
            calls: calls.map(({ id, tool, input }) => ({ id, tool, input, status: "asked" })),
          },
        };
      });
    case "turn.heard":
      return during(state, event, (_one, turn) =>
        turn.status === "calling" ? { turn: { ...turn, known: event.data.known } } : {},
      );
    case "log.closed":
      for (const { id } of state.participants.values()) {
        update(state, id, (one) => (one.turn ? { turn: { ...one.turn, orderly: true } } : {}));
      }
      return;
    case "turn.resumed":
      return during(state, event, (one, turn) => {
        charge(state, one.id, turn.node, turn.reserved_at, event.data.lost, free);
        const again = { resumed: turn.resumed + (turn.orderly ? 0 : 1), orderly: false };
        // The program that waited for the results of its own calls is gone with the process.
        if (turn.status === "calling" && turn.own)
          return { turn: { ...turn, ...again, own: { ...turn.own, open: [] } } };
        return { turn: { ...turn, ...again } };
      });
    case "turn.retried":
      return during(state, event, (one, turn) => {
        if (turn.status !== "calling") return {};
        charge(state, one.id, turn.node, turn.reserved_at, event.data.lost, free);
        return {
          turn: { ...turn, retried: turn.retried + 1, retry: { at: event.ts, not_before: event.data.not_before } },
        };
      });
    case "question.asked": {
      const { question, by, approves } = event.data;
      if (approves) update(state, by, (one) => parked(one, approves.turn, (asking) => [...asking, question]));
      return;
    }
    case "question.answered":
    case "question.expired": {
      const question = state.questions.get(event.data.question);
      if (question?.approves)
        update(state, question.by, (one) =>
          parked(one, question.approves!.turn, (asking) => asking.filter((id) => id !== question.id)),
        );
      return;
    }
    case "tool.started":
      return during(state, event, (_one, turn) =>
        turn.status === "acting"
          ? { turn: withCall(turn, event.data.call, (call) => ({ ...call, status: "started" })) }
          : {},
      );
    case "tool.called":
      return during(state, event, (_one, turn) => {
        if (turn.status !== "calling") return {};
        const { call: id, tool, input } = event.data;
        const { count = 0, open = [] } = turn.own ?? {};
        return { turn: { ...turn, own: { count: count + 1, open: [...open, { id, tool, input }] } } };
      });
    case "tool.ended":
      return during(state, event, (one, turn) =>
        turn.status === "calling" ? ownEnded(one, turn, event.data) : toolEnded(one, turn, event.data),
      );
    case "turn.ended":
      return during(state, event, (one, turn) => {
        const handled: Partial<Thinker> & Pick<Thinker, "unread"> = acknowledge(one, turn.upto);
        const wait = event.data.wait ?? one.wait;
        Object.assign(handled, fruit(one, turn, event.data.wait !== undefined));
        if (event.data.next === "rest" && !wait && isIdle(one, turn)) Object.assign(handled, forgotten(one));
        // It may have happened before the turn ended.
        if (wait && waitIsOver(state, { node: one.node, ...handled }, wait))
          return { turn: undefined, next: "continue", wait: undefined, ...handled };
        return { turn: undefined, next: event.data.next, wait, ...handled };
      });
    case "turn.failed":
      return during(state, event, (one, turn) => {
        settle(state, one.id, turn, event.data.lost);
        for (const { id, tool, status } of turn.status === "acting" ? turn.calls : []) {
          if (status === "ended") continue;
          const outcome = status === "started" ? "unknown" : "error";
          say(one, {
            role: "tool",
            turn: turn.id,
            call: id,
            tool,
            outcome,
            result: `Not finished: ${event.data.reason.message}`,
          });
        }
        const next = goesOn(state, one, turn, event.data.reason.code) ? "continue" : "rest";
        if (handled(one, turn, event.data.reason.code))
          return { turn: undefined, next, ...acknowledge(one, turn.upto) };
        const shown = one.conversation.at(-1);
        if (shown?.role === "inbox" && shown.entries.some((entry) => entry.seq > one.read)) one.conversation.pop();
        return { turn: undefined, next };
      });
  }
};

/**
 * A failed turn has handled its mail if the model saw it and acted, or if a retry would only fail again. Otherwise the mail stays unread and is
 * shown again.
 */
const handled = (one: Thinker, turn: Turn, code: string): boolean => turn.status === "acting" || isOwn(one, code);

/** A participant that was interrupted resumes when it may, mail or not; unless its work is over, or would only fail again. */
const goesOn = (state: State, one: Thinker, turn: Turn, code: string): boolean =>
  state.run?.status === "open" && one.node === turn.node && !isOwn(one, code);

/** A failure of this worker alone; the others stop everyone until they are fixed. */
const isOwn = (one: Thinker, code: string): boolean =>
  !isLead(one) && !["interrupted", "recovery", "budget", "provider"].includes(code);

/** Lines of a firing that came to nothing are removed from the transcript; the log keeps them. */
function forgotten(one: Thinker): Partial<Thinker> {
  const from = one.conversation.findLastIndex((line) => line.role === "inbox");
  const line = one.conversation[from];
  if (line?.role === "inbox" && line.entries.every(({ kind }) => kind === "fire")) one.conversation.splice(from);
  return { quiet: undefined };
}

/** How many turns on its node made no progress. A turn that parks is not counted, nor is one that began before the node was held. */
function fruit(one: Thinker, turn: Turn, parks: boolean): Partial<Thinker> {
  if (!turn.node || turn.node !== one.node || turn.status !== "acting" || parks) return {};
  return { fruitless: turn.fruitful ? undefined : (one.fruitless ?? 0) + 1 };
}

/** Twice the size of its answer, and not much less than it needed lately; after a truncated answer, twice what was allowed. */
function needed(
  { needs = 0 }: Thinker,
  { allowed }: Extract<Turn, { status: "calling" }>,
  output: number,
  stop: Stop | undefined,
): number {
  const cut = stop === "length" ? (allowed?.output ?? 0) : 0;
  return Math.max(2 * Math.max(output, cut), Math.floor(0.75 * needs));
}

function started(state: State, one: Thinker, { data, ts }: Event & { type: "turn.started" }): Partial<Thinker> {
  const entries = one.unread.filter((entry) => entry.seq <= data.upto && entry.seq > one.read);
  if (entries.length) say(one, { role: "inbox", entries });
  return {
    turn: {
      status: "calling",
      id: data.turn,
      upto: data.upto,
      reserved: data.reserved,
      reserved_at: ts,
      allowed: data.allowed,
      known: data.known,
      resumed: 0,
      orderly: false,
      retried: 0,
      node: data.node,
    },
    queued: undefined,
    turns: one.turns + 1,
    alone: (isLead(one) ? entries.some((entry) => startsAnew(state, entry)) : entries.some(wakes)) ? 0 : one.alone + 1,
    ...(entries.some(({ kind }) => kind !== "nudge") ? { repeats: undefined } : {}),
    ...(entries.length ? { quiet: entries.every(({ kind }) => kind === "fire") || undefined } : {}),
    next: "rest",
  };
}

function toolEnded(one: Thinker, turn: Turn, data: (Event & { type: "tool.ended" })["data"]): Partial<Thinker> {
  const { call, tool, outcome, wait, final, upto = 0, nudge } = data;
  const asked = turn.status === "acting" && turn.calls.find(({ id, status }) => id === call && status !== "ended");
  if (!asked) return {};
  const { repeats, fruitful } = counted(one, data, asked.input);
  if (outcome !== "ok") forgetInput(one, turn.id, call);
  const result = nudge ? `${data.result}\n\n[${nudge}]` : data.result;
  say(one, { role: "tool", turn: turn.id, call, tool, outcome, result });
  const next = withCall(turn, call, ({ id, tool, input }) => ({ id, tool, input, status: "ended", outcome }));
  next.upto = Math.max(turn.upto, upto);
  next.wait = wait ?? turn.wait;
  next.final = final || turn.final;
  next.fruitful = fruitful || turn.fruitful || undefined;
  const lasts = (outcome === "ok" && data.progress !== "none") || upto > 0 || wait !== undefined;
  return {
    turn: next,
    nudged: false,
    repeats: repeats.length ? repeats : one.repeats,
    quiet: lasts ? undefined : one.quiet,
  };
}

/** Characters kept of arguments that were refused or had no effect: nobody needs all of them again, and they may be larger than any context window. */
const mostRefused = 20_000;

function forgetInput({ conversation }: Thinker, turn: string, id: string): void {
  const at = conversation.findLastIndex((line) => line.role === "assistant" && line.turn === turn);
  const line = conversation[at];
  if (line?.role !== "assistant") return;
  const calls = line.calls.map((call) => (call.id === id ? clipCall(call, mostRefused) : call));
  if (calls.every((call, index) => call === line.calls[index])) return;
  const { kept: _, ...said } = line;
  conversation[at] = { ...said, calls };
}

/** The end of a call that a program made by itself: it is not in the transcript, but it counts as made. */
function ownEnded(
  one: Thinker,
  turn: Extract<Turn, { status: "calling" }>,
  data: (Event & { type: "tool.ended" })["data"],
): Partial<Thinker> {
  const { own } = turn;
  const asked = own?.open.find(({ id }) => id === data.call);
  if (!own || !asked) return {};
  const { repeats } = counted(one, data, asked.input);
  const open = own.open.filter((call) => call !== asked);
  const upto = Math.max(turn.upto, data.upto ?? 0);
  return { turn: { ...turn, upto, own: { ...own, open } }, ...(repeats.length ? { repeats } : {}) };
}

/** A turn some of whose calls wait for approval. */
function parked(one: Thinker, id: string, next: (asking: string[]) => string[]): Partial<Thinker> {
  if (one.turn?.id !== id || one.turn.status !== "acting") return {};
  const { asking = [], ...turn } = one.turn;
  const open = next(asking);
  return { turn: open.length ? { ...turn, asking: open } : turn };
}

/** How many lines of a transcript stay in the state; the log has all. */
const kept = 400;

/** The list grows in place. The oldest lines are dropped in whole exchanges, so no result loses its call. */
function say(one: Thinker, line: Line): void {
  one.conversation.push(line);
  if (one.conversation.length < kept * 2) return;
  const from = one.conversation.findIndex((old, index) => index >= kept && old.role === "inbox");
  if (from > 0) one.conversation.splice(0, from);
}

type Acting = Extract<Turn, { status: "acting" }>;
type CallState = Acting["calls"][number];

/** It makes progress, so it is not what kills the process, however often it is interrupted: the count starts over. */
function withCall(turn: Acting, id: string, next: (call: CallState) => CallState): Acting {
  const calls = turn.calls.map((call) => (call.id === id && call.status !== "ended" ? next(call) : call));
  return { ...turn, resumed: 0, calls };
}

/** Releases the reservation and books the actual cost. */
const settle = (state: State, participant: string, turn: Turn, cost: Amount): void =>
  charge(state, participant, turn.node, turn.reserved_at, cost, minus(turn.reserved));

function during(
  state: State,
  event: { data: { turn: string; participant: string } },
  next: (one: Thinker, turn: Turn) => Partial<Thinker>,
): void {
  const one = state.participants.get(event.data.participant);
  if (one && one.kind !== "human" && one.turn?.id === event.data.turn) {
    const changed = next(one, one.turn);
    update(state, one.id, () => changed);
  }
}

function inTurn(state: State, participant: string, id: string): { one: Thinker; turn: Turn };
function inTurn<S extends Turn["status"]>(
  state: State,
  participant: string,
  id: string,
  status: S,
): { one: Thinker; turn: Extract<Turn, { status: S }> };
function inTurn(state: State, participant: string, id: string, status?: Turn["status"]) {
  const one = thinker(state, participant);
  const { turn } = one;
  if (turn?.id !== id)
    throw new Problem("stale", `${one.name} is ${turn ? `in turn ${turn.id}` : "not in a turn"}; ${id} is over`);
  if (status && turn.status !== status)
    throw new Problem("wrong_state", `${id} is ${turn.status}; this command needs it to be ${status}`);
  return { one, turn };
}

/** Identifies one tool call for ever, across crashes, runs and agents (idempotency key). */
export const callKey = (state: State, turn: string, call: string): string =>
  `${state.agent?.id}/${state.run?.id}/${turn}/${call}`;

function requireCall(turn: Acting, id: string): CallState;
function requireCall(turn: Turn, id: string): CallState | Call;
function requireCall(turn: Turn, id: string): CallState | Call {
  const calls: readonly (CallState | Call)[] = turn.status === "acting" ? turn.calls : (turn.own?.open ?? []);
  const call = calls.find((one) => one.id === id);
  if (call) return call;
  throw new Problem("not_found", `${turn.id} has no tool call ${id}`);
}

export const turn = behaves({
  decide: turnDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("turn", "tool", "question"), "log.closed"], reduce: reduceTurns }],
  settle: [{ phase: "interrupt", rule: settleOver }],
});
