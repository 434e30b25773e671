/**
 * Triggers: rules that wake a participant at a time, on an event, after silence.
 *
 * Each firing has an id made of the trigger and the time or event it is for, and happens at most once: a trigger's `next_at` only grows, and every
 * event recorded here moves it past what it records, so a crash, a restart or a clock jump neither loses nor doubles a firing. Times that passed
 * while the agent was not running are never silent: they fire or are recorded as missed. Of the times that are due at once, `once` fires the last,
 * `all` the last hundred, `skip` the last if it is at most a minute late. Triggers rest while the agent is not active. on_idle has no timetable: if
 * the silence still lasts it fires, however late, and once for each silence: a participant that was woken for nothing has not broken it
 * (reduce.ts).
 *
 * No trigger triggers itself: what agents do in their turns (turn, tool, inbox), deliveries and triggers themselves match no pattern, and nobody is
 * woken by their own action.
 *
 * Not here: skipped times and rate limits (rate.ts), whom a firing reaches (inbox.ts), the node that it runs again (rerun.ts), the calendar
 * (cron.ts).
 */

import { eventTypes, type Fact } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Action, Trigger } from "../../schema/trigger.ts";
import { requireAgent, requireNode } from "../lookup.ts";
import {
  type Appointments,
  type Context,
  type Deciders,
  defineBehaviour,
  iso,
  type Reduce,
  type Settle,
} from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { requireParticipant } from "../team/names.ts";
import {
  type Active,
  activeTriggers,
  addSkipped,
  dueAt,
  isTooOften,
  onlyChecksForNews,
  rateAfter,
  skippedFirings,
  wakeTarget,
} from "./rate.ts";
import { firstTime, hasTimes, idleAt, timesAfter } from "./schedule.ts";
import { canFireTriggers, firesOn, isTriggerEvent } from "./trigger-event.ts";
import { isWakeReason } from "./wake-reasons.ts";

/** A firing this late is a missed one. */
const grace = 60_000;
const mostAtOnce = 100;
/** Longer absences are caught up in steps of so many times: the trigger stays due until it has caught up. */
const mostPerStep = 10_000;
const endedKept = 50;
export const triggerDecide: Deciders<
  "trigger.create" | "trigger.fire" | "trigger.fire_now" | "trigger.disarm" | "trigger.arm" | "trigger.cancel"
