/**
 * The life of a turn: one model call and the tools it asked for.
 *
 * calling → acting → ended. Every step is in the log before it has any effect (write-ahead), so a crash at any point resumes the same turn:
 * an answered call is not asked again. The inbox entries that a turn consumed are handled only when it ends. The price of a call is reserved when
 * the turn starts and settled when it is answered.
 *
 * Not here: turns that fail or are interrupted (turn-failure.ts), tool calls (tool-call.ts, own-call.ts, approval.ts).
 */

import { type Event, typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Stop, Turn } from "../../schema/turn.ts";
import type { Thinker } from "../../schema/worker.ts";
import { accountsOf, assertAffordable, assertTurnsLeft, capAmount, noAmount, settleCall } from "../agent/budget.ts";
import { requireAgent, requireRun } from "../lookup.ts";
import { acknowledge } from "../message/inbox.ts";
import { type Deciders, defineBehaviour, iso, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { requireThinker } from "../team/names.ts";
import { canRun, update, waitIsOver } from "../team/worker.ts";
import { forgetFire, say } from "./conversation.ts";
import { finalTextFacts, isIdle } from "./final-text.ts";

const turnDecide: Deciders<"turn.start" | "turn.hear" | "turn.answer" | "turn.end"> = {
  "turn.start": (state, { participant, reserve, allowed, known, bill, context, offered }, { now }) => {
    requireAgent(state, "active");
    requireRun(state);
    const one = requireThinker(state, participant);
    if (one.turn) throw new Problem("wrong_state", `${one.name} is already in turn ${one.turn.id}`);
    if (!canRun(one)) throw new Problem("wrong_state", whyNot(one));
    const node = one.node ? state.nodes.get(one.node) : undefined;
    assertTurnsLeft(state, accountsOf(one.id, one.node, iso(now)));
    assertAffordable(state, accountsOf(one.id, one.node, iso(now)), reserve);
    const turn = `${one.id}.${one.turns + 1}`;
    const lost = known && capAmount(known, reserve);
    // The turn for notes before compaction takes no new mail.
    const upto = one.full ? one.read : Math.max(one.read, one.unread.at(-1)?.seq ?? 0);
    return [
      ...(node?.status === "assigned"
        ? [{ type: "node.started" as const, data: { node: node.id, worker: one.id } }]
        : []),
      {
        type: "turn.started",
        data: {
          turn,
          participant: one.id,
          upto,
          reserved: reserve,
          allowed,
          known: lost,
          node: one.node,
          bill,
          context,
          offered,
        },
      },
    ];
  },

  "turn.hear": (state, { turn: id, participant, known }) => {
    const { turn } = inTurn(state, participant, id, "calling");
    return [{ type: "turn.heard", data: { turn: id, participant, known: capAmount(known, turn.reserved) } }];
  },

  "turn.answer": (state, { type: _, ...answer }) => {
    const { turn, participant, calls } = answer;
    inTurn(state, participant, turn, "calling");
    const ids = new Set(calls.map((call) => call.id));
    if (ids.size !== calls.length) throw new Problem("invalid", `${turn}: two tool calls have the same id`);
    return [{ type: "turn.answered", data: answer }];
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
      ...finalTextFacts(state, one, turn, context, resource),
      { type: "turn.ended", data: { turn: id, participant, next, wait: over ? undefined : turn.wait } },
    ];
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

const reduceTurns: Reduce = (state, event) => {
  switch (event.type) {
    case "turn.started":
      return update(state, event.data.participant, (one) => started(one, event));
    case "turn.answered":
      return updateDuringTurn(state, event, (one, turn) => {
        if (turn.status !== "calling") return {};
        settleCall(state, one.id, turn, event.data.cost);
        const { text, calls, stop, kept, usage } = event.data;
        say(one, { role: "assistant", turn: turn.id, text, calls, stop, kept });
        return {
          needs: usage ? needed(one, turn, usage.output, stop) : one.needs,
          tokens: usage ? usage.input + usage.output : one.tokens,
          turn: {
            status: "acting",
            id: turn.id,
            upto: turn.upto,
            reserved: noAmount,
            reserved_at: turn.reserved_at,
            resumed: 0,
            orderly: turn.orderly,
            retried: turn.retried,
            node: turn.node,
            stop,
            final: turn.own?.final ?? false,
            wait: turn.own?.wait,
            calls: calls.map(({ id, tool, input }) => ({ id, tool, input, status: "asked" })),
          },
        };
      });
    case "turn.heard":
      return updateDuringTurn(state, event, (_one, turn) =>
        turn.status === "calling" ? { turn: { ...turn, known: event.data.known } } : {},
      );
    case "log.closed":
      for (const { id } of state.participants.values()) {
        update(state, id, (one) => (one.turn ? { turn: { ...one.turn, orderly: true } } : {}));
      }
      return;
    case "turn.ended":
      return updateDuringTurn(state, event, (one, turn) => {
        const handled: Partial<Thinker> & Pick<Thinker, "unread"> = acknowledge(one, turn.upto);
        const wait = event.data.wait ?? one.wait;
        if (event.data.next === "rest" && !wait && isIdle(one, turn)) {
          forgetFire(one);
          handled.quiet = undefined;
        }
        // It may have happened before the turn ended.
        if (wait && waitIsOver(state, { node: one.node, ...handled }, wait))
          return { turn: undefined, next: "continue", wait: undefined, ...handled };
        return { turn: undefined, next: event.data.next, wait, ...handled };
      });
  }
};

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

function started(one: Thinker, { data, ts }: Event & { type: "turn.started" }): Partial<Thinker> {
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
    ...(entries.length ? { quiet: entries.every(({ kind }) => kind === "fire") || undefined } : {}),
    next: "rest",
    ...(data.offered ? offeredWith(one, Object.keys(data.offered)) : {}),
  };
}

/** What is in the prompt need no longer be read up. */
function offeredWith({ offered = [], found }: Thinker, names: readonly string[]): Partial<Thinker> {
  const left = found?.filter((name) => !names.includes(name));
  return { offered: [...new Set([...offered, ...names])], found: left?.length ? left : undefined };
}

export function updateDuringTurn(
  state: State,
  event: { data: { turn: string; participant: string } },
  next: (one: Thinker, turn: Turn) => Partial<Thinker> | undefined,
): void {
  const one = state.participants.get(event.data.participant);
  if (one && one.kind !== "human" && one.turn?.id === event.data.turn) {
    const changed = next(one, one.turn);
    if (changed) update(state, one.id, () => changed);
  }
}

export function inTurn(state: State, participant: string, id: string): { one: Thinker; turn: Turn };
export function inTurn<S extends Turn["status"]>(
  state: State,
  participant: string,
  id: string,
  status: S,
): { one: Thinker; turn: Extract<Turn, { status: S }> };
export function inTurn(state: State, participant: string, id: string, status?: Turn["status"]) {
  const one = requireThinker(state, participant);
  const { turn } = one;
  if (turn?.id !== id)
    throw new Problem("stale", `${one.name} is ${turn ? `in turn ${turn.id}` : "not in a turn"}; ${id} is over`);
  if (status && turn.status !== status)
    throw new Problem("wrong_state", `${id} is ${turn.status}; this command needs it to be ${status}`);
  return { one, turn };
}

export const turn = defineBehaviour({
  decide: turnDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("turn"), "log.closed"], reduce: reduceTurns }],
});
