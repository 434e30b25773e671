/**
 * A thread as people read it, made from events: who said what, what was done in between, what was asked, what was published. The same events
 * give the same items, whether they come at once or one after the other. What nothing touched is the same object as before, and keeps its `rev`,
 * so it need not be drawn again; an event that does not belong here gives the very same array.
 *
 * `coordinator` is the conversation with the agent: every word from and to the human, every question, every result. A worker's is its own
 * work. `channel` is what all say to each other, without their work.
 */

import type { Event } from "../../schema/event.ts";
import type { Published } from "../../schema/node.ts";
import type { Question } from "../../schema/question.ts";
import type { Attachment } from "../../schema/resource.ts";
import type { Outcome } from "../../schema/turn.ts";
import { readError, sameTrouble, type Trouble } from "./trouble.ts";

interface Base {
  key: string;
  at: string;
  /** Of the last event that changed it. */
  rev: number;
  seq: number;
}

export interface Call {
  id: string;
  tool: string;
  input: unknown;
  status: "asked" | "running" | Outcome;
  result?: string;
  began?: string;
  ended?: string;
}

export type Asked = Omit<Question, "status"> & {
  status: Question["status"];
  answer?: string;
  answered_by?: string;
  ended_at?: string;
  /** Nobody waits for the answer any more. */
  over?: string;
};

export type Said = Base & {
  kind: "said";
  from: string;
  to: string[];
  text: string;
  resource?: string;
  attached?: Attachment[];
};
export type Worked = Base & { kind: "turn"; by: string; text: string; calls: Call[]; turn: string };
export type Item =
  | Said
  | Worked
  | (Base & { kind: "day" })
  | (Base & { kind: "new" })
  | (Base & { kind: "asked"; by: string; question: Asked })
  | (Base & {
      kind: "published";
      by: string;
      node: string;
      summary: string;
      files: Published[];
      partial: boolean;
      run: string;
    })
  | (Base & { kind: "answer"; by: string; run: string; text: string })
  | (Base & { kind: "trouble"; trouble: Trouble })
  | (Base & { kind: "note"; icon: string; text: string; failed?: boolean });

export interface ThreadOptions {
  /** coordinator, a worker's id, or channel. */
  of: string;
  resultsOnly?: boolean;
  /** What came after the first and up to the second was not read when the thread was opened. */
  unread?: readonly [after: number, upto: number];
}

/** These are said elsewhere in the thread: as a question, a message to the human, a result. */
const told = new Set(["ask_human", "finish", "publish"]);

export const threadOf = (events: readonly Event[], options: ThreadOptions): readonly Item[] =>
  createThread(options)(events);

/** Give it all events, again and again: only those that came since are looked at, unless earlier ones came or went. */
export function createThread(options: ThreadOptions): (events: readonly Event[]) => readonly Item[] {
  let made = createMaker(options);
  let taken: { count: number; first: Event | undefined; last: Event | undefined } = {
    count: 0,
    first: undefined,
    last: undefined,
  };
  return (events) => {
    const goesOn = events[0] === taken.first && events[taken.count - 1] === taken.last;
    if (!goesOn) made = createMaker(options);
    for (let at = goesOn ? taken.count : 0; at < events.length; at++) made.take(events[at]!);
    taken = { count: events.length, first: events[0], last: events.at(-1) };
    return made.items();
  };
}

