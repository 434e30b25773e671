/**
 * Everything that belongs to one open agent, put together: its log and state (live.ts), its loops (schedule.ts), its readable files
 * (runtime/projection/projection.ts, runtime/workspace/edits.ts) and its stream. Opening is recovery: there is no other kind of start.
 */
import type { Backend } from "../backend/backend.ts";
import type { Channels } from "../channel/channels.ts";
import { nextBeat } from "../core/cycle.ts";
import { appointments } from "../core/decide.ts";
import { documentPath } from "../core/file.ts";
import { type Mail, mailOf } from "../core/inbox.ts";
import type { Limits } from "../core/limits.ts";
import { nextLook } from "../core/rate.ts";
import { reduce } from "../core/reduce.ts";
import { canonical, emptyState, freezeState, type State, sameState, thawState } from "../core/state.ts";
import type { Engine, Lease } from "../engine/engine.ts";
import { createMemory } from "../guard/memory.ts";
import { specOf } from "../guard/texts.ts";
import type { Skills } from "../home/skills.ts";
import { createClosableFiles } from "../lib/closable-files.ts";
import type { Embedder } from "../lib/embedder.ts";
import { createRedactor } from "../lib/redact.ts";
import type { Clock, World } from "../lib/world.ts";
import type { Delta } from "../loop/seat.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { ConfigTrigger, PolicyRule, TaintPolicy } from "../schema/config.ts";
import type { Event } from "../schema/event.ts";
import type { Node } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import type { Index } from "../search/search.ts";
import type { Log, Store } from "../store/store.ts";
import type { Tool } from "../toolkit/tool.ts";
import { createDeliveries } from "./deliveries.ts";
import { createIndexing, type Indexing } from "./index-follower.ts";
import { createLive, type Live } from "./live.ts";
import { createLoops } from "./loops.ts";
import { createSeats } from "./participants.ts";
import { createOwnCalls, type OwnCalls } from "./program/tool-calls.ts";
import { lately, type Tail } from "./projection/append.ts";
import { createProjector, type Projector } from "./projection/projection.ts";
import { createReading, type Reading } from "./queries.ts";
import { startable } from "./schedule.ts";
import { createStreams, type Streams } from "./stream.ts";
import type { Suspects } from "./suspects.ts";
import { createEdits, type Edits } from "./workspace/edits.ts";
import { listed } from "./workspace/skill-list.ts";

export interface House {
  home: string;
  world: World;
  store: Store;
  /** A store of its own in a folder: where a bundle is checked before its agent is one of this home. Nothing can be imported if missing. */
  storeIn?(home: string): Store;
  engine: Engine;
  /** The derived index; everything works without it. */
  index?: Index;
  /** For search by meaning; memory is searched by words without it. */
  embedder?: Embedder;
  limits: Limits;
  /** What a new agent may spend, unless it is told otherwise; nothing is said if missing. */
  budget?: BudgetLimit;
  /** Looked at when somebody begins to work: may grow until then. */
  tools: readonly Tool[];
  /** Settles when `tools` has them all; they are there if missing. */
  equipped?: Promise<void>;
  /** What participants can read up; nothing if missing. */
  skills?: Skills;
  /** Triggers that agents have by the config. */
  triggers?: readonly ConfigTrigger[];
  /** What is asked about or forbidden; everything is allowed if missing. */
  policy?: readonly PolicyRule[];
  /** What happens once something from outside was read; everything is allowed if missing. */
  taint?: TaintPolicy;
  /** Values that nobody is to be told and that are never to be stored. */
  secrets?: readonly string[];
  /** Where the human is told outside; nowhere if missing. */
  channels?: Channels;
  /** Commands are taken and recorded; nobody thinks, nothing falls due, nothing is sent. */
  still?: boolean;
  /** Nobody has said that what lies here may be used: agents are named, and everything else is refused with this. */
  refusal?: Problem;
  backend(model: string): Backend;
  /** Throws the state away after every change and folds the log again: finds whatever is not in the log. */
  alwaysReplay?: boolean;
  /** Whether an agent may read this folder of the machine, as things are; throws the reason if not. All may if missing. */
  folder?(path: string): Promise<unknown>;
  /** Agents that nobody needs are closed after this time and opened again when they are; never if missing. */
  restAfterMs?: number;
  /** How many agents are opened side by side when the home is; one if missing. */
  recoverAtOnce?: number;
  /** How many events between two snapshots. */
  snapshotEvery: number;
  /** A fault that concerns people: an agent that cannot go on, a file that cannot be written. */
  notice(agent: string, problem: Problem): void;
}

