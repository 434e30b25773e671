/**
 * The agents of a home. Listens first and recovers after; a fault in one agent stays with that agent.
 *
 * An agent whose log cannot be written is closed and opened again, with growing pauses, until the disk is back; meanwhile its commands are
 * refused. One whose log cannot be read (corrupt, newer) is quarantined with the reason and never touched.
 */

import { isLive } from "../core/lookup.ts";
import { slug } from "../core/names.ts";
import type { State } from "../core/state.ts";
import { type Link, why } from "../core/why.ts";
import type { Lease } from "../engine/engine.ts";
import { goalOf, soulOf } from "../guard/texts.ts";
import { either } from "../lib/abort.ts";
import type { Delta } from "../loop/seat.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";
import type { Event } from "../schema/event.ts";
import { Problem, type ProblemCode } from "../schema/problem.ts";
import { programTag } from "../store/layout.ts";
import { type House, type OpenAgent, openAgent } from "./agent.ts";
import { setTriggers } from "./config-triggers.ts";
import { createSuspects } from "./suspects.ts";

export interface Runtime {
  /** Ends what an earlier life left running, takes the home's agents into this process and lets them go on. */
  start(): Promise<void>;
  /** A new agent; its first run starts at once. With a key, asking again gives the same agent. */
  create(given: NewAgent, options?: SendOptions): Promise<string>;
  send(agent: string, command: CommandInput, options?: SendOptions): Promise<Receipt>;
  /** Something read from the state, given out when it is durable. `look` must not keep the state. */
  read<T>(agent: string, look: (state: State) => T): Promise<T>;
  /** For every node that is alive: why it does not move, down to whoever must act (core/why.ts). */
  why(agent: string): Promise<Record<string, Link[]>>;
  /** The durable events after a seq, each once, without end. */
  follow(agent: string, after: number, signal?: AbortSignal): AsyncGenerator<Event[], void, void>;
  /** Words of answers as they come; they are never stored. Returns a function that ends it. */
  listen(agent: string, hear: (delta: Delta) => void): () => void;
  agents(): string[];
  /** Why an agent cannot be used, if so. */
  fault(agent: string): Problem | undefined;
  /** The open agent, for tests and tools of the house. */
  opened(agent: string): OpenAgent | undefined;
  stop(): Promise<void>;
}

export interface NewAgent {
  goal: string;
  name?: string;
  mode?: "finite" | "infinite";
  /** How often an infinite agent wakes by itself. */
  cycle_seconds?: number;
  model: string;
  budget?: BudgetLimit;
  /** Begin the first run at once; true if not said. */
  start?: boolean;
}

