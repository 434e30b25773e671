/**
 * Messages that their reader puts off: they leave the inbox at once, so that a turn that is tried again does not show them, and come back as a new
 * entry, of the same sender, at a time or when the reader has nothing else to do.
 *
 * Always holds: what was put off comes back once, as long as its reader takes part in the run. It can be put off only a few times, so that nobody is
 * woken for ever by a message that nobody answers.
 * Not here: declining one, which is a message to its sender (tool/decline.ts).
 */
import { Problem } from "../../schema/problem.ts";
import type { Deferred, Thinker } from "../../schema/worker.ts";
import { requireRun } from "../lookup.ts";
import { type Appointments, type Deciders, defineBehaviour, iso, type Reduce, type Settle } from "../noun.ts";
import type { State } from "../state.ts";
import { requireThinker } from "../team/names.ts";
import { canRun, update } from "../team/worker.ts";

const mostTimes = 3;
const mostDeferred = 50;

const deferralDecide: Deciders<"inbox.defer" | "inbox.return"> = {
  "inbox.defer": (state, { participant, entry: seq, seconds, reason }, { now }) => {
    requireRun(state);
    const one = requireThinker(state, participant);
    if (one.deferred?.some((each) => each.entry.seq === seq)) return [];
    const entry = one.unread.find((each) => each.seq === seq);
    if (!entry)
      throw new Problem(
        "not_found",
        `message ${seq} is not among your new ones (${one.unread.map((each) => each.seq).join(", ") || "none"}); only those can be put off`,
      );
    if (!["message", "fire", "vote"].includes(entry.kind))
      throw new Problem("invalid", `message ${seq} tells you what has happened (${entry.kind}); it cannot be put off`);
    const times = (entry.deferred ?? 0) + 1;
    if (times > mostTimes)
      throw new Problem("limit_reached", `you have put this off ${mostTimes} times; answer it now, or decline it`);
    if ((one.deferred?.length ?? 0) >= mostDeferred)
      throw new Problem(
        "limit_reached",
        `you have put off ${mostDeferred} messages, the maximum; answer some of them first`,
      );
    const until = seconds === undefined ? {} : { until: iso(now + seconds * 1000) };
    return [
      { type: "inbox.deferred", data: { participant: one.id, entry: { ...entry, deferred: times }, ...until, reason } },
    ];
  },
  "inbox.return": (state, { participant, entry: seq }) => {
    const one = requireThinker(state, participant);
    const put = one.deferred?.find(({ entry }) => entry.seq === seq);
    return put ? [{ type: "inbox.returned", data: { participant: one.id, entry: put.entry } }] : [];
  },
};

const reduceDeferrals: Reduce = (state, event) => {
  if (event.type === "inbox.deferred") {
    const { participant, entry, until } = event.data;
    update(state, participant, ({ deferred = [], unread }) => ({
      deferred: [...deferred, { entry, ...(until ? { until } : {}) }],
      unread: unread.filter(({ seq }) => seq !== entry.seq),
    }));
  }
  if (event.type === "inbox.returned") {
    const { participant, entry } = event.data;
    update(state, participant, ({ deferred = [] }) => ({
      deferred: notEmpty(deferred.filter((each) => each.entry.seq !== entry.seq)),
    }));
  }
};

const notEmpty = (list: Deferred[]): Deferred[] | undefined => (list.length ? list : undefined);

/** The oldest of what waits for its reader to be idle. */
const settleIdle: Settle = (state) => {
  if (state.agent?.status !== "active" || state.run?.status !== "open") return [];
  for (const one of state.participants.values()) {
    const put = one.kind !== "human" && isIdle(one) ? one.deferred?.find(({ until }) => !until) : undefined;
    if (put) return [{ type: "inbox.returned", data: { participant: one.id, entry: put.entry } }];
  }
  return [];
};

const isIdle = (one: Thinker): boolean => !one.turn && !one.node && !one.wait && !one.retired && !canRun(one);

const deferralAppointments: Appointments = ({ participants }) =>
  [...participants.values()].flatMap((one) =>
    one.kind === "human" || one.retired
      ? []
      : (one.deferred ?? []).flatMap(({ entry, until }) =>
          until
            ? [{ at: until, command: { type: "inbox.return" as const, participant: one.id, entry: entry.seq } }]
            : [],
        ),
  );

/** Whether something that was put off will still come back to somebody. */
export const hasDeferred = ({ participants }: State): boolean =>
  [...participants.values()].some((one) => one.kind !== "human" && !one.retired && one.deferred !== undefined);

export const deferral = defineBehaviour({
  decide: deferralDecide,
  reduce: [{ phase: "own", looksAt: ["inbox.deferred", "inbox.returned"], reduce: reduceDeferrals }],
  settle: [{ phase: "assign", rule: settleIdle }],
  appointments: { while: ["active"], of: deferralAppointments },
});
