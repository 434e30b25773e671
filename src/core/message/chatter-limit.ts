/**
 * Chatter: messages between the same two participants since one of them last made progress, was given a node, or heard from the human. Beyond the
 * limit no further one is posted, and the coordinator is told once.
 *
 * The human is never counted and never refused.
 */
import { typesOf } from "../../schema/event.ts";
import type { ParticipantId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";
import { type Context, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import type { State } from "../state.ts";
import { thresholds } from "../team/stall.ts";

const pair = (a: ParticipantId, b: ParticipantId): string => [a, b].sort().join(" ");

/** Whether they wrote to each other since the last progress of one of them. */
export const hasTalked = (state: State, a: ParticipantId, b: ParticipantId): boolean => state.talk.has(pair(a, b));

export const hasTalkedOut = (state: State, from: ParticipantId, to: ParticipantId, { limits }: Context): boolean =>
  (state.talk.get(pair(from, to))?.count ?? 0) >= thresholds.chatter(limits);

/** Throws `limit_reached` if one of the recipients was written to enough. */
export function assertWorthwhile(
  state: State,
  from: ParticipantId,
  to: readonly ParticipantId[],
  context: Context,
): void {
  const tired =
    from === "human" ? undefined : to.find((id) => id !== "human" && hasTalkedOut(state, from, id, context));
  if (tired === undefined) return;
  const name = state.participants.get(tired)?.name ?? tired;
  throw new Problem(
    "limit_reached",
    `you and ${name} exchanged ${thresholds.chatter(context.limits)} messages without a result; no more are delivered until one of you makes progress (writes a file, publishes, creates a node) or the human writes`,
  );
}

const reduceTalk: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      return state.talk.clear();
    case "message.posted": {
      const { from, to, mail } = event.data;
      if (mail?.notice) return;
      for (const id of to) {
        // Of another agent's progress only its message tells.
        if (mail?.origin && mail.fresh) state.talk.delete(pair(from, id));
        if (from === "human") begin(state, id);
        else if (id !== "human") {
          const before = state.talk.get(pair(from, id));
          state.talk.set(pair(from, id), { count: (before?.count ?? 0) + 1, told: before?.told ?? false });
        }
      }
      return;
    }
    case "message.limited": {
      if (event.data.hops) return;
      const key = pair(...event.data.between);
      const before = state.talk.get(key);
      if (before) state.talk.set(key, { ...before, told: true });
      return;
    }
    case "question.answered":
      return begin(state, state.questions.get(event.data.question)?.by);
    case "node.assigned":
    case "node.completed":
      return begin(state, event.data.worker);
    case "tool.ended":
      if (event.data.outcome === "ok" && event.data.progress === "work") begin(state, event.data.participant);
  }
};

const settleTalk: Settle = (state, { limits }) => {
  for (const [key, { count, told }] of state.talk) {
    if (told || count < thresholds.chatter(limits)) continue;
    return [{ type: "message.limited", data: { between: key.split(" ") as [string, string], count } }];
  }
  return [];
};

/** Resets the count: what they say from now on is about something new. */
function begin(state: State, who: ParticipantId | undefined): void {
  for (const key of who === undefined ? [] : [...state.talk.keys()])
    if (key.split(" ").includes(who!)) state.talk.delete(key);
}

export const talk = defineBehaviour({
  reduce: [
    {
      phase: "own",
      looksAt: [
        ...typesOf("message"),
        "run.started",
        "question.answered",
        "node.assigned",
        "node.completed",
        "tool.ended",
      ],
      reduce: reduceTalk,
    },
  ],
  settle: [{ phase: "limit", rule: settleTalk }],
});