> = {
  /** Idempotent with a key: the same trigger again changes nothing, even if it is over; a different one replaces it. */
  "trigger.create": (state, { schedule, action, missed, key }, context) => {
    requireAgent(state);
    const before = key === undefined ? undefined : [...state.triggers.values()].findLast((one) => one.key === key);
    if (before && before.status !== "disarmed" && !(before.status === "cancelled" && before.ended_by === "system"))
      if (
        JSON.stringify([before.schedule, before.action, before.missed]) === JSON.stringify([schedule, action, missed])
      )
        return [];
    assertRoom(state, context, before);
    assertPossible(state, action);
    const at = firstTime(schedule, context);
    const trigger = `t${state.counts.triggers + 1}`;
    return [
      ...(before?.status === "active" || before?.status === "disarmed"
        ? [{ type: "trigger.cancelled" as const, data: { trigger: before.id } }]
        : []),
      {
        type: "trigger.created",
        data: { trigger, schedule, action, missed, key, next_at: at === undefined ? undefined : iso(at) },
      },
    ];
  },

  /** The firings that are due now, if any. */
  "trigger.fire": (state, { trigger: id }, { now }) => {
    const trigger = requireTrigger(state, id);
    if (trigger.status !== "active" || state.agent?.status !== "active") return [];
    if (trigger.schedule.type === "on_idle") {
      const at = idleAt(state, trigger);
      return at !== undefined && Date.parse(at) <= now ? [fired(trigger, at)] : [];
    }
    return timetable(state, trigger, now);
  },

  /** Its own times stay as they are. */
  "trigger.fire_now": (state, { trigger: id }, { actor }) => {
    const trigger = requireTrigger(state, id);
    assertSay(state, trigger, actor, "fire");
    requireAgent(state, "active");
    if (trigger.status !== "active") throw new Problem("wrong_state", `${id} is ${trigger.status}; arm it first`);
    const { next_at } = trigger;
    const fire = `${id}@${actor}-${state.seq + 1}`;
    return [{ type: "trigger.fired", data: { trigger: id, fire, ...(next_at ? { next_at } : {}) } }];
  },

  "trigger.disarm": (state, { trigger: id }, { actor }) => {
    const trigger = requireTrigger(state, id);
    if (trigger.status === "disarmed") return [];
    if (trigger.status !== "active") throw new Problem("wrong_state", `${id} is already ${trigger.status}`);
    assertSay(state, trigger, actor, "pause");
    return [{ type: "trigger.disarmed", data: { trigger: id } }];
  },

  /** Its times start over: those that passed while it was disarmed do not count as missed. */
  "trigger.arm": (state, { trigger: id }, context) => {
    const trigger = requireTrigger(state, id);
    if (trigger.status === "active") return [];
    if (trigger.status !== "disarmed")
      throw new Problem("wrong_state", `${id} is already ${trigger.status}; set a new trigger`);
    if (trigger.paused_by !== undefined) assertSay(state, trigger, context.actor, "enable");
    else if (context.actor !== "human")
      throw new Problem("forbidden", `${id} came from another home; only the human can enable it`);
    assertRoom(state, context);
    const at = firstTime(trigger.schedule, context);
    return [{ type: "trigger.armed", data: { trigger: id, next_at: at === undefined ? undefined : iso(at) } }];
  },

  "trigger.cancel": (state, { trigger: id }, { actor }) => {
    const trigger = requireTrigger(state, id);
    if (trigger.status === "cancelled") return [];
    if (trigger.status === "expired")
      throw new Problem("wrong_state", `${id} has already expired; active triggers: ${idsOf(activeTriggers(state))}`);
    assertSay(state, trigger, actor, "cancel");
    return [{ type: "trigger.cancelled", data: { trigger: id } }];
  },
};

function assertSay(state: State, { id, by }: Trigger, actor: string, to: string): void {
  if (actor === by || leads(state, actor) || actor === "human") return;
  throw new Problem(
    "forbidden",
    `${id} was created by ${by}; only its creator, the coordinator or the human can ${to} it`,
  );
}

/** Room for one more; one that is replaced does not count. */
function assertRoom(state: State, { limits }: Context, before?: Trigger): void {
  const active = activeTriggers(state).filter((one) => one !== before);
  if (active.length < limits.triggers) return;
  const ids = active.map((trigger) => trigger.id).join(", ");
  throw new Problem(
    "limit_reached",
    `there are ${active.length} active triggers (${ids}), the maximum is ${limits.triggers}; cancel one first`,
  );
}

