/**
 * The state of an agent from its log, and snapshots of it so that the next opening need not read the whole log.
 *
 * Always holds: the state is the fold of the log. A snapshot only saves time; one that is missing, damaged or of another format is not used.
 */
import { type Mail, mailOf } from "../core/message/inbox.ts";
import { reduce } from "../core/reduce.ts";
import { canonical, emptyState, freezeState, type State, sameState, thawState } from "../core/state.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Log, Store } from "../store/store.ts";
import type { Live } from "./live.ts";
import { recentEvents, type Tail } from "./projection/append.ts";

/** The state's shape; a snapshot of another shape is folded anew from the log. */
const format = "state-40";

export interface RestoredState {
  state: State;
  /** The end of what was read of the log. */
  tail: Tail;
  /** What the events that were folded brought, for the readable files; those of the tail, and later ones until their lines are written. */
  mails: WeakMap<Event, Mail>;
}

/** Snapshot plus the rest of the log; without a usable snapshot the whole log. */
export async function restore(store: Store, agent: string, log: Log): Promise<RestoredState> {
  const snapshot = await store.snapshot(agent, format);
  const state = snapshot ? thawState(snapshot.state) : emptyState();
  const tail = { after: state.seq, events: [] as Event[] };
  const mails: RestoredState["mails"] = new WeakMap();
  for await (const events of log.read(state.seq)) {
    for (const event of events) {
      reduce(state, event);
      noteMail(mails, state, event);
    }
    tail.events.push(...events);
    if (tail.events.length > 2 * recentEvents)
      tail.after = tail.events.splice(0, tail.events.length - recentEvents).at(-1)!.seq;
  }
  return { state, tail, mails };
}

export function noteMail(mails: RestoredState["mails"], state: State, event: Event): void {
  const mail = mailOf(state, event);
  if (mail) mails.set(event, mail);
}

export interface Snapshots {
  /** These are durable: a snapshot is written if it is time for one. */
  told(events: readonly Event[]): void;
}

export interface SnapshotsOptions {
  store: Store;
  live: Live;
  /** How many events between two of them. */
  every: number;
  notice(problem: Problem): void;
}

export function createSnapshots({ store, live, every, notice }: SnapshotsOptions): Snapshots {
  let since = 0;

  async function save(event: Event): Promise<void> {
    since = 0;
    const frozen = freezeState(live.state());
    const { seq } = live.state();
    if (seq !== event.seq) return;
    try {
      await store.saveSnapshot(live.agent, { seq, format, state: frozen });
    } catch (error) {
      if (live.signal.aborted) return; // closed while it waited for the one before it; the log has everything
      notice(new Problem("storage_failed", `the snapshot could not be written: ${(error as Error).message}`));
    }
  }

  return {
    told(events) {
      since += events.length;
      if (since >= every && live.durableSeq() === live.state().seq) void save(events.at(-1)!);
    },
  };
}

/** For RuntimeOptions.alwaysReplay: throws the state away and folds the log again; what comes back must be the same. */
export function createReplay(live: Live, log: Log): { again(): void; idle(): Promise<void> } {
  let replay: Promise<void> = Promise.resolve();
  let replayedSeq = 0;

  async function replayed(): Promise<void> {
    const seq = live.durableSeq();
    if (live.signal.aborted || seq !== live.state().seq || seq === replayedSeq) return;
    const again = emptyState();
    try {
      for await (const events of log.read(0)) for (const event of events) if (event.seq <= seq) reduce(again, event);
    } catch (error) {
      if (live.signal.aborted || (error instanceof Problem && /closed|storage_failed/.test(error.code))) return;
      throw error;
    }
    if (live.state().seq !== seq) return;
    if (!sameState(live.state(), again)) {
      const [was, is] = [canonical(live.state()), canonical(again)];
      throw new Error(`${live.agent}: the state at ${seq} is not the fold of its log\n${was}\n${is}`);
    }
    Object.assign(live.state(), again);
    replayedSeq = seq;
  }

  return {
    again() {
      replay = replay.then(replayed);
    },
    idle: () => replay,
  };
}
