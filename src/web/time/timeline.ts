/**
 * Who did what when, from the log alone: a lane for everyone, in it nodes as bars with their turns as ticks, waits with their reason, and
 * between lanes what was said and handed on. Events are taken one by one, so a long log is read once.
 */
import { wholeText } from "../../core/message/attachments.ts";
import type { Event, EventType } from "../../schema/event.ts";
import type { Wait } from "../../schema/node.ts";
import type { Look } from "../parts/status/status.tsx";
import { shortGoal } from "../parts/text/words.ts";
import { longMs, type Silence } from "./stretch.ts";

export interface Bar {
  key: string;
  kind: "node" | "turns" | "wait" | "park";
  from: number;
  /** Missing while it goes on. */
  to?: number;
  look: Look;
  name: string;
  text: string;
  node?: string;
  ticks: number[];
  /** The human is waited for. */
  yours?: boolean;
}

export interface Lane {
  id: string;
  bars: Bar[];
  /** What the human said. */
  points: { at: number; text: string }[];
}

export interface Line {
  key: string;
  kind: "message" | "hand-off" | "question";
  from: string;
  to: string;
  start: number;
  end: number;
  text: string;
}

export interface Mark {
  seq: number;
  at: number;
  kind: "node" | "done" | "failed" | "question" | "stage" | "run";
  text: string;
}

export interface Timeline {
  take(event: Event): void;
  lanes(): readonly Lane[];
  lines(): readonly Line[];
  marks(): readonly Mark[];
  /** When each event was, in order. */
  times(): readonly number[];
  /** Where nothing happened for long. */
  pauses(): readonly Silence[];
  /** The first and the last moment. */
  from(): number;
  to(): number;
}

interface Known {
  name: string;
  creator: string;
  created: number;
  needs: readonly string[];
  worker?: string;
  ended?: number;
  bar?: Bar;
}

/** Turns that follow each other so closely are one bar. */
const closeMs = 1_500;

