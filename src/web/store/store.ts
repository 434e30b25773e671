/**
 * Everything the page shows, from one stream: the events of all agents, folded with the core's own reducers. There is no polling and no other
 * truth beside it.
 *
 * The stream is opened first and the states are asked for after, so nothing can fall between: what came meanwhile is kept and folded onto
 * the state as far as the state does not have it yet. A gap, which cannot be, is met by asking for the state again. An agent of which nothing
 * is shown and that is silent is only a summary; its state is asked for when it is opened, when it needs the human, or when it speaks.
 *
 * Readers get a new object for every change (`state` itself is edited in place: its maps are the same ones, so memoise on the object).
 */
import { blankSummary, type Summary } from "../../api/agents.ts";
import type { WireDelta } from "../../api/events.ts";
import { fromFrozenState } from "../../api/state.ts";
import { summaryOf } from "../../api/summary.ts";
import type { Client } from "../../client/index.ts";
import { reduce } from "../../core/reduce.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { after, now } from "../platform.ts";
import { createHistory, type History } from "./history.ts";

export interface Link {
  status: "connecting" | "live" | "offline" | "closed";
  /** Since when it is so. */
  since: number;
  /** Why it is closed: asking again does not help. */
  problem?: Problem;
  /** Everything is there that was there when the page was opened. */
  ready: boolean;
}

export interface AgentView {
  summary: Summary;
  /** Missing until it was asked for and came. */
  state?: State;
  /** Why it could not come. */
  problem?: Problem;
}

export interface Store {
  subscribe(changed: () => void): () => void;
  link(): Link;
  /** In the order of their ids; a new array when any of them changed. */
  summaries(): readonly Summary[];
  /** A new object when it changed. */
  agent(id: string): AgentView | undefined;
  /** Asks for the state, if it is not there. */
  open(id: string): void;
  /** Its events, as far back as they were asked for (history.ts). */
  history(id: string): History | undefined;
  /** Words of answers that are under way, by participant; a new object when they changed. */
  streaming(id: string): Readonly<Record<string, Streaming>>;
  /** Told of every event, once, after it was folded. */
  onEvent(hear: (agent: string, event: Event, state: State | undefined) => void): () => void;
  start(): void;
  close(): void;
}

export interface Streaming {
  turn: string;
  text: string;
  thought: string;
}

interface Entry {
  /** What is handed out; made anew from `live` when the page is told. */
  view: AgentView;
  /** What events are folded onto. */
  live?: State;
  /** Came while the state was asked for. */
  pending: Event[];
  loading: boolean;
  history: History;
  streaming: Record<string, Streaming>;
  dirty: boolean;
}

/** At most so often is the page told: a frame. */
const frameMs = 16;