const reduceTriggers: Reduce = (state, event) => {
  if (event.type === "agent.moved" && event.data.inert) return disarm(state);
  switch (event.type) {
    case "trigger.created": {
      const { trigger: id, ...data } = event.data;
      const given = { ...data, by: event.actor };
      state.counts = { ...state.counts, triggers: state.counts.triggers + 1 };
      const news =
        onlyChecksForNews(state, given) && hasNews(state, wakeTarget(state, given)) ? { news: event.ts } : {};
      const made = {
        ...given,
        ...news,
        id,
        status: "active",
        fires: 0,
        created_at: event.ts,
      } as const;
      state.triggers.set(id, made);
      return;
    }
    case "trigger.fired": {
      const { trigger, fire, next_at, skipped } = event.data;
      state.fires = state.fires.filter(([, pending]) => pending !== fire);
      return change(state, trigger, ({ news: _news, ...active }) => ({
        ...active,
        ...rateAfter(active, event.ts),
        ...addSkipped(active, skipped),
        fires: active.fires + 1,
        last_fire: fire,
        next_at,
      }));
    }
    case "trigger.missed": {
      const { trigger, count, next_at, skipped } = event.data;
      let left = state.triggers.get(trigger)?.schedule.type === "on_event" ? count : 0;
      state.fires = state.fires.filter(([id]) => id !== trigger || left-- <= 0);
      return change(state, trigger, (active) => ({ ...active, ...addSkipped(active, skipped), next_at }));
    }
    case "trigger.disarmed": {
      const { trigger: id } = event.data;
      state.fires = state.fires.filter(([trigger]) => trigger !== id);
      return change(state, id, (active) => ({ ...resting(active), paused_by: event.actor }));
    }
    case "trigger.armed": {
      const trigger = state.triggers.get(event.data.trigger);
      if (trigger?.status !== "disarmed") return;
      const { paused_by: _paused, ...same } = trigger;
      state.triggers.set(trigger.id, {
        ...same,
        status: "active",
        created_at: event.ts,
        next_at: event.data.next_at,
      });
      return;
    }
    case "trigger.expired":
      return end(state, event.data.trigger, { status: "expired", ended_at: event.ts });
    case "trigger.cancelled":
      return end(state, event.data.trigger, { status: "cancelled", ended_at: event.ts, ended_by: event.actor });
    default:
      for (const trigger of state.triggers.values()) {
        if (trigger.status !== "active") continue;
        if (!trigger.news && onlyChecksForNews(state, trigger) && isWakeReason(event, wakeTarget(state, trigger)))
          state.triggers.set(trigger.id, { ...trigger, news: event.ts });
        if (!firesOn(state, trigger, event)) continue;
        const fire = `${trigger.id}@e${event.seq}`;
        const known = trigger.last_fire === fire || state.fires.some(([, pending]) => pending === fire);
        if (!known) state.fires = [...state.fires, [trigger.id, fire]];
      }
  }
};

/** Whether mail waits for it that the running turn has not taken. */
function hasNews(state: State, reader: string): boolean {
  const one = state.participants.get(reader);
  if (!one) return false;
  const seen = Math.max(one.read, (one.kind !== "human" && one.turn?.upto) || 0);
  return one.unread.some(({ seq }) => seq > seen);
}

/** Firings on events; and a trigger without a time left ends. */
const settleTriggers: Settle = (state, { now, limits }) => {
  if (state.agent?.status !== "active" || state.preparation) return [];
  const [due] = state.fires.flatMap(([id, fire]): Fact[] => {
    const trigger = state.triggers.get(id);
    if (trigger?.status !== "active") return [];
    if (!isTooOften(trigger, now, limits)) return [{ type: "trigger.fired", data: { trigger: id, fire } }];
    const count = state.fires.filter(([other]) => other === id).length;
    return [{ type: "trigger.missed", data: { trigger: id, count, first: iso(now), last: iso(now) } }];
  });
  if (due) return [due];
  const over = activeTriggers(state).filter(({ schedule, next_at }) => hasTimes(schedule) && next_at === undefined);
  return over.map(({ id }): Fact => ({ type: "trigger.expired", data: { trigger: id } }));
};

const triggerAppointments: Appointments = (state) => {
  if (state.agent?.status !== "active") return [];
  return activeTriggers(state).flatMap((trigger) => {
    const at = trigger.schedule.type === "on_idle" ? idleAt(state, trigger) : dueAt(state, trigger);
    return at === undefined ? [] : [{ at, command: { type: "trigger.fire" as const, trigger: trigger.id } }];
  });
};