export function createTimeline(): Timeline {
  const lanes = new Map<string, Lane>();
  const lines: Line[] = [];
  const marks: Mark[] = [];
  const nodes = new Map<string, Known>();
  const waits = new Map<string, Bar>();
  const asked = new Map<string, Bar[]>();
  const asking = new Map<string, Wait>();
  const names = new Map([["coordinator", "Coordinator"]]);
  const nameOf = (id: string) => names.get(id) ?? id;
  const times: number[] = [];
  const pauses: Silence[] = [];
  let [first, last] = [0, 0];
  let run = "";

  const lane = (id: string): Lane => {
    const found = lanes.get(id) ?? { id, bars: [], points: [] };
    lanes.set(id, found);
    return found;
  };
  const put = (who: string, bar: Omit<Bar, "ticks">): Bar => {
    const whole = { ...bar, ticks: [] };
    lane(who).bars.push(whole);
    return whole;
  };
  const close = (bar: Bar | undefined, at: number, look?: Look): void => {
    if (!bar || bar.to !== undefined) return;
    bar.to = at;
    if (look) bar.look = look;
  };
  const mark = (event: Event, kind: Mark["kind"], text: string) => marks.push({ seq: event.seq, at: last, kind, text });
  const link = (kind: Line["kind"], from: string, to: string, start: number, end: number, text: string) => {
    if (from === to || from === "system" || to === "system") return;
    lane(from);
    lane(to);
    lines.push({ key: String(lines.length), kind, from, to, start, end, text });
  };

  function park(who: string, wait: Wait, at: number): void {
    if (wait.for === "question" || waits.has(who)) return;
    const text = wait.for === "nodes" ? `waits for ${wait.nodes.join(", ")}` : "waits for mail";
    const kind = who === "coordinator" ? "park" : "wait";
    waits.set(who, put(who, { key: `w${last}-${who}`, kind, from: at, look: "pending", name: text, text }));
  }
  function unpark(who: string, at: number): void {
    close(waits.get(who), at);
    waits.delete(who);
  }
  function end(id: string, at: number, look: Look, text: string): void {
    const node = nodes.get(`${run} ${id}`);
    if (!node) return;
    node.ended = at;
    if (node.bar) node.bar.text = shortGoal(text, 80);
    close(node.bar, at, look);
  }
  function everythingEnds(at: number): void {
    for (const { bars } of lanes.values())
      for (const bar of bars) close(bar, at, bar.kind === "node" ? "retired" : undefined);
    waits.clear();
    asked.clear();
  }

  type Takes = { [T in EventType]?: (data: Extract<Event, { type: T }>["data"], event: Event, at: number) => void };
  const takes: Takes = {
    "run.started": (data, event, at) => {
      everythingEnds(at);
      run = data.run;
      lane("human");
      if (data.team?.lead !== false) lane("coordinator");
      mark(event, "run", `${data.run} began`);
    },
    "run.completed": (_, event, at) => {
      everythingEnds(at);
      mark(event, "run", "finished");
    },
    "run.stopped": (_, event, at) => {
      everythingEnds(at);
      mark(event, "run", "stopped");
    },
    "worker.spawned": ({ worker, name }) => {
      names.set(worker, name);
      lane(worker);
    },
    "node.created": ({ node, name, depends_on }, event, at) => {
      nodes.set(`${run} ${node}`, { name, creator: event.actor, created: at, needs: depends_on });
      mark(event, "node", `${node} was created`);
    },
    "node.started": ({ node, worker }, event, at) => {
      const known = nodes.get(`${run} ${node}`);
      if (!known) return;
      known.worker = worker;
      known.bar = put(worker, {
        key: `n${event.seq}`,
        kind: "node",
        from: at,
        look: "working",
        name: node,
        text: known.name,
        node,
      });
      link("hand-off", known.creator, worker, known.created, at, `${known.creator} gave ${node}`);
      for (const need of known.needs) {
        const source = nodes.get(`${run} ${need}`);
        if (source?.worker && source.ended !== undefined)
          link("hand-off", source.worker, worker, source.ended, at, `${need} is used by ${node}`);
      }
    },
    "node.completed": ({ node, summary, evidence = "claimed" }, event, at) => {
      end(node, at, "done", `${evidence === "claimed" ? "" : `${evidence}: `}${summary}`);
      mark(event, "done", `${node} is done, ${evidence}`);
    },
    "node.rejected": ({ node, attempt, attempts }, event) =>
      void mark(event, "failed", `${node} did not pass its checks (attempt ${attempt} of ${attempts})`),
    "node.failed": ({ node, reason }, event, at) => {
      end(node, at, "failed", reason.message);
      mark(event, "failed", `${node} failed`);
    },
    "node.cancelled": ({ node, reason }, _, at) => end(node, at, "retired", reason.message),
    "node.retried": ({ node, reason }, _, at) => end(node, at, "failed", reason.message),
    "stage.reconvened": ({ stage }, event) => void mark(event, "stage", `${stage} reconvened`),
    "turn.started": ({ participant, node }, event, at) => {
      const waited = waits.has(participant);
      unpark(participant, at);
      asking.delete(participant);
      const bar = node ? nodes.get(`${run} ${node}`)?.bar : undefined;
      if (bar) {
        bar.ticks.push(at);
        return;
      }
      const before = lane(participant).bars.findLast(({ kind }) => kind === "turns");
      if (before?.to !== undefined && !waited && at - before.to < closeMs) {
        delete before.to;
        before.ticks.push(at);
      } else
        put(participant, {
          key: `t${event.seq}`,
          kind: "turns",
          from: at,
          look: "working",
          name: "thinks",
          text: "",
        }).ticks.push(at);
    },
    "tool.ended": ({ participant, wait }) => {
      if (wait) asking.set(participant, wait);
    },
    "turn.ended": ({ participant, wait }, _, at) => {
      close(
        lane(participant).bars.findLast(({ kind }) => kind === "turns"),
        at,
        "done",
      );
      const found = wait ?? asking.get(participant);
      if (found) park(participant, found, at);
    },
    "turn.failed": ({ participant }, _, at) => {
      close(
        lane(participant).bars.findLast(({ kind }) => kind === "turns"),
        at,
        "failed",
      );
    },
    "worker.parked": ({ worker, wait }, _, at) => park(worker, wait, at),
    "worker.unparked": ({ worker }, _, at) => unpark(worker, at),
    "question.asked": ({ question, by, text }, event, at) => {
      const base = {
        kind: "wait" as const,
        from: at,
        look: "waiting" as const,
        yours: true,
        text: shortGoal(text, 120),
      };
      asked.set(question, [
        put("human", { ...base, key: `q${event.seq}-human`, name: `${nameOf(by)}: ${shortGoal(text, 60)}` }),
        put(by, { ...base, key: `q${event.seq}-${by}`, name: "waits for your answer" }),
      ]);
      link("question", by, "human", at, at, shortGoal(text, 120));
      mark(event, "question", `${by} asked`);
    },
    "question.answered": ({ question }, _, at) => answered(question, at),
    "question.expired": ({ question }, _, at) => answered(question, at),
    "message.posted": ({ from, to, ...said }, _, at) => {
      const words = shortGoal(wholeText(said), 120);
      if (from === "human") lane("human").points.push({ at, text: words });
      for (const one of to) link("message", from, one, at, at, words);
    },
  };
  function answered(question: string, at: number): void {
    for (const bar of asked.get(question) ?? []) close(bar, at);
    asked.delete(question);
  }

  return {
    take(event) {
      const before = last;
      last = Math.max(before, Date.parse(event.ts));
      first ||= last;
      times.push(last);
      if (before && last - before > longMs) pauses.push({ from: before, to: last });
      (takes[event.type] as ((data: unknown, event: Event, at: number) => void) | undefined)?.(event.data, event, last);
    },
    lanes: () => [...lanes.values()],
    lines: () => lines,
    marks: () => marks,
    times: () => times,
    pauses: () => pauses,
    from: () => first,
    to: () => last,
  };
}