export interface OpenAgent {
  live: Live;
  streams: Streams;
  edits: Edits;
  projector: Projector;
  indexing: Indexing | undefined;
  /** For people who look. */
  reading: Reading;
  /** What participants may do from outside their loops. */
  own: OwnCalls;
  /** Something may have become due. */
  tick(): void;
  /** Work in the background that an orderly end waits for. */
  track(job: Promise<void>): void;
  /** What goes on in the background now is over. */
  settled(): Promise<void>;
  close(reason: Problem): Promise<void>;
  /** Nobody runs, could run, writes or reads along: it can be closed without anyone noticing. */
  atRest(): boolean;
  /** Closes it, but keeps the lease and the wake-up: the next command or appointment opens it again. */
  rest(reason: Problem): Promise<Lease>;
  /** Loops under way, for tests and for an orderly stop. */
  running(): ReadonlySet<string>;
}

export interface Opening {
  create?: boolean;
  /** The log refused or the lease was lost; the agent is closed. May come before the opening has resolved. `gone`: nothing of it touches a file any more. */
  broken(problem: Problem, gone: Promise<void>): void;
  /** Something was written. */
  healthy(): void;
  /** A piece of an answer that is still coming. */
  hear(delta: Delta): void;
  /** In order, each event once, after it is durable. */
  told(events: readonly Event[]): void;
  /** Shared by all agents of the process. */
  suspects: Suspects;
}

/** The state's shape; a snapshot of another shape is folded anew from the log. */
const format = "state-22";

export async function openAgent(house: House, agent: string, options: Opening): Promise<OpenAgent> {
  const { store, engine } = house;
  const lease = await engine.own(agent);
  let log: Log | undefined;
  try {
    log = await store.open(agent, { fence: lease.fence, ...(options.create ? { create: true } : {}) });
    const restored = await restore(store, agent, log);
    // The events of a creation that failed may have been cut off by this very opening.
    if (!options.create && restored.state.seq === 0)
      throw new Problem("not_found", `there is no agent ${agent}; create it first`);
    if (lease.lost.aborted)
      throw new Problem("owned_elsewhere", `${agent} went to another process while it was opened`);
    const withheld = await withheldFolder(house, agent, restored.state);
    return assembleAgent(house, agent, lease, log, { ...restored, withheld }, options);
  } catch (error) {
    await log?.close();
    await lease.release();
    throw error;
  }
}

interface Restored {
  state: State;
  /** The end of what was read of the log. */
  tail: Tail;
  /** What the events that were folded brought, for the readable files; those of the tail, and later ones until their lines are written. */
  mails: WeakMap<Event, Mail>;
}

/** What was right when the agent was made may be wrong now, and a log may say what nobody ever checked. Empty if its folder may be read. */
async function withheldFolder({ folder, notice }: House, agent: string, state: State): Promise<string> {
  if (state.agent?.folder === undefined) return "";
  try {
    await folder?.(state.agent.folder);
    return "";
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("invalid", String(error));
    notice(agent, new Problem("invalid", `its folder is not used. ${problem.message}`));
    return problem.message;
  }
}

/** Snapshot plus the rest of the log; without a usable snapshot the whole log. */
async function restore(store: Store, agent: string, log: Log): Promise<Restored> {
  const snapshot = await store.snapshot(agent, format);
  const state = snapshot ? thawState(snapshot.state) : emptyState();
  const tail = { after: state.seq, events: [] as Event[] };
  const mails: Restored["mails"] = new WeakMap();
  for await (const events of log.read(state.seq)) {
    for (const event of events) {
      reduce(state, event);
      note(mails, state, event);
    }
    tail.events.push(...events);
    if (tail.events.length > 2 * lately) tail.after = tail.events.splice(0, tail.events.length - lately).at(-1)!.seq;
  }
  return { state, tail, mails };
}

function note(mails: Restored["mails"], state: State, event: Event): void {
  const mail = mailOf(state, event);
  if (mail) mails.set(event, mail);
}

