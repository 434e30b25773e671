/**
 * Opens agents on demand, closes those that are idle, and opens those that broke again, with exponential backoff, until the disk is back;
 * meanwhile their commands are refused. An agent whose log cannot be read (corrupt, newer) is quarantined with the reason and never touched.
 *
 * Always holds: an agent is open at most once, and never before everything of its last opening has left its files alone. What breaks in one
 * agent stays with that agent. The states are in presence.ts.
 */
import type { State } from "../../core/state.ts";
import { withTimeout } from "../../lib/time/timeout.ts";
import type { Delta } from "../../loop/participant-context.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { type OpenAgent, openAgent } from "../agent.ts";
import { createFurnish } from "../furnish.ts";
import type { RuntimeOptions } from "../options.ts";
import { createSuspects } from "../participant/suspects.ts";
import type { ProgramHomes } from "../program/homes.ts";
import { createPresences, exists, isFinal, openedOf, type Presence, type Presences } from "./presence.ts";

export interface Lifecycle {
  presences: Presences;
  /** The agent, opened if it is not; refuses with the reason if it cannot be. */
  get(agent: string): Promise<OpenAgent>;
  /** Opens an agent that is being created, or was; it is not there until its first event is. */
  openNew(agent: string): Promise<OpenAgent>;
  /** Its files are brought in line with its log. */
  furnish(opened: OpenAgent, options?: { isNew?: boolean }): Promise<void>;
  /** Opens it, and closes it again at once if it has nothing to do. */
  openForWork(agent: string): Promise<void>;
  /** Resolves when an agent was opened, or found to be gone or elsewhere; also when the signal aborts or everything is stopped. */
  changed(signal?: AbortSignal): Promise<void>;
  /** Told the state of every agent that goes to rest, and `null` when it is open again. */
  onRest(hear: (agent: string, state: State | null) => void): void;
  /** Closes all. `RuntimeOptions.still` is true by then. */
  stop(): Promise<void>;
}

export interface Surroundings {
  programHomes: ProgramHomes;
  isStopped(): boolean;
  /** A piece of an answer that is still coming. */
  hear(agent: string, delta: Delta): void;
  /** In order, each event once, after it is durable. */
  told(agent: string, events: readonly Event[]): void;
  opened(agent: string, seq: number): void;
}

