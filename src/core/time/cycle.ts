/**
 * Cycles: the heartbeat of an infinite agent. Every `cycle_seconds` there is a beat; at a beat the coordinator is woken with a short message that
 * says what changed. If nothing changed, the beat is skipped: no event, no model call. The next cycle says how many were skipped.
 *
 * A cycle has a reason if something is new (wake-reasons.ts) or if the last one led to anything: a coordinator that made something, or looked at
 * the outside world, which cannot be checked from here, is woken again at the next beat; one that only declined is not. Once a day it is woken in
 * any case. A beat has at most one cycle. Beats while the coordinator is awake, or waits for nodes or an answer, are not cycles; of those that
 * passed while the agent was not running the last counts, and the others are recorded. A clock that is set back restarts the rhythm.
 *
 * Not here: triggers (trigger.ts), when files are checked (runtime).
 */

import type { Cycle } from "../../schema/cycle.ts";
import { type Event, typesOf } from "../../schema/event.ts";
import { type Appointments, type Deciders, defineBehaviour, iso, type Reduce } from "../noun.ts";
import { defaultLead, lead, leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { canRun } from "../team/worker.ts";
import { isWakeReason } from "./wake-reasons.ts";

const day = 86_400_000;
const consolidateEvery = 5;
const filesNamed = 20;

const cycleDecide: Deciders<"cycle.begin"> = {
  /** The cycle that is due now, if any. */
  "cycle.begin": (state, _command, { now }) => {
    const [cycle, due, period] = [state.cycle, dueAt(state), periodOf(state)];
    if (!cycle || due === undefined || period === undefined || due > now) return [];
    const at = Date.parse(cycle.at);
    const before = (due - at) / period - 1;
    const last = at + Math.floor((now - at) / period) * period;
    return [
      {
        type: "cycle.began",
        data: {
          cycle: cycle.number + 1,
          at: iso(last),
          skipped: cycle.quiet + before,
          missed: (last - due) / period,
          changes: cycle.changes,
          files: cycle.files,
        },
      },
    ];
  },
};

const cycleAppointments: Appointments = (state) => {
  const due = dueAt(state);
  return due === undefined ? [] : [{ at: iso(due), command: { type: "cycle.begin" } }];
};

const reduceCycle: Reduce = (state, event) => {
  if (event.type === "run.started") {
    const saved = state.cycle?.saved ?? 0;
    state.cycle =
      periodOf(state) === undefined ? null : { number: 0, at: event.ts, quiet: 0, saved, changes: {}, files: [] };
    return;
  }
  if (!state.cycle) return;
  if (event.type === "cycle.began") {
    const { cycle: number, at, skipped } = event.data;
    state.cycle = { number, at, quiet: 0, saved: state.cycle.saved + skipped, changes: {}, files: [] };
    return;
  }
  if (event.ts < state.cycle.at) state.cycle = { ...state.cycle, at: event.ts, ...moved(state.cycle, event.ts) };
  const { cycle } = state;
  const mine = "participant" in event.data && leads(state, event.data.participant);
  if (event.type === "agent.resumed" || (mine && event.type === "turn.ended"))
    state.cycle = { ...cycle, at: beatBefore(state, event.ts), ...moved(cycle, event.ts) };
  else if (mine && event.type === "turn.started") {
    const at = beatBefore(state, event.ts);
    state.cycle = { ...cycle, at, quiet: cycle.quiet + beats(state, cycle.at, at) };
  } else if (event.type === "tool.ended") {
    const { outcome, progress = "work" } = event.data;
    if (outcome === "ok" && progress !== "none" && !cycle.news) state.cycle = { ...cycle, news: event.ts };
  } else if (isWakeReason(event, lead(state)?.id ?? defaultLead.id)) state.cycle = noted(cycle, event);
};

/** News is seen at the first beat after it. */
const moved = ({ news }: Cycle, ts: string): Pick<Cycle, "news"> => (news ? { news: ts } : {});

/** The message of a cycle. Every fifth asks to tidy the memory. */
export function cycleText({
  cycle,
  skipped,
  missed,
  changes,
  files,
}: (Event & { type: "cycle.began" })["data"]): string {
  const news = Object.entries(changes).map(([type, times]) => (times > 1 ? `${type} ${times} times` : type));
  const quiet = [
    ...(skipped ? [`${skipped} before it were passed over, because nothing was new`] : []),
    ...(missed ? [`${missed} were missed while nobody was there`] : []),
  ];
  return [
    `Cycle ${cycle}. Since the last one: ${news.join(", ") || "nothing new here"}.`,
    ...(files.length ? [`Edited by hand: ${files.join(", ")}.`] : []),
    ...(quiet.length ? [`Of the cycles, ${quiet.join("; ")}.`] : []),
    "Look at what changed, do the least that is needed, leave a checkpoint and rest. If there is nothing to do, call decline.",
    ...(cycle % consolidateEvery === 0
      ? ["Also tidy your memory now: merge what belongs together, correct what is wrong, drop what is stale."]
      : []),
  ].join(" ");
}

/** Heartbeats at which nobody was woken, until now. */
export function skippedHeartbeats(state: State, now: number): number {
  const { cycle } = state;
  if (!cycle) return 0;
  const due = dueAt(state) ?? now;
  return cycle.saved + cycle.quiet + beats(state, cycle.at, iso(Math.min(now, due)));
}

/** The next beat after now, whether or not it will be a cycle: when to check files that people edit. */
export function nextBeat(state: State, now: number): number | undefined {
  const period = periodOf(state);
  if (!state.cycle || period === undefined || state.agent?.status !== "active") return undefined;
  const at = Date.parse(state.cycle.at);
  return at + Math.max(1, Math.floor((now - at) / period) + 1) * period;
}

function dueAt(state: State): number | undefined {
  const [{ cycle, agent, run }, period] = [state, periodOf(state)];
  if (!cycle || period === undefined || agent?.status !== "active" || run?.status !== "open") return undefined;
  const coordinator = lead(state);
  if (!coordinator || canRun(coordinator) || coordinator.turn) return undefined;
  if (coordinator.wait && coordinator.wait.for !== "mail") return undefined;
  const at = Date.parse(cycle.at);
  const wanted = Math.min(cycle.news ? Date.parse(cycle.news) : Number.POSITIVE_INFINITY, at + day);
  return at + Math.max(1, Math.ceil((wanted - at) / period)) * period;
}

function noted(cycle: Cycle, event: Event): Cycle {
  const { type } = event;
  const path = type === "file.edited" ? event.data.path : undefined;
  const isNamed = path !== undefined && !cycle.files.includes(path) && cycle.files.length < filesNamed;
  return {
    ...cycle,
    news: cycle.news ?? event.ts,
    changes: { ...cycle.changes, [type]: (cycle.changes[type] ?? 0) + 1 },
    files: isNamed ? [...cycle.files, path] : cycle.files,
  };
}

const periodOf = ({ agent }: State): number | undefined =>
  agent?.mode === "infinite" && agent.cycle_seconds ? Math.round(agent.cycle_seconds * 1000) : undefined;

function beats(state: State, from: string, to: string): number {
  return Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / periodOf(state)!));
}

/** The last beat that is not later than this. */
function beatBefore(state: State, ts: string): string {
  const { at } = state.cycle!;
  return iso(Date.parse(at) + beats(state, at, ts) * periodOf(state)!);
}

export const cycle = defineBehaviour({
  decide: cycleDecide,
  reduce: [
    {
      phase: "follows",
      looksAt: typesOf(
        ...["agent", "run", "node", "stage", "worker", "turn", "tool", "message", "question", "document"],
        ...["resource", "proposal", "suggestion", "cycle", "budget", "file"],
      ),
      reduce: reduceCycle,
    },
  ],
  appointments: { while: ["active"], of: cycleAppointments },
});