function assembleAgent(
  house: House,
  agent: string,
  lease: Lease,
  log: Log,
  { state, tail, mails, withheld }: Restored & { withheld: string },
  opening: Opening,
): OpenAgent {
  const { store, engine, limits, home, tools, skills, policy = [], taint, secrets = [], backend, notice } = house;
  /** Ends with this opening: a tool that does not hear its signal does not disturb the next one. */
  const access = createClosableFiles(
    house.world.files,
    () => new Problem("closed", `${agent} was closed; ask again in a moment`),
  );
  const world = { ...house.world, files: access.files };
  /** What goes on in the background; an orderly end waits for it. */
  const jobs = new Set<Promise<void>>();
  let sinceSnapshot = 0;
  let open = true;
  /** When the files of people are looked at next, for whoever only looks in from time to time. */
  let lookAt = never;
  /** When the engine was last told to wake us; undefined when that is over. */
  let alarm: number | undefined;

  const live = createLive({
    agent,
    log,
    lease,
    state,
    world,
    limits,
    reduced: (event) => note(mails, live.state(), event),
    changed: (events) => {
      for (const event of events) loops.stopFor(event);
      if (events.some(({ type }) => type === "file.edited")) seats.stale();
      loops.start();
      if (!house.still) deliveries.start();
      setAlarm();
    },
    told: (events) => {
      opening.healthy();
      streams.told();
      opening.told(events);
      projector.touch(events);
      indexing?.touch(events);
      for (const { type, run, data } of events)
        if (type === "node.created") track(writeSpec(run!, { ...data, id: data.node }));
        else if (type === "document.written" || type === "document.removed") track(writeDocument(run!, data.document));
      sinceSnapshot += events.length;
      if (sinceSnapshot >= house.snapshotEvery && live.durableSeq() === live.state().seq) void snapshot(events.at(-1)!);
      if (house.alwaysReplay) replay = replay.then(replayed);
    },
    broken: (problem) => {
      projector.abandon();
      void shut(problem);
      opening.broken(problem, access.close());
    },
  });
  const streams = createStreams(log);
  const edits = createEdits({ home, world, store, live, log });
  const projector = createProjector({
    home,
    agent,
    world,
    log,
    tail,
    state: live.state,
    mail: (event) => mails.get(event),
    blob: (sha256) => store.getBlob(agent, sha256),
    edited: (path, keptAs) =>
      notice(
        agent,
        new Problem(
          "conflict",
          `${path} is written by Agiraph and was edited by hand; your version is kept as ${keptAs}`,
        ),
      ),
    failed: (path, error) =>
      access.isClosed() ||
      notice(agent, new Problem("storage_failed", `${path} could not be written: ${String(error)}`)),
  });

  const indexing =
    house.index &&
    createIndexing({
      index: house.index,
      agent,
      log,
      clock: world.clock,
      signal: live.signal,
      failed: (error) => open && notice(agent, error as Problem),
    });

  const memories = createMemory({ world, notes: house.index?.notes, embedder: house.embedder });
  live.signal.addEventListener("abort", () => memories.close());
  const seats = createSeats({
    skillList,
    home,
    live,
    edits,
    world,
    store,
    backend,
    hear: opening.hear,
    policy,
    ...(taint ? { taint } : {}),
    redact: createRedactor(secrets),
    memories,
    skills,
    withheld,
    written: async () => {
      await live.durable();
      await projector.idle();
    },
    all: tools,
  });
  const loops = createLoops({
    live,
    limits,
    world,
    seat: seats.take,
    suspects: opening.suspects,
    isOpen: () => open && !house.still,
    track,
    notice: (problem) => notice(agent, problem),
  });

  /** What was said of a skill that cannot be used; once is enough. */
  const told = new Set<string>();

  async function skillList(): Promise<string> {
    const { skills: known, wrong } = (await skills?.of(agent)) ?? { skills: [], wrong: [] };
    for (const message of wrong) {
      if (!told.has(message)) notice(agent, new Problem("invalid", message));
      told.add(message);
    }
    return listed(known);
  }
  const deliveries = createDeliveries({ live, world, channels: house.channels ?? new Map(), track });

  function track(job: Promise<void>): void {
    jobs.add(job);
    void job.finally(() => jobs.delete(job));
  }

  /** A spec belongs to people too: written once, then theirs to edit. */
  async function writeSpec(run: string, node: Pick<Node, "id" | "name" | "task" | "acceptance">): Promise<void> {
    try {
      await edits.write(specPath(run, node.id), specOf(node), { unless: "there" });
    } catch (error) {
      if (open)
        notice(agent, new Problem("storage_failed", `the spec of ${node.id} could not be written: ${String(error)}`));
    }
  }

  async function writeDocument(run: string, name: string): Promise<void> {
    try {
      await edits.follow(documentPath(run, name));
    } catch (error) {
      if (open) notice(agent, new Problem("storage_failed", `${name} could not be written: ${String(error)}`));
    }
  }

  /** For the next appointment; or, before it, for a look at what people did to the files, which may make something due. */
  function setAlarm(): void {
    const now = world.clock.now();
    lookAt = nextGlance(live.state(), now);
    const due = appointments(live.state())[0]?.at;
    const at = open && !house.still ? Math.min(lookAt, due === undefined ? never : Date.parse(due)) : never;
    if (at === alarm) return;
    alarm = at;
    engine.wake(agent, at < never ? at : null);
  }

  async function glance(): Promise<void> {
    try {
      await edits.notice();
    } catch (error) {
      if (open) notice(agent, new Problem("storage_failed", `the files could not be looked at: ${String(error)}`));
    }
    if (open) tick();
  }

  function tick(): void {
    if (!open || house.still) return;
    alarm = undefined;
    if (lookAt <= world.clock.now()) {
      lookAt = never;
      track(glance());
      return;
    }
    const now = new Date(world.clock.now()).toISOString();
    for (const { at, command } of appointments(live.state())) {
      if (at > now || !open) break;
      try {
        live.dispatch(command).catch(() => undefined);
      } catch (problem) {
        notice(agent, problem as Problem);
      }
    }
    loops.start();
    deliveries.start();
    setAlarm();
  }

  async function snapshot(event: Event): Promise<void> {
    sinceSnapshot = 0;
    const frozen = freezeState(live.state());
    const { seq } = live.state();
    if (seq !== event.seq) return;
    try {
      await store.saveSnapshot(agent, { seq, format, state: frozen });
    } catch (error) {
      notice(agent, new Problem("storage_failed", `no snapshot could be written: ${String(error)}`));
    }
  }

  let replay: Promise<void> = Promise.resolve();
  let replayedSeq = 0;
  /** See House.alwaysReplay: what was thrown away must come back the same. */
  async function replayed(): Promise<void> {
    const seq = live.durableSeq();
    if (!open || seq !== live.state().seq || seq === replayedSeq) return;
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
      throw new Error(`${agent}: the state at ${seq} is not the fold of its log\n${was}\n${is}`);
    }
    Object.assign(live.state(), again);
    replayedSeq = seq;
  }

  /** What the log is still writing is its last word, and nobody else may write before it. */
  async function shut(problem: Problem): Promise<void> {
    open = false;
    engine.wake(agent, null);
    await live.close(problem);
    await lease.release();
  }

  recover();
  return {
    live,
    streams,
    edits,
    projector,
    indexing,
    reading: createReading({
      home,
      world,
      store,
      live,
      streams,
      edits,
      memories,
      limits,
      running: loops.running,
      track,
      index: house.index,
      indexing,
    }),
    own: createOwnCalls({ live, seat: seats.takeOwn, loopSignal: loops.signalOf }),
    tick,
    track,
    settled: async () => void (await Promise.allSettled(jobs)),
    running: loops.running,
    atRest: () =>
      loops.running().size === 0 &&
      jobs.size === 0 &&
      live.state().deliveries.size === 0 &&
      indexing?.isIdle() !== false &&
      streams.followers() === 0 &&
      startable(live.state(), new Set(), limits, () => true).length === 0 &&
      live.durableSeq() === live.state().seq,
    async rest(reason) {
      open = false;
      await live.close(reason);
      await Promise.allSettled([projector.rest(), replay]);
      await access.close();
      await world.point?.("agent.rested");
      return lease;
    },
    async close(reason) {
      open = false;
      engine.wake(agent, null);
      const busy = [...live.state().participants.values()].some((one) => one.kind !== "human" && one.turn);
      if (busy && !live.signal.aborted) live.dispatch({ type: "log.close" }).catch(() => undefined);
      // What is being sent is recorded, or it would be sent again.
      await within(world.clock, shortly, deliveries.idle());
      await live.close(reason);
      await within(world.clock, patience, Promise.allSettled([...jobs, projector.rest(), replay]));
      await access.close();
      await lease.release();
    },
  };

  /** What a restart has to make good. Everything here may be interrupted and done again. */
  function recover(): void {
    if (log.repaired)
      void live
        .dispatch({ type: "log.repair", bytes: log.repaired.bytes, kept_as: log.repaired.keptAs })
        .catch(() => undefined);
    const { agent: who, run, nodes, files } = live.state();
    if (who && who.status !== "active" && who.status !== "paused") loops.giveUp();
    if (who && who.status !== "archived")
      for (const node of nodes.values()) if (!files.has(specPath(run!.id, node.id))) track(writeSpec(run!.id, node));
    tick();
  }
}

const specPath = (run: string, node: string): string => `runs/${run}/nodes/${node}/_spec.md`;

const never = Number.POSITIVE_INFINITY;

/** A little before the beat, so that what is found is there when it comes. */
const nextGlance = (state: State, now: number): number =>
  Math.min(nextBeat(state, now + ahead) ?? never, nextLook(state, now + ahead) ?? never) - ahead;

const ahead = 1_000;

/** How long an orderly end waits for tools and calls that do not hear their signal. */
const patience = 10_000;
/** How long it waits for a channel to say that it has taken what was sent. */
const shortly = 3_000;

function within(clock: Clock, ms: number, job: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void job.then(() => {
      cancel();
      resolve();
    });
  });
}
