/**
 * The agents of a home: what everyone outside asks for, put together from the lifecycle of agents, their creation and what they publish.
 *
 * Listens first and recovers after; a fault in one agent stays with that agent.
 * Not here: when an agent is open (presence/lifecycle.ts, presence/presence.ts), how one is created (presence/creation.ts), what happens inside one (agent.ts).
 */

import type { State } from "../core/state.ts";
import type { Meter } from "../gateway/gateway.ts";
import { answersPath, programTag } from "../home/layout.ts";
import { createLazy, openRecent } from "../lib/files/recent.ts";
import { anySignal } from "../lib/time/abort.ts";
import type { FileEntry } from "../lib/world.ts";
import type { OwnResult } from "../loop/features/own-call.ts";
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { OpenAgent } from "./agent.ts";
import { pack, sweepImports, unpack } from "./bundle/bundle.ts";
import type { Brings } from "./bundle/import.ts";
import { createWatch, type Watcher } from "./events/watch.ts";
import { createOnce, type KeyedRequest, keysRefused, type Once, rememberMs } from "./idempotency.ts";
import type { RuntimeOptions } from "./options.ts";
import { createCreation, type NewAgent } from "./presence/creation.ts";
import { createLifecycle } from "./presence/lifecycle.ts";
import { exists, faultOf, openedOf } from "./presence/presence.ts";
import { createProgramHomes } from "./program/homes.ts";
import type { Bearer } from "./program/tool-calls.ts";
import type { Reading } from "./queries.ts";

export type { Delta } from "../loop/participant-context.ts";
export type { NewAgent } from "./presence/creation.ts";

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
  /** The agent with all it is, as one compressed file; see runtime/bundle/bundle.ts. */
  pack(agent: string): Promise<ReadableStream<Uint8Array>>;
  /** Takes in what `pack` made; the agent is paused. Returns its id, and what came with it. */
  unpack(bundle: ReadableStream<Uint8Array>): Promise<{ agent: string; brings: Brings }>;
  /** Told what becomes durable, of every agent, and the words of answers as they come; see events/watch.ts. Returns a function that ends it. */
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
  /** Reserves what a model call of a participant's program may cost. */
  meter: Meter;
  ownCall(bearer: Bearer, given: { tool: string; input: unknown }, signal?: AbortSignal): Promise<OwnResult>;
  /** Why an agent cannot be used, if so. */
  fault(agent: string): Problem | undefined;
  /** The open agent, for tests and tools of the house. */
  opened(agent: string): OpenAgent | undefined;
  stop(): Promise<void>;
}

