/**
 * Saves workspaces: after each call and turn that may have changed one, and once more when its node fails or is cancelled.
 *
 * Level-triggered: the log says what may have changed a workspace and how far the last version goes; whatever lies between is saved, also after a
 * restart. It happens in the background, beside the turn: what a call did is safe from the loss of its folder once `workspace.kept` with an `upto`
 * at or after its result is in the log. A version is durable before the log names it. Calls that follow quickly share one version.
 * A program whose turn is over may still write until it has ended: nothing is saved before that, so the log says "not saved yet" meanwhile.
 */

import { isUnsaved, ownerOf, savedOf, workspacesOf } from "../../core/file/workspace.ts";
import { isLive } from "../../core/lookup.ts";
import { onDisk } from "../../schema/disk-error.ts";
import type { Event, EventType } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Kept } from "../../workspace/workspaces.ts";
import { sumOf } from "./change.ts";
import type { Copies } from "./copies.ts";
import type { OpenWorkspace } from "./open.ts";
import { parentsOf, type Shared } from "./shared.ts";

export interface Keeping {
  /** Saves it now. */
  keep(id: string, author: string): Promise<Kept>;
  /** A tool has written in it. */
  touched(me: Thinker): void;
  /** A program works in it until what this returns is called. */
  working(me: Thinker): () => void;
  /** Whether one has since this was asked last. */
  wasTouched(participant: string): boolean;
  /** These events are durable. */
  told(events: readonly Event[]): void;
  /** The agent was opened: saves what is not saved yet, also of turns that are open: they stay so while the agent is paused. */
  recover(): void;
  /** What may have changed since it was looked at last. */
  unsaved(): string[];
}

interface LateWork {
  workspace: string;
}

/** A program, the turn that it was started in, and the name of its workspace. */
interface Working {
  participant: string;
  turn: string | undefined;
  name: string | undefined;
}

const firstRetryMs = 5_000;
const mostRetryMs = 600_000;

const causes: ReadonlySet<EventType> = new Set([
  ...(["tool.ended", "turn.answered", "turn.retried", "turn.failed"] as const),
  ...(["node.completed", "node.failed", "node.cancelled", "worker.retired"] as const),
]);

