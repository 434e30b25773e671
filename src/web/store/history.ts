/**
 * The events of one agent as far back as somebody wants to see: the newest some thousands at first, earlier ones when asked for. What happens
 * is added; when it is too much the oldest go and can be asked for again, so an agent that works for days does not fill the window.
 */
import type { Client } from "../../client/index.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";

export interface History {
  /** In order, without gaps from the first on; a new array when it changed. Empty until `load`. */
  events(): readonly Event[];
  status(): "unread" | "loading" | "ready" | "failed";
  problem(): Problem | undefined;
  /** Whether there are earlier ones. */
  more(): boolean;
  /** Asks for the newest, once. */
  load(seq: number): void;
  earlier(): Promise<void>;
  take(event: Event): void;
}

export interface HistoryOptions {
  client: Client;
  agent: string;
  changed(): void;
}

const atOnce = 2_000;
const most = 12_000;

export function createHistory({ client, agent, changed }: HistoryOptions): History {
  let events: Event[] = [];
  let shown: readonly Event[] = events;
  /** Everything after it is here. */
  let from = Number.POSITIVE_INFINITY;
  let status: ReturnType<History["status"]> = "unread";
  let problem: Problem | undefined;
  const pending: Event[] = [];
  /** Of the newest event there is, whether it was kept or not. */
  let newest = 0;

  /** Those after one seq and up to another. */
  async function between(after: number, upto: number): Promise<Event[]> {
    const found: Event[] = [];
    for (let at = after; at < upto; ) {
      const { items } = await client.listEvents({ params: { agent }, query: { after: String(at), limit: 1000 } });
      const page = items as Event[];
      found.push(...page.filter(({ seq }) => seq <= upto));
      if (page.length === 0) break;
      at = page.at(-1)!.seq;
    }
    return found;
  }

  function add(event: Event): void {
    if (event.seq <= (events.at(-1)?.seq ?? from)) return;
    events.push(event);
    if (events.length <= most) return;
    events = events.slice(-(most - atOnce));
    from = events[0]!.seq - 1;
  }

  async function load(seq: number): Promise<void> {
    status = "loading";
    try {
      from = Math.max(0, seq - atOnce);
      events = await between(from, seq);
      status = "ready";
      for (const event of pending.splice(0)) add(event);
    } catch (error) {
      status = "failed";
      problem = error instanceof Problem ? error : undefined;
    }
    shown = [...events];
    changed();
  }

  let fetching = false;
  return {
    events() {
      if (shown.length !== events.length || shown.at(-1) !== events.at(-1)) shown = [...events];
      return shown;
    },
    status: () => status,
    problem: () => problem,
    more: () => status === "ready" && from > 0,
    load(seq) {
      if (status === "unread" || status === "failed") void load(Math.max(seq, newest));
    },
    async earlier() {
      if (fetching || status !== "ready" || from === 0) return;
      fetching = true;
      try {
        const before = Math.max(0, from - atOnce);
        events = [...(await between(before, from)), ...events];
        from = before;
        shown = [...events];
        changed();
      } finally {
        fetching = false;
      }
    },
    take(event) {
      newest = event.seq;
      if (status === "ready") add(event);
      else if (status === "loading") pending.push(event);
    },
  };
}