function createMaker({ of, resultsOnly = false, unread }: ThreadOptions) {
  const items: Item[] = [];
  const shown = createShown(
    (item) =>
      item.kind === "trouble"
        ? !resultsOnly || item.trouble.status === "gave up" || item.trouble.status === "paused"
        : item.kind !== "turn" || (!resultsOnly && (item.text.trim() !== "" || item.calls.length > 0)),
    unread,
  );
  const turns = new Map<string, Worked>();
  const questions = new Map<string, Item & { kind: "asked" }>();
  const last = new Map<string, Worked>();
  const stages = new Map<string, string>();
  const main = of === "coordinator";
  const channel = of === "channel";
  const mine = (participant: string) => main || channel || participant === of;
  // A message stands there itself: in somebody's own thread, and in the coordinator's if it is to the human.
  const isTold = (tool: string, input: unknown) =>
    told.has(tool) || (tool === "send_message" && (!main || (input as { to?: unknown } | null)?.to === "human"));

  const base = ({ seq, ts }: Event, key: string) => ({ key, at: ts, rev: seq, seq });
  const note = (event: Event, icon: string, text: string, failed = false) => {
    if (!resultsOnly || failed)
      items.push({ ...base(event, `n${event.seq}`), kind: "note", icon, text, ...(failed ? { failed } : {}) });
  };
  const troubles = new Map<string, Item & { kind: "trouble" }>();
  /** One for each endpoint, as long as it lasts. */
  const trouble = (event: Event, error: string, change: Partial<Trouble>, who?: string) => {
    const key = sameTrouble(error);
    const had = troubles.get(key);
    const before = had?.trouble ?? { ...readError(error), who: [], times: 0, status: "trying" };
    const { until: _, ...rest } = before;
    const names = who && !before.who.includes(who) ? [...before.who, who] : before.who;
    const next: Trouble = {
      ...rest,
      who: names,
      times: before.times + (change.status === "paused" ? 0 : 1),
      ...change,
    };
    if (had) {
      had.trouble = next;
      had.rev = event.seq;
      return;
    }
    const item = { ...base(event, `x${event.seq}`), kind: "trouble" as const, trouble: next };
    troubles.set(key, item);
    items.push(item);
  };
  /** It answers again, or nobody waits for it any more. */
  const settled = (event: Event, status: Trouble["status"], who?: string) => {
    for (const [key, item] of troubles) {
      if (who && !item.trouble.who.includes(who)) continue;
      const { until: _, ...rest } = item.trouble;
      item.trouble = { ...rest, status };
      item.rev = event.seq;
      troubles.delete(key);
    }
  };
  /** Those who come one after the other are one line. */
  const joined = (event: Event, name: string) => {
    const before = items.at(-1);
    if (before?.kind !== "note" || !before.text.endsWith(" joined")) return note(event, "users", `${name} joined`);
    const names = before.text.slice(0, -" joined".length).replace(" and ", ", ");
    before.text = `${names} and ${name} joined`;
    before.rev = event.seq;
  };
  const turnOf = (event: Event, participant: string, turn: string): Worked | undefined => {
    if (channel || participant !== of) return undefined;
    const key = `${event.run}/${turn}`;
    const had = turns.get(key);
    if (had) return had;
    const made: Worked = { ...base(event, `t${key}`), kind: "turn", by: participant, text: "", calls: [], turn };
    turns.set(key, made);
    last.set(participant, made);
    items.push(made);
    return made;
  };

  function take(event: Event): void {
    const { type, data, seq, ts, run = "" } = event;
    switch (type) {
      case "run.started":
        if (!main && !channel) break;
        items.push({ ...base(event, `r${seq}`), kind: "said", from: "human", to: ["coordinator"], text: data.goal });
        break;
      case "message.posted": {
        const { message, from, to, text, attachments, resource } = data;
        const worked = last.get(from);
        if (worked?.text && worked.text.trim() === text.trim()) {
          worked.text = "";
          worked.rev = seq;
        }
        const mine = from === "human" || to.includes("human");
        const shown = channel || (main ? mine : from === of || to.includes(of) || data.mentions?.includes(of));
        if (!shown || (resultsOnly && !mine)) break;
        items.push({
          ...base(event, `m${run}/${message}`),
          kind: "said",
          from,
          to,
          text,
          ...(attachments ? { attached: attachments } : {}),
          ...(resource ? { resource } : {}),
        });
        break;
      }
      case "turn.answered": {
        settled(event, "over", data.participant);
        const worked = turnOf(event, data.participant, data.turn);
        if (!worked) break;
        worked.text = data.text;
        worked.rev = seq;
        const known = new Set(worked.calls.map(({ id }) => id));
        for (const { id, tool, input } of data.calls)
          if (!known.has(id) && !isTold(tool, input)) worked.calls.push({ id, tool, input, status: "asked" });
        break;
      }
      case "tool.called": {
        const worked = turnOf(event, data.participant, data.turn);
        if (!worked || isTold(data.tool, data.input)) break;
        const { call: id, tool, input } = data;
        worked.calls.push({ id, tool, input, status: "running", began: ts });
        worked.rev = seq;
        break;
      }
      case "tool.started":
      case "tool.ended": {
        const worked = turns.get(`${run}/${data.turn}`);
        const index = worked?.calls.findIndex(({ id }) => id === data.call) ?? -1;
        if (!worked || index < 0) break;
        const call = worked.calls[index]!;
        worked.calls[index] =
          type === "tool.started"
            ? { ...call, status: "running", began: ts }
            : { ...call, status: data.outcome, result: data.result, ended: ts };
        worked.rev = seq;
        break;
      }
      case "turn.failed":
        if (!mine(data.participant)) break;
        if (data.reason.code === "backend" || data.reason.code === "provider")
          trouble(event, data.reason.message, { status: "gave up" }, data.participant);
        else if (data.participant === of)
          note(event, "alert", data.reason.message.replace(/^\S+ was given up: /, "Cut off: "), true);
        break;
      case "turn.queued":
        if (data.participant === of) note(event, "history", "Waits for room in the budget, which other calls hold");
        break;
      case "turn.retried":
        if (mine(data.participant))
          trouble(event, data.error, { status: "trying", until: data.not_before }, data.participant);
        break;
      case "question.asked": {
        if (!main && !channel && data.by !== of) break;
        const { question: id, limit: _, ...rest } = data;
        const question: Asked = { ...rest, id, seq, asked_at: ts, status: "open" };
        const item = { ...base(event, `q${run}/${id}`), kind: "asked" as const, by: data.by, question };
        items.push(item);
        questions.set(`${run}/${id}`, item);
        break;
      }
      case "question.answered":
      case "question.expired": {
        const item = questions.get(`${run}/${data.question}`);
        if (!item) break;
        const { question } = item;
        question.status = type === "question.answered" ? "answered" : "expired";
        question.ended_at = ts;
        if (type === "question.answered") question.answered_by = event.actor;
        item.rev = seq;
        if (data.answer !== undefined) question.answer = data.answer;
        if (type === "question.expired" && data.over !== undefined) question.over = data.over;
        break;
      }
      case "node.completed": {
        const { worker: by, node, summary, files, partial } = data;
        if (!main && !channel && by !== of) break;
        items.push({ ...base(event, `p${seq}`), kind: "published", by, node, summary, files, partial, run });
        break;
      }
      case "node.failed":
        if (main || channel)
          note(
            event,
            "alert",
            // What became of its call is said already.
            troubles.has(sameTrouble(data.reason.message))
              ? `${data.node} failed with it`
              : `${data.node} failed: ${data.reason.message}`,
            true,
          );
        break;
      case "node.started":
        if (data.worker === of) note(event, "play", `Began ${data.node}`);
        break;
      case "stage.started":
        stages.set(`${run}/${data.stage}`, data.name);
        if (main) note(event, "layers", `Stage ${data.name} began`);
        break;
      case "stage.reconvened": {
        const whole = data.completed.length + data.open.length + (data.checkpointed?.length ?? 0);
        if (main)
          note(
            event,
            "layers",
            `${stages.get(`${run}/${data.stage}`) ?? data.stage} reconvened, ${data.completed.length} of ${whole} done`,
          );
        break;
      }
      case "worker.spawned":
        if (channel || data.worker === of) joined(event, data.name);
        break;
      case "worker.retired":
        if (channel || data.worker === of) note(event, "users", `${data.worker} retired: ${data.reason}`);
        break;
      case "run.completed":
        if (main || channel)
          items.push({
            ...base(event, `a${seq}`),
            kind: "answer",
            by: "coordinator",
            run: data.run,
            text: data.summary,
          });
        break;
      case "agent.paused":
        if (isOwnPause(data.reason)) note(event, "pause", "Paused by you");
        else if (troubles.has(sameTrouble(data.reason.message)))
          trouble(event, data.reason.message, { status: "paused" });
        else note(event, "pause", `Paused: ${data.reason.message}`, data.reason.code !== "human");
        break;
      case "agent.failed":
        note(event, "alert", `Failed: ${data.reason.message}`, true);
        break;
      case "agent.stopped":
        settled(event, "gave up");
        note(event, "stop", "Stopped");
        break;
      case "agent.resumed":
        settled(event, "gave up");
        note(event, "play", "Goes on");
        break;
    }
  }
  return { take, items: () => shown(items) };
}

