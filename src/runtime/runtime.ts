/**
 * The agents of a home. Listens first and recovers after; a fault in one agent stays with that agent.
 *
 * An agent whose log cannot be written is closed and opened again, with growing pauses, until the disk is back; meanwhile its commands are
 * refused. One whose log cannot be read (corrupt, newer) is quarantined with the reason and never touched.
 */

import { slug } from "../core/names.ts";
import type { State } from "../core/state.ts";
import type { Lease } from "../engine/engine.ts";
import { goalOf, soulOf } from "../guard/texts.ts";
import { agentRoot, answersPath, creationsPath, programTag } from "../home/layout.ts";
import { either } from "../lib/abort.ts";
import { printOf } from "../lib/print.ts";
import { createLazy, openRecent } from "../lib/recent.ts";
import type { OwnResult } from "../loop/own-call.ts";
import type { Delta } from "../loop/seat.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";
import type { Event } from "../schema/event.ts";
import { Problem, type ProblemCode } from "../schema/problem.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Team } from "../schema/workflow.ts";
import { assertTools } from "../toolkit/offered.ts";
import { type House, type OpenAgent, openAgent } from "./agent.ts";
import { pack, sweepImports, unpack } from "./bundle/bundle.ts";
import type { Brings } from "./bundle/import.ts";
import { setTriggers } from "./config-triggers.ts";
import { type Asked, createOnce, type Once } from "./idempotency.ts";
import type { Bearer } from "./program/tool-calls.ts";
import type { Reading } from "./queries.ts";
import { createSuspects } from "./suspects.ts";
import { createWatch, type Watcher } from "./watch.ts";
import { sweepDrafts } from "./workspace/drafts.ts";

export type { Delta } from "../loop/seat.ts";

export interface Runtime {
  /** Ends what an earlier life left running, takes the home's agents into this process and lets them go on: `open`, then `recover`. */
  start(): Promise<void>;
  /** The first half: agents are known and can be read, made and given commands; nobody works yet. */
  open(): Promise<void>;
  /** The second half: every agent is opened and goes on. One that cannot be opened is named in `fault` and disturbs no other. */
  recover(): Promise<void>;
  /** How many agents there were to recover, and how many of them have been looked at. */
  recovery(): { agents: number; done: number };
  /** A new agent; its first run starts at once. With a key, asking again within a day gives the same agent, and asking for another is refused. */
  create(given: NewAgent, options?: SendOptions): Promise<string>;
  send(agent: string, command: CommandInput, options?: SendOptions): Promise<Receipt>;
  /** Something read from the state, given out when it is durable. `look` must not keep the state. */
  read<T>(agent: string, look: (state: State) => T): Promise<T>;
  /** The durable events after a seq, each once, without end. */
  follow(agent: string, after: number, signal?: AbortSignal): AsyncGenerator<Event[], void, void>;
  /** Words of answers as they come; they are never stored. Returns a function that ends it. */
  listen(agent: string, hear: (delta: Delta) => void): () => void;
  /** The agent with all it is, as one compressed file; see runtime/bundle/bundle.ts. */
  pack(agent: string): Promise<ReadableStream<Uint8Array>>;
  /** Takes in what `pack` made; the agent is paused. Returns its id, and what came with it. */
  unpack(bundle: ReadableStream<Uint8Array>): Promise<{ agent: string; brings: Brings }>;
  /** Told what becomes durable, of every agent; see watch.ts. Returns a function that ends it. */
  watch(watcher: Watcher): () => void;
  /** The last durable seq of an agent that was opened in this life; nothing is opened for it. */
  seq(agent: string): number | undefined;
  /** What people look up besides the state: past events, files, memory. Ask for it anew each time: the agent may rest in between. */
  reading(agent: string): Promise<Reading>;
  /** Does what a caller of the house asks for once for its key, and gives the same answer again; see idempotency.ts. */
  once: Once;
  /** Told the state of every agent that goes to rest, which holds until it is told `null`: the agent was opened again. `hear` must not keep it. */
  onRest(hear: (agent: string, state: State | null) => void): void;
  agents(): string[];
  has(agent: string): boolean;
  /** A participant's tools, and one call of one, for whoever proved to be it. Throw `forbidden` when the run is over. */
  ownTools(bearer: Bearer): Promise<ToolShape[]>;
  ownCall(bearer: Bearer, given: { tool: string; input: unknown }, signal?: AbortSignal): Promise<OwnResult>;
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
  /** Names of the tools that it and its workers may use (toolkit/offered.ts); all if missing. */
  tools?: string[];
  /** Tokens: the window that counts, where the model's own is not smaller. */
  context_window?: number;
  /** A folder that it may read, as an absolute path. Whoever asks has checked it. */
  folder?: string;
  /** Who and what is there when a run begins (core/workflow.ts). */
  team?: Team;
}