export function createRuntime(given: RuntimeOptions): Runtime {
  const { engine, store, world } = given;
  let awake = false;
  let stopped = false;
  const options: RuntimeOptions = {
    ...given,
    /** Also when it is about to end: who is opened then is closed again, and begins nothing. */
    get still() {
      return given.still === true || !awake || stopped;
    },
  };
  const watch = createWatch();
  const programHomes = createProgramHomes(given.home, world.files, world.clock);
  const lifecycle = createLifecycle(options, {
    programHomes,
    isStopped: () => stopped,
    opened: watch.opened,
    told: watch.told,
    hear: watch.delta,
  });
  const { presences, get } = lifecycle;
  const creation = createCreation(options, lifecycle);
  const answers = createLazy(() =>
    openRecent<KeyedRequest>({
      files: world.files,
      clock: world.clock,
      keepMs: rememberMs,
      path: answersPath(given.home),
      most: mostAnswers,
    }),
  );
  const recovery = { agents: 0, done: 0 };

  function assertAllowed(): void {
    if (given.refusal) throw given.refusal;
  }

  const known = (): string[] => presences.all().flatMap(([agent, presence]) => (exists(presence) ? [agent] : []));

  /** One that cannot be opened now is tried again, and looks at what is due when it is open. */
  async function wake(agent: string): Promise<void> {
    const presence = presences.of(agent);
    const opened = presence.is === "resting" ? await get(agent).catch(() => undefined) : openedOf(presence);
    opened?.tick();
  }

  async function openHome(): Promise<void> {
    await engine.start({
      wake,
      command: async (agent, command, options) => (await get(agent)).live.dispatch(command, options),
      takeOver: async (agent) => void (await get(agent).catch(() => undefined)),
    });
    let names: FileEntry[] = [];
    if (!given.refusal) {
      await world.processes.sweep(programTag(given.home));
      names = await world.files.list(given.home);
      await sweepImports(options, names);
    }
    for (const agent of await store.agents()) presences.change(agent, { type: "find" });
    await programHomes.find(names, known());
    recovery.agents = known().length;
  }

  async function recover(): Promise<void> {
    if (given.refusal) return;
    awake = true;
    for (const [, presence] of presences.all()) openedOf(presence)?.tick();
    const left = known();
    recovery.agents = left.length;
    const lane = async () => {
      for (let agent = left.shift(); agent !== undefined && !stopped; agent = left.shift()) {
        await lifecycle.openForWork(agent).catch(() => undefined);
        recovery.done++;
      }
    };
    // A long log does not keep the others waiting.
    await Promise.all(Array.from({ length: given.recoverAtOnce ?? 1 }, lane));
  }

  /** True while the agent is closed by a fault and is opened again by itself. */
  function isRetried(agent: string): boolean {
    const presence = presences.of(agent);
    return presence.is === "faulted" && presence.cancelRetry !== undefined;
  }

  /** Goes on when the agent had to be opened again. */
  async function* follow(agent: string, after: number, signal?: AbortSignal): AsyncGenerator<Event[], void, void> {
    while (!signal?.aborted && !stopped) {
      if (isRetried(agent)) {
        await lifecycle.changed(signal);
        continue;
      }
      const opened = await get(agent).catch((problem) => {
        if (!isRetried(agent)) throw problem; // else we wait for that above
      });
      if (!opened) continue;
      const { streams, live } = opened;
      const over = anySignal(live.signal, signal);
      try {
        for await (const events of streams.follow(after, over.signal)) {
          after = events.at(-1)!.seq;
          yield events;
        }
      } finally {
        over.release();
      }
    }
  }

  return {
    async start() {
      await openHome();
      await recover();
    },
    open: openHome,
    recover,
    recovery: () => ({ ...recovery }),
    async create(agent, options) {
      assertAllowed();
      return await creation.create(agent, options);
    },
    once: createOnce(async () => {
      assertAllowed();
      return await answers.get().catch(keysRefused);
    }),
    onRest: lifecycle.onRest,
    send: (agent, command, options) => engine.send(agent, command, options),
    async read(agent, look) {
      const { live } = await get(agent);
      const seen = look(live.state());
      await live.durable();
      return seen;
    },
    follow,
    async pack(agent) {
      await (await get(agent)).live.durable();
      return pack(options, agent);
    },
    async unpack(bundle) {
      assertAllowed();
      const { home, storeIn, limits, budget = {} } = given;
      if (!storeIn)
        throw new Problem("not_offered", "this runtime was given no store in which a bundle can be checked");
      const isTaken = (id: string) => presences.of(id).is !== "unknown";
      const { agent, brings } = await unpack({ home, world, storeIn, limits, budget }, bundle, isTaken);
      presences.change(agent, { type: "find" });
      await get(agent);
      return { agent, brings };
    },
    watch: watch.add,
    seq: watch.seq,
    reading: async (agent) => (await get(agent)).reading,
    meter: { begin: async (caller, call) => (await get(caller.agent)).metering.begin(caller, call) },
    ownTools: async (bearer) => (await get(bearer.agent)).own.tools(bearer),
    ownCall: async (bearer, given, signal) => (await get(bearer.agent)).own.call(bearer, given, signal),
    agents: () => known().sort(),
    has: (agent) => exists(presences.of(agent)),
    fault(agent) {
      const presence = presences.of(agent);
      return faultOf(presence) ?? (exists(presence) ? given.refusal : undefined);
    },
    opened: (agent) => openedOf(presences.of(agent)),
    async stop() {
      stopped = true;
      await lifecycle.stop();
      await creation.close();
      await answers.close();
      await engine.stop();
    },
  };
}

/** Older ones of so many are found again in the agents' logs. */
const mostAnswers = 50_000;