export function createKeeping(shared: Shared, copies: Copies, open: OpenWorkspace): Keeping {
  const { world, live, track, notice, places, port, archiveOf, inOrder, commitOf, isOver } = shared;
  const { state } = live;
  const touched = new Set<string>();
  /** By name: that wait for their turn, and up to which event each was looked at. */
  const waiting = new Set<string>();
  const looked = new Map<string, number>();
  const failures = new Map<string, number>();
  /** By name: whose next attempt waits for its time. */
  const backoff = new Set<string>();
  /** Programs under way. */
  const programs = new Set<Working>();
  /** By name: what somebody did whose turn was over, or was interrupted. No event tells of it. */
  const lateWork = new Map<string, LateWork>();

  function keep(id: string, author: string): Promise<Kept> {
    const name = places.nameOf(id);
    return inOrder(name, () => {
      waiting.delete(name);
      return save(id, name, author);
    });
  }

  const save = (id: string, name: string, author: string): Promise<Kept> =>
    onDisk("save", `the work of ${id}`, () => keepNow(id, name, author));

  async function keepNow(id: string, name: string, author: string): Promise<Kept> {
    // What was lost while nobody looked is brought back first, or the loss would be saved.
    if (savedOf(state(), id) || state().workspaces.has(id)) await open(id);
    const upto = state().seq;
    const late = lateWork.get(name);
    const before = savedOf(state(), id);
    const checkout = state().workspaces.get(id);
    const last = before?.version ?? checkout?.from;
    const commit = commitOf(`Saved work of ${id}`, author, checkout ? parentsOf(checkout) : []);
    const copy = await copies.of(id);
    const archive = await archiveOf(id);
    const { count = 0, ...kept } = await archive.keep(name, places.scratchOf(id), commit, last);
    await world.point?.("workspace.saved");
    const isNews = last === undefined ? count > 0 : kept.version !== last;
    const saysMore = JSON.stringify(kept.left_out) !== JSON.stringify(before?.left_out ?? []);
    if (!isNews && !saysMore) {
      if (before) await copies.noteUnchanged(id, kept.version, upto).catch(() => undefined);
      seen(name, upto, late);
      return kept;
    }
    const size = checkout
      ? sumOf(await (await port()).compare(checkout.from, kept.version))
      : { files: count, scratch: true as const };
    await live.dispatch({ type: "workspace.keep", workspace: id, ...kept, ...size, upto, copy });
    seen(name, upto, late);
    return kept;
  }

  function seen(name: string, upto: number, late: LateWork | undefined): void {
    looked.set(name, upto);
    if (lateWork.get(name) === late) lateWork.delete(name);
  }

  /** What the log says is not saved yet. A failure is told, and the next attempt starts again from what is in the folder. */
  function keepLater(id: string): void {
    const name = places.nameOf(id);
    if (waiting.has(name) || backoff.has(name)) return;
    for (const program of programs) if (program.name === name && isLate(program)) return; // saved at its end
    waiting.add(name);
    inBackground(id);
  }

  function unsaved(): string[] {
    const told = [...state().worked.keys()].filter(isUnseen);
    const untold = [...lateWork.values()].map(({ workspace }) => workspace).filter(isLateWork);
    return [...new Set([...told, ...untold])];
  }

  /** Whether the log tells of work in it since it was looked at last. */
  function isUnseen(id: string): boolean {
    const worked = state().worked.get(id) ?? 0;
    return (looked.get(places.nameOf(id)) ?? 0) < worked && isUnsaved(state(), id);
  }

  const isLateWork = (id: string): boolean => lateWork.get(places.nameOf(id))?.workspace === id;

  function inBackground(id: string): void {
    if (live.signal.aborted) return;
    const name = places.nameOf(id);
    const job = inOrder(name, async () => {
      waiting.delete(name);
      // A save that was under way when this was asked for may have been enough.
      if (isUnseen(id) || isLateWork(id)) await save(id, name, authorOf(id));
    }).then(
      () => void failures.delete(name),
      (problem) => failed(name, problem),
    );
    track(job);
  }

  /** A full disk is full for a while. */
  function failed(name: string, problem: unknown): void {
    if (live.signal.aborted || (problem instanceof Problem && problem.code === "stale")) return;
    const times = (failures.get(name) ?? 0) + 1;
    failures.set(name, times);
    if (!backoff.has(name))
      world.clock.after(Math.min(firstRetryMs * 2 ** (times - 1), mostRetryMs), () => {
        backoff.delete(name);
        look();
      });
    backoff.add(name);
    const { code, message } = problem as Problem;
    notice(new Problem(code, `${message}. It is tried again.`));
  }

  function authorOf(id: string): string {
    const worker = ownerOf(id);
    if (worker !== undefined) return worker;
    const node = state().nodes.get(id);
    return node && "worker" in node && node.worker ? node.worker : node ? "system" : "coordinator";
  }

  /** Its turn is over, so that nothing in the log will tell of what it still does. */
  function isLate({ participant, turn }: Working): boolean {
    const one = state().participants.get(participant);
    return turn === undefined || one?.kind === "human" || one?.turn?.id !== turn;
  }

  function isRetired(participant: string): boolean {
    const one = state().participants.get(participant);
    return one !== undefined && one.kind !== "human" && one.retired === true;
  }

  function keepLateWork(id: string): void {
    lateWork.set(places.nameOf(id), { workspace: id });
    look();
  }

  function look(): void {
    if (live.signal.aborted || isOver()) return;
    for (const id of unsaved()) keepLater(id);
  }

  return {
    keep,
    touched(me) {
      touched.add(me.id);
      // It was at work when its node ended, or when it was retired: no result will tell of what it did since.
      const held = me.node === undefined ? undefined : state().nodes.get(me.node);
      const own = me.node === undefined && isRetired(me.id) ? places.idOf(me) : undefined;
      if (held && !isLive(held)) keepLateWork(held.id);
      if (own !== undefined) keepLateWork(own);
    },
    working(me) {
      const id = places.idOf(me);
      // As it was when its call began: it may be over by now.
      const turn = me.turn?.id;
      const program: Working = { participant: me.id, turn, name: id === undefined ? undefined : places.nameOf(id) };
      programs.add(program);
      return () => {
        touched.add(me.id);
        programs.delete(program);
        if (id !== undefined && !isOver() && isLate(program)) keepLateWork(id);
      };
    },
    wasTouched: (participant) => touched.delete(participant),
    told(events) {
      if (events.some(({ type }) => causes.has(type))) look();
    },
    recover() {
      for (const one of state().participants.values()) {
        if (one.kind === "human" || !one.turn) continue;
        for (const id of workspacesOf(state(), one)) lateWork.set(places.nameOf(id), { workspace: id });
      }
      look();
    },
    unsaved,
  };
}