/** The facts about every time that is due, oldest first, each with the time that comes after it. */
function timetable(state: State, trigger: Active, now: number): Fact[] {
  const following = timesAfter(trigger.schedule);
  const due: number[] = [];
  const at = dueAt(state, trigger);
  let next = at === undefined ? undefined : Date.parse(at);
  const skipped = next === undefined ? undefined : skippedFirings(trigger, next);
  for (; next !== undefined && next <= now && due.length < mostPerStep; next = following(next)) due.push(next);
  if (due.length === 0) return [];
  const caughtUp = next === undefined || next > now;
  const wanted = { skip: now - due.at(-1)! <= grace ? 1 : 0, once: 1, all: mostAtOnce }[trigger.missed];
  const firing = caughtUp ? due.slice(Math.max(0, due.length - wanted)) : [];
  const missed = due.slice(0, due.length - firing.length);
  const times = [...firing, next].map((at) => (at === undefined ? undefined : iso(at)));
  const facts: Fact[] = firing.map((_, index) => fired(trigger, times[index]!, times[index + 1]));
  const range = { count: missed.length, first: iso(missed[0] ?? now), last: iso(missed.at(-1) ?? now) };
  const all: Fact[] =
    missed.length === 0
      ? facts
      : [{ type: "trigger.missed", data: { trigger: trigger.id, ...range, next_at: times[0] } }, ...facts];
  return skipped ? all.with(0, { ...all[0]!, data: { ...all[0]!.data, skipped } } as Fact) : all;
}

/** While a run is open its participants and nodes are known, and a wrong name is an error now instead of a firing that reaches nobody. */
function assertPossible(state: State, action: Action): void {
  if (state.run?.status !== "open") return;
  if (action.type === "send_message") requireParticipant(state, action.to);
  if (action.type === "run_node") requireNode(state, action.node);
}

const fired = ({ id }: Trigger, at: string, next_at?: string): Fact => ({
  type: "trigger.fired",
  data: { trigger: id, fire: `${id}@${at}`, next_at },
});

const idsOf = (triggers: Trigger[]): string => triggers.map((trigger) => trigger.id).join(", ") || "none";

function requireTrigger(state: State, id: string): Trigger {
  const trigger = state.triggers.get(id);
  if (trigger) return trigger;
  throw new Problem("not_found", `there is no trigger ${id}; triggers: ${idsOf([...state.triggers.values()])}`);
}

function change(state: State, id: string, next: (active: Active) => Trigger): void {
  const trigger = state.triggers.get(id);
  if (trigger?.status === "active") state.triggers.set(id, next(trigger));
}

function disarm(state: State): void {
  state.fires = [];
  state.reruns = [];
  for (const { id } of activeTriggers(state)) change(state, id, resting);
}

function resting({
  next_at: _next,
  news: _news,
  rate: _rate,
  ...same
}: Active): Extract<Trigger, { status: "disarmed" }> {
  return { ...same, status: "disarmed" };
}

type Ended = { status: "expired"; ended_at: string } | { status: "cancelled"; ended_at: string; ended_by: string };

/** The newest ended triggers are kept for display, and those with a key for idempotency; the log has the rest. */
function end(state: State, id: string, ended_as: Ended): void {
  state.fires = state.fires.filter(([trigger]) => trigger !== id);
  const trigger = state.triggers.get(id);
  if (trigger?.status === "disarmed") state.triggers.set(id, { ...trigger, ...ended_as });
  change(state, id, ({ next_at: _next, news: _news, ...same }) => ({ ...same, ...ended_as }));
  const ended = [...state.triggers.values()].filter(({ status, key }) => /^(expired|cancelled)$/.test(status) && !key);
  for (const old of ended.slice(0, -endedKept)) state.triggers.delete(old.id);
}

export const trigger = defineBehaviour({
  decide: triggerDecide,
  reduce: [
    {
      phase: "fires",
      looksAt: eventTypes.filter((type) => canFireTriggers(type) || isTriggerEvent(type)),
      reduce: reduceTriggers,
    },
  ],
  settle: [{ phase: "answer", rule: settleTriggers }],
  appointments: { while: ["active"], of: triggerAppointments },
});