export function createRuntime(house: House): Runtime {
  const { engine, store, world } = house;
  const open = new Map<string, OpenAgent>();
  const faults = new Map<string, Problem>();
  const opening = new Map<string, Promise<OpenAgent>>();
  const retries = new Map<string, () => void>();
  const attempts = new Map<string, number>();
  /** Streams of agents that are closed for the moment; asked to look again when any agent was opened. */
  const waiting: (() => void)[] = [];
  /** Agents that exist, and ids that are being given to new ones. */
  const known = new Set<string>();
  const creating = new Set<string>();
  /** Agents at rest: closed, with their lease kept so that their wake-ups still reach us. */
  const asleep = new Map<string, Promise<Lease>>();
  const byKey = new Map<string, string>();
  const suspects = createSuspects(world.clock);
  const listeners = new Map<string, Set<(delta: Delta) => void>>();
  let stopped = false;

  /** The agent, opened if it is not; refuses with the reason if it cannot be. */
  async function get(agent: string): Promise<OpenAgent> {
    const there = open.get(agent);
    if (there) return there;
    if (stopped) throw new Problem("closed", "the runtime is stopped");
    const fault = faults.get(agent);
    if (fault && (final(fault) || retries.has(agent))) throw fault;
    const pending = opening.get(agent) ?? wakeUp(agent).finally(() => opening.delete(agent));
    opening.set(agent, pending);
    return pending;
  }

  /** An agent at rest has only its lease here; opening takes a new one, with a new fence. */
  async function wakeUp(agent: string): Promise<OpenAgent> {
    const lease = await asleep.get(agent);
    asleep.delete(agent);
    await lease?.release();
    return bring(agent);
  }

  /** Closes the agent when nobody needs it, and looks again later as long as somebody does. */
  function restLater(agent: string): void {
    if (house.restAfterMs === undefined) return;
    world.clock.after(house.restAfterMs, () => {
      if (open.has(agent) && !stopped && !rest(agent)) restLater(agent);
    });
  }

  function rest(agent: string): boolean {
    const opened = open.get(agent);
    if (!opened?.atRest()) return false;
    open.delete(agent);
    asleep.set(agent, opened.rest(new Problem("closed", `${agent} is at rest; ask again`)));
    return true;
  }

  /** So that a home of ten thousand does not have them all in memory, even for a moment. */
  async function openForWork(agent: string): Promise<void> {
    const opened = await get(agent);
    if (house.restAfterMs === undefined || opened.running().size > 0) return;
    await opened.settled();
    rest(agent);
  }

  async function bring(agent: string): Promise<OpenAgent> {
    try {
      const opened = await openHere(agent);
      faults.delete(agent);
      known.add(agent);
      opened.track(furnish(opened));
      for (const go of waiting.splice(0)) go();
      return opened;
    } catch (error) {
      const problem =
        error instanceof Problem
          ? error
          : new Problem("storage_failed", `${agent} cannot be opened: ${String(error)}`, undefined, { cause: error });
      if (problem.code === "not_found") known.delete(agent);
      if (problem.code === "not_found" || isElsewhere(problem)) {
        faults.delete(agent);
        for (const go of waiting.splice(0)) go();
      } else if (problem.code !== "closed") {
        faults.set(agent, problem);
        house.notice(agent, problem);
        if (!final(problem)) retryLater(agent);
      }
      throw problem;
    }
  }

  async function openHere(agent: string, create = false): Promise<OpenAgent> {
    const opened = await openAgent(house, agent, {
      create,
      broken: (problem) => lost(agent, problem),
      healthy: () => attempts.delete(agent),
      suspects,
      hear: (delta) => {
        for (const listen of listeners.get(agent) ?? []) listen(delta);
      },
    });
    if (stopped) await opened.close(new Problem("closed", "the runtime is stopped"));
    opened.live.signal.throwIfAborted();
    open.set(agent, opened);
    restLater(agent);
    return opened;
  }

  /** Brings the files of an agent in line with its log. Until it has been done once, and whenever it is interrupted, nothing is lost. */
  async function furnish({ live, edits, projector, indexing }: OpenAgent): Promise<void> {
    const { agent } = live.state();
    if (!agent || agent.status === "archived") return;
    try {
      if (!live.state().files.has("GOAL.md")) await edits.write("GOAL.md", goalOf(agent.goal), { unless: "there" });
      if (!live.state().files.has("SOUL.md")) await edits.write("SOUL.md", soulOf(agent.id), { unless: "there" });
      setTriggers(live, house.triggers ?? [], (problem) => house.notice(live.agent, problem));
      await edits.notice();
      await projector.verify();
      await indexing?.ready();
    } catch (error) {
      if (!live.signal.aborted) house.notice(live.agent, asProblem(error));
    }
  }

  /** Called at once when an agent is closed by its log or its lease: nobody may be given the dead one. */
  function lost(agent: string, problem: Problem): void {
    open.delete(agent);
    house.notice(agent, problem);
    if (isElsewhere(problem)) return;
    faults.set(agent, problem);
    if (problem.code === "storage_failed" || problem.code === "closed") retryLater(agent);
  }

  /** Longer each time, until something could be written again. */
  function retryLater(agent: string): void {
    if (stopped || retries.has(agent)) return;
    const attempt = (attempts.get(agent) ?? 0) + 1;
    attempts.set(agent, attempt);
    const wait = Math.min(30_000, 100 * 2 ** attempt) * (0.5 + world.random.next() / 2);
    retries.set(
      agent,
      world.clock.after(wait, () => {
        retries.delete(agent);
        if (stopped || open.has(agent) || opening.has(agent)) return;
        const pending = bring(agent).finally(() => opening.delete(agent));
        opening.set(agent, pending);
        pending.catch(() => undefined);
      }),
    );
  }

  async function create(
    { goal, name, mode, cycle_seconds, model, budget, start }: NewAgent,
    options: SendOptions = {},
  ): Promise<string> {
    const base = slug(name ?? goal);
    const { key } = options;
    const before = key === undefined ? undefined : madeBefore(key);
    for (let n = before === undefined ? 1 : 0; ; n++) {
      const agent = n === 0 ? before! : n === 1 ? base : `${base}-${n}`;
      if (isAnothers(agent, key)) continue;
      if (await make({ type: "agent.create", agent, goal, model, mode, cycle_seconds, budget, start }, options))
        return agent;
    }
  }

  /** The agent that an earlier attempt with this key made, or the id it was to have, as far as this process knows. */
  const madeBefore = (key: string): string | undefined =>
    byKey.get(key) ?? [...open.values()].find(({ live }) => live.state().keys.has(key))?.live.agent;

  const isTaken = (agent: string): boolean =>
    open.has(agent) || faults.has(agent) || opening.has(agent) || known.has(agent);

  /** Certainly not made for this key. */
  function isAnothers(agent: string, key: string | undefined): boolean {
    if (final(faults.get(agent))) return true;
    if (key === undefined) return creating.has(agent) || isTaken(agent);
    if (creating.has(agent)) return byKey.get(key) !== agent;
    return open.get(agent)?.live.state().keys.has(key) === false;
  }

  /** True if the agent was made for this key, now or before; false if the id is another's. Throws while nobody knows which. */
  async function make(command: CreateAgent, options: SendOptions): Promise<boolean> {
    const { agent } = command;
    const { key } = options;
    if (creating.has(agent)) throw new Problem("conflict", `${agent} is being created; ask again in a moment`);
    creating.add(agent);
    if (key !== undefined) byKey.set(key, agent);
    try {
      if (isTaken(agent)) await get(agent).catch(unless("not_found", "owned_elsewhere", "fenced"));
      if (!isTaken(agent)) return await makeHere(command, options);
    } catch (problem) {
      unless("name_taken", "owned_elsewhere", "fenced")(problem);
      known.add(agent); // by another process
    } finally {
      creating.delete(agent);
    }
    const here = open.get(agent)?.live;
    if (here) return here.durable().then(() => key !== undefined && here.state().keys.has(key));
    return key !== undefined && wasMadeFor(command, options);
  }

  async function makeHere(command: CreateAgent, options: SendOptions): Promise<true> {
    const { agent } = command;
    const opened = await openHere(agent, true);
    try {
      await opened.live.dispatch(command, options);
    } catch (problem) {
      // Refused: there is no such agent. (One whose disk failed is closed already.)
      if (opened.live.state().seq === 0 && open.delete(agent)) {
        if (options.key !== undefined) byKey.delete(options.key);
        await opened.close(problem as Problem);
      }
      throw problem;
    }
    known.add(agent);
    await furnish(opened);
    return true;
  }

  /** Asks whoever owns the agent: the same command with the same key is repeated, any other refused. */
  async function wasMadeFor(command: CreateAgent, options: SendOptions): Promise<boolean> {
    try {
      await engine.send(command.agent, command, options);
      return true;
    } catch (problem) {
      unless("conflict", "not_found")(problem);
      // Another process was about to make it, and died.
      return (problem as Problem).code === "not_found" && make(command, options);
    }
  }

  return {
    async start() {
      await engine.start({
        wake: async (agent) => (asleep.has(agent) ? await get(agent) : open.get(agent))?.tick(),
        command: async (agent, command, options) => (await get(agent)).live.dispatch(command, options),
        takeOver: async (agent) => void (await get(agent).catch(() => undefined)),
      });
      await world.processes.sweep(programTag(house.home));
      for (const agent of await store.agents()) known.add(agent);
      for (const agent of known) await openForWork(agent).catch(() => undefined);
    },
    create,
    send: (agent, command, options) => engine.send(agent, command, options),
    async why(agent) {
      const { live, running } = await get(agent);
      await live.durable();
      const state = live.state();
      const options = { limits: house.limits, running: running() };
      const alive = [...state.nodes.values()].filter(isLive);
      return Object.fromEntries(alive.map(({ id }) => [id, why(state, id, options)]));
    },
    async read(agent, look) {
      const { live } = await get(agent);
      const seen = look(live.state());
      await live.durable();
      return seen;
    },
    /** Goes on when the agent had to be opened again. */
    async *follow(agent, after, signal) {
      while (!signal?.aborted && !stopped) {
        if (faults.has(agent) && retries.has(agent)) {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            signal?.addEventListener("abort", () => resolve(), { once: true });
          });
          continue;
        }
        const opened = await get(agent).catch((problem) => {
          if (!retries.has(agent)) throw problem; // else it is tried again, and we wait for that above
        });
        if (!opened) continue;
        const { streams, live } = opened;
        const over = either(live.signal, signal);
        try {
          for await (const events of streams.follow(after, over.signal)) {
            after = events.at(-1)!.seq;
            yield events;
          }
        } finally {
          over.release();
        }
      }
    },
    listen(agent, hear) {
      const those = listeners.get(agent) ?? new Set();
      listeners.set(agent, those.add(hear));
      return () => {
        if (those.delete(hear) && those.size === 0 && listeners.get(agent) === those) listeners.delete(agent);
      };
    },
    agents: () => [...known].sort(),
    fault: (agent) => faults.get(agent),
    opened: (agent) => open.get(agent),
    async stop() {
      stopped = true;
      for (const go of waiting.splice(0)) go();
      for (const cancel of retries.values()) cancel();
      await Promise.allSettled(opening.values());
      const reason = new Problem("closed", "the runtime is stopped");
      for (const agent of open.values()) await agent.close(reason);
      for (const lease of asleep.values()) await (await lease).release();
      open.clear();
      asleep.clear();
      await engine.stop();
    },
  };
}

type CreateAgent = Extract<CommandInput, { type: "agent.create" }>;

/** Throws every problem but these. */
const unless =
  (...codes: ProblemCode[]) =>
  (problem: unknown): void => {
    if (!(problem instanceof Problem && codes.includes(problem.code))) throw problem;
  };

/** Nothing will mend these by waiting. */
const final = (problem: Problem | undefined): boolean =>
  problem?.code === "log_corrupt" || problem?.code === "newer_version";

/** Another process has the agent now: that is no fault of it. */
const isElsewhere = ({ code }: Problem): boolean => code === "owned_elsewhere" || code === "fenced";

const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem("storage_failed", String(error));
