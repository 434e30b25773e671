/**
 * The human's inbox, derived from the state and stored nowhere: open questions and approvals, messages, and notices (the agent is paused, a channel
 * fails, a vote). Newest first. What waits for the human has `waiting_since`.
 */
import { lead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { needsWord } from "./question.ts";

export interface HumanItem {
  /** What it is answered or marked as read by: q2, m17, paused, channel:slack, or the seq of an entry. */
  id: string;
  kind: "question" | "approval" | "message" | "notice";
  from: string;
  text: string;
  /** Missing where the log has the time and the state does not. */
  at?: string;
  unread: boolean;
  options?: string[];
  default?: string;
  deadline?: string;
  /** Blocked on the human since then. */
  waiting_since?: string;
  /** The node that the asker works on. */
  node?: string;
}

export interface HumanInbox {
  items: HumanItem[];
  counts: { unread: number; questions: number; approvals: number; messages: number; notices: number };
}

/** Includes at most `most` messages that were read already. */
export function humanInbox(state: State, most = 20): HumanInbox {
  const found = [
    ...questions(state),
    ...messages(state, most),
    ...entries(state),
    ...standstill(state),
    ...channels(state),
  ];
  const items = found.sort((a, b) => (a.key < b.key ? 1 : a.key > b.key ? -1 : b.seq - a.seq)).map(({ item }) => item);
  const count = (kind: HumanItem["kind"]) => items.filter((item) => item.kind === kind).length;
  return {
    items,
    counts: {
      unread: items.filter(({ unread }) => unread).length,
      questions: count("question"),
      approvals: count("approval"),
      messages: count("message"),
      notices: count("notice"),
    },
  };
}

/** Sorted by time; an entry without one takes the time of its neighbour by seq. */
interface Found {
  item: HumanItem;
  key: string;
  seq: number;
}

const found = (item: HumanItem, seq: number): Found => ({ item, key: item.at ?? "", seq });

/** Only questions that can still be answered. */
function questions(state: State): Found[] {
  const { agent, run, participants } = state;
  if (run?.status !== "open" || !agent || !["active", "paused", "stopped"].includes(agent.status)) return [];
  return [...state.questions.values()].flatMap((question) => {
    if (question.status !== "open") return [];
    const { id, by: from, text, options, default: otherwise, deadline, asked_at: at, seq } = question;
    const asker = participants.get(from);
    const item: HumanItem = {
      id,
      kind: needsWord(question) ? "approval" : "question",
      from,
      text,
      at,
      unread: seq > markOf(state),
      waiting_since: at,
      ...(options ? { options } : {}),
      ...(otherwise === undefined ? {} : { default: otherwise }),
      ...(deadline ? { deadline } : {}),
      ...(asker && asker.kind !== "human" && asker.node ? { node: asker.node } : {}),
    };
    return [found(item, seq)];
  });
}

function messages(state: State, most: number): Found[] {
  const mine = state.channel.filter(({ from, to }) => from !== "human" && to.includes("human"));
  const read = mine.filter(({ seq }) => seq <= markOf(state)).slice(most ? -most : mine.length);
  const unread = mine.filter(({ seq }) => seq > markOf(state));
  return [...read, ...unread].map(({ id, from, text, at, seq }) =>
    found({ id, kind: "message", from, text, at, unread: seq > markOf(state) }, seq),
  );
}

/** Entries that are neither message nor question: votes, ended nodes, limits. */
function entries(state: State): Found[] {
  const human = state.participants.get("human");
  const known = new Set([
    ...state.channel.map(({ seq }) => seq),
    ...[...state.questions.values()].map(({ seq }) => seq),
  ]);
  const times = state.channel.map(({ seq, at }) => ({ seq, at }));
  return (human?.unread ?? [])
    .filter(({ seq }) => !known.has(seq))
    .map(({ seq, from, text }) => ({
      item: { id: String(seq), kind: "notice", from, text, unread: true },
      key: times.findLast((one) => one.seq < seq)?.at ?? state.run?.started_at ?? "",
      seq,
    }));
}

function standstill(state: State): Found[] {
  const { agent, run } = state;
  if (agent?.status === "paused" || agent?.status === "failed") {
    const { reason, since: at, status: id } = agent;
    const waits = reason.next_mover === "human" ? { waiting_since: at } : {};
    return [found({ id, kind: "notice", from: "system", text: reason.message, at, unread: true, ...waits }, state.seq)];
  }
  if (agent?.status !== "completed" || run?.status !== "completed") return [];
  const unread = run.last_seq > markOf(state);
  return [
    found(
      {
        id: "completed",
        kind: "notice",
        from: lead(state)?.id ?? "system",
        text: agent.summary,
        at: agent.since,
        unread,
      },
      run.last_seq,
    ),
  ];
}

function channels(state: State): Found[] {
  return [...state.channels].flatMap(([name, { failing, given_up }]) => {
    if (!failing) return [];
    const lost = given_up ? `; ${given_up} given up so far` : "";
    const text = `The channel ${name} has failed ${failing.attempts} times: ${failing.error}${lost}`;
    return [
      found(
        { id: `channel:${name}`, kind: "notice", from: "system", text, at: failing.since, unread: true },
        state.seq,
      ),
    ];
  });
}

const markOf = (state: State): number => state.participants.get("human")?.read ?? 0;