/** Not every reason that waits for the human is of their making: an agent that came from elsewhere is paused as well. */
export const isOwnPause = ({ code, message }: { code: string; message: string }): boolean =>
  code === "human" && /^paused (by the human|from the terminal)$/.test(message);

/** What is handed out for what was made: copies, so that what was handed out stays as it was. */
function createShown(
  isShown: (item: Item) => boolean,
  unread: ThreadOptions["unread"],
): (items: readonly Item[]) => readonly Item[] {
  const copies: { item: Item; shown: boolean }[] = [];
  const together = createTogether();
  let last: readonly Item[] = [];
  return (items) => {
    let changed = false;
    for (const [at, item] of items.entries()) {
      const copy = copies[at];
      if (copy?.item.rev === item.rev) continue;
      const now = item.kind === "asked" ? { ...item, question: { ...item.question } } : { ...item };
      if (item.kind === "turn") (now as Worked).calls = [...item.calls];
      const shown = isShown(now);
      changed ||= shown || (copy?.shown ?? false);
      copies[at] = { item: now, shown };
    }
    if (changed) last = withDays(withNew(together(copies.flatMap(({ item, shown }) => (shown ? [item] : []))), unread));
    return last;
  };
}

/** Calls of one row; more would be too much to draw at once. */
const mostCalls = 24;
const togetherMs = 300_000;