export function createRuntime(given: House): Runtime {
  const { engine, store, world } = given;
  let awake = false;
  const house: House = {
    ...given,
    /** Also when it is about to end: who is opened then is closed again, and begins nothing. */
    get still() {
      return given.still === true || !awake || stopped;
    },
  };
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
  /** Agents that broke: each until nothing of its last opening touches a file any more. */
  const leaving = new Map<string, Promise<void>>();
  const byKey = new Map<string, string>();
  const remembered = { files: world.files, clock: world.clock, keepMs: keptMs };
  const creations = createLazy(() => openRecent<Creation>({ ...remembered, path: creationsPath(house.home) }));
  const answers = createLazy(() =>
    openRecent<Asked>({ ...remembered, path: answersPath(house.home), most: mostAnswers }),
  );
  const restful: ((agent: string, state: State | null) => void)[] = [];
  const suspects = createSuspects(world.clock);
  /** Agents whose folders were swept of what an earlier process left. */
  const swept = new Set<string>();
  const began = world.clock.now();
  const listeners = new Map<string, Set<(delta: Delta) => void>>();
  const watch = createWatch();
  let stopped = false;
  const recovery = { agents: 0, done: 0 };

  function assertAllowed(): void {
    if (house.refusal) throw house.refusal;
  }

  /** The agent, opened if it is not; refuses with the reason if it cannot be. */
  async function get(agent: string): Promise<OpenAgent> {
    const there = open.get(agent);
    if (there) return there;
    if (stopped) throw new Problem("closed", "the runtime is stopped");
    assertAllowed();
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
    for (const hear of restful) hear(agent, opened.live.state());
    open.delete(agent);
    asleep.set(agent, opened.rest(new Problem("closed", `${agent} is at rest; ask again`)));
    return true;
  }

  /** So that a home of ten thousand does not have them all in memory, even for a moment. One that is long busy (its index is built) rests later. */
  async function openForWork(agent: string): Promise<void> {
    const opened = await get(agent);
    if (house.restAfterMs === undefined || opened.running().size > 0) return;
    if (await isOver(opened.settled())) rest(agent);
  }

  /** Whether it is over within a moment. */
  function isOver(job: Promise<void>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = world.clock.after(momentMs, () => resolve(false));
      void job.then(() => {
        cancel();
        resolve(true);
      });
    });
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
    await leaving.get(agent);
    const opened = await openAgent(house, agent, {
      create,
      broken: (problem, gone) => lost(agent, problem, gone),
      healthy: () => attempts.delete(agent),
      suspects,
      hear: (delta) => {
        for (const listen of listeners.get(agent) ?? []) listen(delta);
        watch.delta(agent, delta);
      },
      told: (events) => watch.told(agent, events),
    });
    if (stopped) await opened.close(new Problem("closed", "the runtime is stopped"));
    opened.live.signal.throwIfAborted();
    open.set(agent, opened);
    watch.opened(agent, opened.live.durableSeq());
    for (const hear of restful) hear(agent, null);
    restLater(agent);
    return opened;
  }

  /** Brings the files of an agent in line with its log; if the disk refuses, again later. Whenever it is interrupted, nothing is lost. */
  async function furnish(opened: OpenAgent): Promise<void> {
    const { live, edits, projector, indexing } = opened;
    const { agent } = live.state();
    const indexed = indexing?.ready();
    // Its files stay as they are; but what it said is found, also when the index had to be made anew.
    if (!agent || agent.status === "archived") return await indexed;
    try {
      if (!swept.has(live.agent)) {
        await sweepDrafts(world.files, agentRoot(house.home, live.agent), live.state().run?.id, began);
        swept.add(live.agent);
      }
      if (!live.state().files.has("GOAL.md")) await edits.write("GOAL.md", goalOf(agent.goal), { unless: "there" });
      if (!live.state().files.has("SOUL.md")) await edits.write("SOUL.md", soulOf(agent.id), { unless: "there" });
      setTriggers(live, house.triggers ?? [], (problem) => house.notice(live.agent, problem));
      await edits.notice();
      await projector.verify();
    } catch (error) {
      if (live.signal.aborted) return;
      house.notice(live.agent, asProblem(error));
      world.clock.after(furnishAgainMs, () => open.get(live.agent) === opened && opened.track(furnish(opened)));
    }
    await indexed;
  }

  /** Called at once when an agent is closed by its log or its lease: nobody may be given the dead one. */
  function lost(agent: string, problem: Problem, gone: Promise<void>): void {
    open.delete(agent);
    leaving.set(agent, gone);
    void gone.then(() => leaving.get(agent) === gone && leaving.delete(agent));
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

  async function create(given: NewAgent, options: SendOptions = {}): Promise<string> {
    assertAllowed();
    const base = slug(given.name ?? given.goal);
    const { key } = options;
    const before = key === undefined ? undefined : await madeBefore(key, given);
    const named = [given, ...(given.team?.workers ?? [])].flatMap(({ tools = [] }) => tools);
    if (named.length && before === undefined) {
      await house.equipped;
      assertTools(house.tools, named);
    }
    for (let n = before === undefined ? 1 : 0; ; n++) {
      const agent = n === 0 ? before! : n === 1 ? base : `${base}-${n}`;
      if (n === 0 && final(faults.get(agent))) throw faults.get(agent)!;
      if (isAnothers(agent, key)) continue;
      // Before there is anything of it: whoever asks again after a crash is led to this very agent.
      const intent = key !== undefined && agent !== before ? () => intend(key, agent, given) : undefined;
      const { name: _name, ...goal } = given;
      if (await make({ type: "agent.create", agent, ...goal }, options, intent)) return agent;
    }
  }

  /** The agent that an earlier attempt with this key made, or the id it was to have. Throws if it was to be another one. */
  async function madeBefore(key: string, given: NewAgent): Promise<string | undefined> {
    const intended = (await creations.get().catch(refused)).get(key);
    if (intended && intended.print !== printOf(given))
      throw new Problem("key_reused", `the key ${key} was used for another agent; use a new key`);
    if (intended) return intended.agent;
    return byKey.get(key) ?? [...open.values()].find(({ live }) => live.state().keys.has(key))?.live.agent;
  }

  async function intend(key: string, agent: string, given: NewAgent): Promise<void> {
    const known = await creations.get().catch(refused);
    await known.set(key, { print: printOf(given), agent }).catch((error) => {
      known.forget(key);
      return refused(error);
    });
  }

  /** What was refused may be asked for differently. */
  async function forgetKey(key: string): Promise<void> {
    byKey.delete(key);
    (await creations.get().catch(refused)).forget(key);
  }

  const isTaken = (agent: string): boolean =>
    open.has(agent) || faults.has(agent) || opening.has(agent) || known.has(agent);

  /** Certainly not made for this key. */
  function isAnothers(agent: string, key: string | undefined): boolean {
    if (final(faults.get(agent))) return true;
    if (key === undefined) return creating.has(agent) || isTaken(agent);
    if (creating.has(agent)) return byKey.get(key) !== agent;
    return open.get(agent)?.live.state().keys.has(key) === false;
  }

  /**
   * True if the agent was made for this key, now or before; false if the id is another's. Throws while nobody knows which. The id is taken at once,
   * before anything is waited for, so that whoever makes another one at the same time looks for another id.
   */
  async function make(command: CreateAgent, options: SendOptions, intent?: () => Promise<void>): Promise<boolean> {
    const { agent } = command;
    const { key } = options;
    if (creating.has(agent)) throw new Problem("conflict", `${agent} is being created; ask again in a moment`);
    creating.add(agent);
    if (key !== undefined) byKey.set(key, agent);
    try {
      await intent?.().catch((problem) => {
        byKey.delete(key!);
        throw problem;
      });
      if (isTaken(agent)) await get(agent).catch(unless("not_found", "owned_elsewhere", "fenced"));
      if (!isTaken(agent)) return await makeHere(command, options);
    } catch (problem) {
      unless("name_taken", "owned_elsewhere", "fenced")(problem);
      known.add(agent); // by another process
    } finally {
      creating.delete(agent);
    }
    const here = open.get(agent)?.live;
    if (here) {
      await here.durable();
      if (key === undefined || !here.state().keys.has(key)) return false;
      await here.dispatch(command, options); // refuses if it was made for another command
      return true;
    }
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
        if (options.key !== undefined) await forgetKey(options.key);
        await opened.close(problem as Problem);
      }
      throw problem;
    }
    known.add(agent);
    swept.add(agent); // it is new: nobody left anything there
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

  async function openHome(): Promise<void> {
    await engine.start({
      // One that cannot be opened now is tried again, and looks at what is due when it is open.
      wake: async (agent) => (asleep.has(agent) ? await get(agent).catch(() => undefined) : open.get(agent))?.tick(),
      command: async (agent, command, options) => (await get(agent)).live.dispatch(command, options),
      takeOver: async (agent) => void (await get(agent).catch(() => undefined)),
    });
    if (!house.refusal) {
      await world.processes.sweep(programTag(house.home));
      await sweepImports(house);
    }
    for (const agent of await store.agents()) known.add(agent);
    recovery.agents = known.size;
  }

  async function recover(): Promise<void> {
    if (house.refusal) return;
    awake = true;
    for (const opened of open.values()) opened.tick();
    const left = [...known];
    recovery.agents = left.length;
    const lane = async () => {
      for (let agent = left.shift(); agent !== undefined && !stopped; agent = left.shift()) {
        await openForWork(agent).catch(() => undefined);
        recovery.done++;
      }
    };
    // A long log does not keep the others waiting.
    await Promise.all(Array.from({ length: house.recoverAtOnce ?? 1 }, lane));
  }

  return {
    async start() {
      await openHome();
      await recover();
    },
    open: openHome,
    recover,
    recovery: () => ({ ...recovery }),
    create,
    once: createOnce(async () => {
      assertAllowed();
      return await answers.get().catch(refused);
    }),
    onRest: (hear) => void restful.push(hear),
    send: (agent, command, options) => engine.send(agent, command, options),
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
    async pack(agent) {
      await (await get(agent)).live.durable();
      return pack(house, agent);
    },
    async unpack(bundle) {
      assertAllowed();
      const { home, world, storeIn, limits, budget = {} } = house;
      if (!storeIn) throw new Problem("not_offered", "this house cannot check a bundle; it was given no store for it");
      const taken = (id: string) => isTaken(id) || creating.has(id);
      const { agent, brings } = await unpack({ home, world, storeIn, limits, budget }, bundle, taken);
      known.add(agent);
      await get(agent);
      return { agent, brings };
    },
    listen(agent, hear) {
      const those = listeners.get(agent) ?? new Set();
      listeners.set(agent, those.add(hear));
      return () => {
        if (those.delete(hear) && those.size === 0 && listeners.get(agent) === those) listeners.delete(agent);
      };
    },
    watch: watch.add,
    seq: watch.seq,
    reading: async (agent) => (await get(agent)).reading,
    ownTools: async (bearer) => (await get(bearer.agent)).own.tools(bearer),
    ownCall: async (bearer, given, signal) => (await get(bearer.agent)).own.call(bearer, given, signal),
    agents: () => [...known].sort(),
    has: (agent) => known.has(agent),
    fault: (agent) => faults.get(agent) ?? (known.has(agent) ? house.refusal : undefined),
    opened: (agent) => open.get(agent),
    async stop() {
      stopped = true;
      for (const go of waiting.splice(0)) go();
      for (const cancel of retries.values()) cancel();
      await Promise.allSettled(opening.values());
      const reason = new Problem("closed", "the runtime is stopped");
      // All at once: each may have to wait for a tool that does not hear.
      await Promise.allSettled([...open.values()].map((agent) => agent.close(reason)));
      for (const lease of asleep.values()) await (await lease).release();
      open.clear();
      asleep.clear();
      await creations.close();
      await answers.close();
      await engine.stop();
    },
  };
}

/** As long as the agents remember the keys of their commands. */
const keptMs = 86_400_000;

/** How long after a failure the files are looked at again. */
const furnishAgainMs = 30_000;

/** Older ones of so many are found again in the agents' logs. */
const mostAnswers = 50_000;

/** For which id a key was first used, and what was to become of it. */
interface Creation {
  print: string;
  agent: string;
}

const refused = (error: unknown): never => {
  if (error instanceof Problem) throw error;
  throw new Problem("storage_failed", `the keys cannot be kept: ${String(error)}`, undefined, { cause: error });
};

/** What an agent that is opened at the start may take to come to rest before the next one is opened. */
const momentMs = 1_000;

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