export function createStore(client: Client): Store {
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  const hearers = new Set<(agent: string, event: Event, state: State | undefined) => void>();
  const ending = new AbortController();
  let link: Link = { status: "connecting", since: now(), ready: false };
  let summaries: readonly Summary[] = [];
  let told = false;
  let last = 0;

  /** At once if it was still; what comes in a burst is told together. */
  function changed(): void {
    if (told) return;
    told = true;
    after(Math.max(0, Math.min(frameMs, last + frameMs - now())), () => {
      told = false;
      last = now();
      let any = summaries.length !== entries.size;
      for (const entry of entries.values()) {
        if (!entry.dirty) continue;
        entry.dirty = false;
        any = true;
        const { live } = entry;
        entry.view = live ? { summary: summaryOf(live), state: { ...live } } : { ...entry.view };
      }
      if (any)
        summaries = [...entries.values()]
          .map(({ view }) => view.summary)
          .filter(({ status }) => status !== "archived")
          .sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
      for (const listener of listeners) listener();
    });
  }

  function turn(next: Partial<Link>): void {
    if (next.status !== undefined && next.status !== link.status) next = { since: now(), ...next };
    link = { ...link, ...next };
    changed();
  }

  function enter(summary: Summary): Entry {
    const known = entries.get(summary.id);
    if (known) {
      if (!known.live && known.view.summary.seq <= summary.seq) {
        known.view = { ...known.view, summary };
        known.dirty = true;
      }
      return known;
    }
    const history = createHistory({ client, agent: summary.id, changed: () => touch(summary.id) });
    const entry: Entry = { view: { summary }, pending: [], loading: false, history, streaming: {}, dirty: true };
    entries.set(summary.id, entry);
    return entry;
  }

  function touch(id: string): void {
    const entry = entries.get(id);
    if (entry) entry.dirty = true;
    changed();
  }

  async function load(id: string): Promise<void> {
    const entry = entries.get(id);
    if (!entry || entry.loading) return;
    entry.loading = true;
    try {
      entry.live = fromFrozenState(await client.getState({ params: { agent: id }, signal: ending.signal }));
      for (const event of entry.pending.splice(0)) fold(entry, event);
    } catch (error) {
      if (error instanceof Problem) entry.view = { ...entry.view, problem: error };
    } finally {
      entry.loading = false;
      touch(id);
    }
  }

  /** False if something is missing between. */
  function fold(entry: Entry, event: Event): boolean {
    const { live } = entry;
    if (!live || event.seq <= live.seq) return true;
    if (event.seq > live.seq + 1) return false;
    reduce(live, event);
    // The keys of commands are kept for a day and the page sends none again: it began without them and stays so.
    live.keys.clear();
    return true;
  }

  function take(id: string, event: Event): void {
    const entry = entries.get(id) ?? enter({ ...blankSummary(id, event.ts), seq: event.seq - 1 });
    entry.dirty = true;
    if (entry.live && !entry.loading) {
      if (!fold(entry, event)) {
        entry.pending.push(event);
        void load(id);
      }
    } else {
      entry.pending.push(event);
      void load(id);
    }
    entry.history.take(event);
    if (event.type === "turn.answered" || event.type === "turn.failed" || event.type === "turn.retried") {
      const { [event.data.participant]: _, ...rest } = entry.streaming;
      entry.streaming = rest;
    }
    for (const hear of hearers) hear(id, event, entry.live);
    changed();
  }

  function heard({ agent, participant, turn: id, kind, text }: WireDelta): void {
    const entry = entries.get(agent);
    if (!entry) return;
    const before = entry.streaming[participant];
    const words = before?.turn === id ? before : { turn: id, text: "", thought: "" };
    const next = kind === "text" ? { ...words, text: words.text + text } : { ...words, thought: words.thought + text };
    // Not the agent itself: whoever shows the words is told, and nobody else draws again.
    entry.streaming = { ...entry.streaming, [participant]: next };
    changed();
  }

  async function list(): Promise<void> {
    for (let cursor: string | undefined; ; ) {
      const { items, next } = await client.listAgents({
        query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) },
        signal: ending.signal,
      });
      for (const summary of items) enter(summary);
      for (const { id, open_questions, status } of items) if (open_questions > 0 || needy.has(status)) void load(id);
      if (next === null) break;
      cursor = next;
    }
  }

  /** What is shown may be older than the stream: begin anew. */
  async function relist(): Promise<void> {
    for (const [id, { live }] of entries) if (live) void load(id);
    await list();
    turn({ ready: true });
  }

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      let listed = false;
      /** Once per stream; what could not come while the connection was lost is asked for again. */
      async function begin(): Promise<void> {
        for (const [id, { view }] of entries) if (view.problem) void load(id);
        if (listed) return;
        listed = true;
        await relist().catch((error) => {
          listed = false;
          if (error instanceof Problem && error.code === "unauthorized") turn({ status: "closed", problem: error });
        });
      }
      try {
        const events = client.events({
          after: "now",
          signal: ending.signal,
          deltas: heard,
          connected(there) {
            turn({ status: there ? "live" : "offline" });
            if (there) void begin();
          },
        });
        for await (const { agent, event } of events) take(agent, event);
      } catch (error) {
        // A place that the daemon has forgotten: everything is asked for anew.
        if (error instanceof Problem && error.code === "stale") continue;
        turn({ status: "closed", ...(error instanceof Problem ? { problem: error } : {}) });
        return;
      }
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    link: () => link,
    summaries: () => summaries,
    agent: (id) => entries.get(id)?.view,
    open(id) {
      const entry = entries.get(id);
      if (entry && !entry.live && !entry.view.problem) void load(id);
    },
    history: (id) => entries.get(id)?.history,
    streaming: (id) => entries.get(id)?.streaming ?? nothing,
    onEvent(hear) {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    },
    start: () => void follow(),
    close: () => ending.abort(),
  };
}

const nothing = {};
/** These stand still until the human does something. */
const needy = new Set<string>(["paused", "failed", "waiting_for_human", "working"]);