/**
 * Turns without a word go on with the turn before: what they did stands in one list, so the same kinds can be one line. What was put together
 * is the same object until one of the two changes.
 */
function createTogether(): (items: readonly Item[]) => Item[] {
  const known = new WeakMap<Item, { before: Item; made: Item }>();
  return (items) => {
    const found: Item[] = [];
    for (const item of items) {
      const before = found.at(-1);
      if (!before || !goesOn(before, item)) {
        found.push(item);
        continue;
      }
      let one = known.get(item);
      if (one?.before !== before) {
        const calls = [...(before as Worked).calls, ...(item as Worked).calls];
        one = { before, made: { ...(before as Worked), calls, rev: Math.max(before.rev, item.rev) } };
        known.set(item, one);
      }
      found[found.length - 1] = one.made;
    }
    return found;
  };
}

const goesOn = (before: Item, item: Item): boolean =>
  item.kind === "turn" &&
  before.kind === "turn" &&
  before.by === item.by &&
  !item.text.trim() &&
  before.calls.length > 0 &&
  before.calls.length + item.calls.length <= mostCalls &&
  Date.parse(item.at) - Date.parse(before.at) < togetherMs;

/** A line above the first that the human has not read, if anything is above it. Who has read nothing yet needs none. */
function withNew(items: Item[], [after, upto]: readonly [number, number] = [0, 0]): Item[] {
  if (after === 0) return items;
  const first = items.findIndex((item) => item.seq > after && item.seq <= upto && isForHuman(item));
  const { seq = 0, at = "" } = items[first] ?? {};
  return first < 1 ? items : items.toSpliced(first, 0, { kind: "new", key: `new${after}`, at, rev: seq, seq });
}

/** A question is not counted: it says itself that it waits. */
const isForHuman = (item: Item): boolean =>
  item.kind === "answer" || (item.kind === "said" && item.from !== "human" && item.to.includes("human"));

/** Of each item its day, and the line above it if it is the first of that day: asked for all of them again and again. */
const days = new WeakMap<Item, { day: string; begins: Item }>();

function dayOf(item: Item): { day: string; begins: Item } {
  let known = days.get(item);
  if (!known) {
    const { at, seq } = item;
    known = { day: new Date(at).toDateString(), begins: { kind: "day", key: `d${seq}`, at, rev: seq, seq } };
    days.set(item, known);
  }
  return known;
}

function withDays(items: readonly Item[]): Item[] {
  const found: Item[] = [];
  let today = "";
  for (const item of items) {
    const { day, begins } = dayOf(item);
    if (day !== today) found.push(begins);
    today = day;
    found.push(item);
  }
  return found;
}