export function createLifecycle(options: RuntimeOptions, { isStopped, ...tell }: Surroundings): Lifecycle {
  const { world, restAfterMs, notice } = options;
  const presences = createPresences();
  const furnish = createFurnish(options, (opened) => openedOf(presences.of(opened.live.agent)) === opened);
  const suspects = createSuspects(world.clock);
  const onRest: ((agent: string, state: State | null) => void)[] = [];
  /** Whoever waits for an agent that is closed for the moment. */
  const waiting: (() => void)[] = [];

  async function get(agent: string): Promise<OpenAgent> {
    const presence = presences.of(agent);
    const opened = openedOf(presence);
    if (opened) return opened;
    if (isStopped()) throw stopped();
    if (options.refusal) throw options.refusal;
    if (presence.is === "opening") return presence.job;
    if (presence.is === "creating") throw new Problem("not_found", `${agent} is being created; ask again in a moment`);
    if (presence.is === "faulted" && (isFinal(presence.problem) || presence.cancelRetry)) throw presence.problem;
    return open(agent, presence);
  }

  function open(agent: string, before: Presence): Promise<OpenAgent> {
    const job = openAfter(agent, before);
    presences.change(agent, { type: "open", job });
    return job;
  }

  /** An agent at rest has only its lease here; opening takes a new one, with a new fence. */
  async function openAfter(agent: string, before: Presence): Promise<OpenAgent> {
    try {
      if (before.is === "resting") await (await before.lease).release();
      await ("released" in before ? before.released : undefined);
      const opened = await openNow(agent, false);
      opened.track(furnish(opened));
      wake();
      return opened;
    } catch (error) {
      const problem =
        error instanceof Problem
          ? error
          : new Problem("storage_failed", `${agent} cannot be opened: ${String(error)}`, undefined, { cause: error });
      if (presences.of(agent).is === "opening") {
        const now = presences.change(agent, { type: "fail", problem });
        if (now.is === "faulted" && now.problem === problem) faulted(agent, problem);
        wake();
      }
      throw problem;
    }
  }

  async function openNow(agent: string, create: boolean): Promise<OpenAgent> {
    const opened = await openAgent(options, agent, {
      create,
      broken: (problem, gone) => lose(agent, problem, gone),
      healthy: () => presences.change(agent, { type: "recover" }),
      suspects,
      programHomes: tell.programHomes,
      exists: async (other) => exists(presences.of(other)) || (await options.store.agents()).includes(other),
      consult: async (other, by, wish) => (await get(other)).consult(by, wish),
      callInTeam: async (team, by, call) => (await get(team)).answerGuest(by, call),
      hear: (delta) => tell.hear(agent, delta),
      told: (events) => tell.told(agent, events),
    });
    if (isStopped()) await opened.close(stopped());
    opened.live.signal.throwIfAborted();
    presences.change(agent, { type: "opened", opened });
    tell.opened(agent, opened.live.durableSeq());
    for (const hear of onRest) hear(agent, null);
    restLater(agent);
    return opened;
  }

  /** Called at once when an agent is closed by its log or its lease: nobody may be given the dead one. */
  function lose(agent: string, problem: Problem, released: Promise<void>): void {
    const { is } = presences.change(agent, { type: "lose", problem, released });
    if (is === "faulted") faulted(agent, problem);
    else notice(agent, problem);
  }

  function faulted(agent: string, problem: Problem): void {
    notice(agent, problem);
    if (!isFinal(problem)) retryLater(agent);
  }

  /** Exponential backoff with jitter, until something could be written again. */
  function retryLater(agent: string): void {
    const presence = presences.of(agent);
    if (isStopped() || presence.is !== "faulted") return;
    const wait = Math.min(30_000, 100 * 2 ** presence.attempts) * (0.5 + world.random.next() / 2);
    const cancel = world.clock.after(wait, () => {
      const now = presences.of(agent);
      if (!isStopped() && now.is === "faulted") open(agent, now).catch(() => undefined);
    });
    presences.change(agent, { type: "retry", cancel });
  }

  /** Closes the agent when nobody needs it, and looks again later as long as somebody does. */
  function restLater(agent: string): void {
    if (restAfterMs === undefined) return;
    world.clock.after(restAfterMs, () => {
      if (openedOf(presences.of(agent)) && !isStopped() && !rest(agent)) restLater(agent);
    });
  }

  function rest(agent: string): boolean {
    const presence = presences.of(agent);
    if (presence.is !== "open" || !presence.opened.atRest()) return false;
    const { opened } = presence;
    for (const hear of onRest) hear(agent, opened.live.state());
    presences.change(agent, {
      type: "rest",
      lease: opened.rest(new Problem("closed", `${agent} is resting; try again`)),
    });
    return true;
  }

  /** So that a home of ten thousand does not have them all in memory, even for a moment. One that is long busy (its index is built) rests later. */
  async function openForWork(agent: string): Promise<void> {
    const opened = await get(agent);
    if (restAfterMs === undefined || opened.running().size > 0) return;
    if (await withTimeout(world.clock, momentMs, opened.settled())) rest(agent);
  }

  function wake(): void {
    for (const go of waiting.splice(0)) go();
  }

  return {
    presences,
    get,
    openNew: (agent) => openNow(agent, true),
    furnish,
    openForWork,
    changed: (signal) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
    onRest: (hear) => void onRest.push(hear),
    async stop() {
      wake();
      const before = presences.all();
      for (const [, presence] of before) if (presence.is === "faulted") presence.cancelRetry?.();
      await Promise.allSettled(before.map(([, presence]) => (presence.is === "opening" ? presence.job : undefined)));
      // All at once: each may have to wait for a tool that does not hear its signal.
      const now = presences.all();
      await Promise.allSettled(now.map(([, presence]) => openedOf(presence)?.close(stopped())));
      for (const [, presence] of now) if (presence.is === "resting") await (await presence.lease).release();
      for (const [agent] of now) presences.change(agent, { type: "close" });
    },
  };
}

const stopped = (): Problem => new Problem("closed", "the runtime is stopped");

/** What an agent that is opened at the start may take to come to rest before the next one is opened. */
const momentMs = 1_000;
