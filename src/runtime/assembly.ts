/**
 * The parts of one open agent, wired to each other: log and state, loops, alarm, deliveries, outbox, files, index, stream.
 *
 * Parts are told of each other's changes only in `changed` (at once, may decide more) and `told` (durable, in order), below.
 */
import type { Lease } from "../engine/engine.ts";
import { createMeaning } from "../guard/meaning.ts";
import { createMemory } from "../guard/memory.ts";
import { createClosableFiles } from "../lib/files/closable-files.ts";
import { createRedactor } from "../lib/text/redact.ts";
import { withTimeout } from "../lib/time/timeout.ts";
import { Problem } from "../schema/problem.ts";
import type { Log } from "../store/store.ts";
import type { OpenAgent, Opening } from "./agent.ts";
import { createChanges } from "./changes.ts";
import { createCheckouts } from "./checkout/checkouts.ts";
import { createDeliveries } from "./delivery/deliveries.ts";
import { createOutbox } from "./delivery/outbox.ts";
import { createIndexing } from "./events/index-follower.ts";
import { createStreams } from "./events/stream.ts";
import { createLive } from "./live.ts";
import { createConsult } from "./memory/consult.ts";
import { createInsights } from "./memory/insights.ts";
import { createReflection } from "./memory/reflection.ts";
import { createKeptHosts } from "./network/kept-hosts.ts";
import type { RuntimeOptions } from "./options.ts";
import { createLoops } from "./participant/loops.ts";
import { createParticipants } from "./participant/participants.ts";
import { startable } from "./participant/schedule.ts";
import { createTeamCall } from "./participant/team-call.ts";
import { createAlarm } from "./presence/alarm.ts";
import { createMetering } from "./program/metering.ts";
import { createOwnCalls } from "./program/tool-calls.ts";
import { createReadChannel } from "./projection/channel-pages.ts";
import { createConversationSearch } from "./projection/conversation-search.ts";
import { createProjector } from "./projection/projection.ts";
import { createReading } from "./queries.ts";
import { createSetup } from "./setup/setup.ts";
import { createReplay, createSnapshots, noteMail, type RestoredState } from "./snapshots.ts";
import { createSoulKeeper } from "./soul-keeper.ts";
import { createAgentFiles } from "./workspace/agent-files.ts";
import { createEdits } from "./workspace/edits.ts";
import { createSkillList } from "./workspace/skill-list.ts";

export function assembleAgent(
  options: RuntimeOptions,
  agent: string,
  lease: Lease,
  log: Log,
  { state, tail, mails, withheld }: RestoredState & { withheld: string },
  opening: Opening,
): OpenAgent {
  const { store, engine, limits, home, tools, skills, policy = [], taint, secrets = [], backend } = options;
  /** Ends with this opening: a tool that does not hear its signal does not disturb the next one. */
  const access = createClosableFiles(
    options.world.files,
    () => new Problem("closed", `${agent} was closed; try again in a moment`),
  );
  const world = { ...options.world, files: access.files };
  /** What goes on in the background; an orderly end waits for it. */
  const jobs = new Set<Promise<void>>();
  let open = true;
  const isOpen = () => open;
  const tell = (problem: Problem) => options.notice(agent, problem);

  const live = createLive({
    agent,
    log,
    lease,
    state,
    world,
    limits,
    reduced: (event) => noteMail(mails, live.state(), event),
    changed: (events) => {
      changes.ring();
      for (const event of events) loops.stopFor(event);
      if (events.some(({ type }) => type === "file.edited")) seats.stale();
      loops.start();
      setup.look();
      if (!options.still) {
        deliveries.start();
        outbox.start();
      }
      alarm.set();
    },
    told: (events) => {
      opening.healthy();
      streams.told(events);
      opening.told(events);
      projector.touch(events);
      indexing?.touch(events);
      files.told(events);
      if (events.some(({ type }) => type === "run.started" || type === "agent.archived")) tidyPrograms();
      checkouts.told(events);
      snapshots.told(events);
      keptHosts.look();
      insights.look();
      reflection.told(events);
      soulKeeper.look();
      if (options.alwaysReplay) replay.again();
    },
    broken: (problem) => {
      projector.abandon();
      void shut(problem);
      opening.broken(problem, gone());
    },
  });
  const changes = createChanges();
  const metering = createMetering(live, world.clock);
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
      tell(
        new Problem(
          "conflict",
          `${path} is written by Agiraph and was edited by hand; your version is kept as ${keptAs}`,
        ),
      ),
    failed: (path, error) =>
      access.isClosed() || tell(new Problem("storage_failed", `${path} could not be written: ${String(error)}`)),
  });

  const indexing =
    options.index &&
    createIndexing({
      index: options.index,
      agent,
      log,
      clock: world.clock,
      signal: live.signal,
      failed: (error) => open && tell(error as Problem),
    });

  const readChannel = createReadChannel({
    agent,
    state: live.state,
    durable: live.durable,
    past: streams.past,
    blob: (sha256) => store.getBlob(agent, sha256),
  });
  const searchConversation = createConversationSearch({
    state: live.state,
    durable: live.durable,
    past: streams.past,
    blob: (sha256) => store.getBlob(agent, sha256),
  });
  const redact = createRedactor(secrets);
  const memories = createMemory({ world, notes: options.index?.notes, embedder: options.embedder });
  live.signal.addEventListener("abort", () => memories.close());
  let isResumed = false;
  const working = () => open && !options.still;
  const insights = createInsights({
    marks: () => taint?.memory === "mark",
    home,
    live,
    clock: world.clock,
    store,
    memories,
    isOpen: working,
    track,
    notice: tell,
  });
  const reflection = createReflection({
    home,
    live,
    clock: world.clock,
    memories,
    config: options.reflection,
    backend,
    isOpen: working,
    track,
  });
  const consult = createConsult({ home, live, memories });
  const checkouts = createCheckouts({ home, world, live, store, withheld, track, notice: tell });
  const seats = createParticipants({
    checkouts,
    meaning: options.embedder && createMeaning(options.embedder, world.clock),
    skillList: createSkillList(skills, agent, (message) => tell(new Problem("invalid", message))),
    home,
    live,
    edits,
    world,
    store,
    backend,
    programs: options.programs,
    allowed: options.allowed,
    metering,
    programHomes: opening.programHomes,
    changed: changes.next,
    hear: opening.hear,
    policy,
    ...(taint ? { taint } : {}),
    network: options.network,
    redact,
    memories,
    skills,
    exists: opening.exists,
    insights,
    consult: (other, wish) => (other === agent ? consult(agent, wish) : opening.consult(other, agent, wish)),
    callInTeam: (team, call) => opening.callInTeam(team, agent, call),
    readChannel,
    searchConversation,
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
    prepare: checkouts.resume,
    suspects: opening.suspects,
    isOpen: () => open && !options.still,
    track,
    notice: tell,
  });

  const setup = createSetup({
    home,
    world,
    live,
    store,
    network: options.network,
    sandboxed: options.sandboxed,
    redact,
    checkouts,
    withheld,
    isOpen: () => open && !options.still,
    track,
    notice: tell,
  });
  const keptHosts = createKeptHosts({
    live,
    allowAlways: options.still ? undefined : options.allowAlways,
    track,
    notice: tell,
  });
  const deliveries = createDeliveries({ live, world, channels: options.channels ?? new Map(), track });
  const outbox = createOutbox({ live, world: options.world, engine, store, exists: opening.exists, track });
  const files = createAgentFiles({ live, edits, isOpen, track, notice: tell });
  const snapshots = createSnapshots({ store, live, every: options.snapshotEvery, notice: tell });
  const replay = createReplay(live, log);
  const alarm = createAlarm({
    live,
    engine,
    clock: world.clock,
    isOpen,
    isStill: () => options.still === true,
    look: edits.notice,
    start() {
      loops.start();
      deliveries.start();
      outbox.start();
    },
    track,
    notice: tell,
  });

  const reading = createReading({
    home,
    world,
    store,
    live,
    streams,
    edits,
    memories,
    insights,
    checkouts,
    readChannel,
    limits,
    running: loops.running,
    track,
    index: options.index,
    indexing,
  });
  const soulKeeper = createSoulKeeper({
    live,
    soul: () => reading.soul,
    enough: options.still ? undefined : options.soulEvidence,
    track,
    notice: tell,
  });

  const tidyPrograms = () => track(opening.programHomes.tidy(agent, live.state()));

  function track(job: Promise<void>): void {
    jobs.add(job);
    void job.finally(() => jobs.delete(job));
  }

  /** Whoever works here has ended, programs included: when it is opened again, no second one works beside them. */
  async function gone(): Promise<void> {
    await withTimeout(world.clock, patience, Promise.allSettled(jobs));
    await access.close();
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
    reading,
    metering,
    consult,
    answerGuest: createTeamCall({ live, seats, tools }),
    own: createOwnCalls({ live, seat: seats.takeOwn, loopSignal: loops.signalOf }),
    tick() {
      resume();
      alarm.tick();
    },
    track,
    settled: async () => void (await Promise.allSettled(jobs)),
    running: loops.running,
    unsaved: checkouts.unsaved,
    atRest: () =>
      loops.running().size === 0 &&
      jobs.size === 0 &&
      checkouts.unsaved().length === 0 &&
      live.state().deliveries.size === 0 &&
      live.state().outbox.size === 0 &&
      indexing?.isIdle() !== false &&
      streams.followers() === 0 &&
      startable(live.state(), new Set(), limits, () => true).length === 0 &&
      live.durableSeq() === live.state().seq,
    async rest(reason) {
      open = false;
      await live.close(reason);
      await Promise.allSettled([projector.rest(), replay.idle()]);
      await access.close();
      await world.point?.("agent.rested");
      return lease;
    },
    async close(reason) {
      open = false;
      engine.wake(agent, null);
      const busy = [...live.state().participants.values()].some((one) => one.kind !== "human" && one.turn);
      if (busy && !live.signal.aborted) live.dispatch({ type: "log.close" }).catch(() => undefined);
      // What is being sent is recorded, or it would be sent again; what was done is saved.
      const ending = [deliveries.idle(), outbox.idle(), checkouts.idle()];
      await withTimeout(world.clock, shortly, Promise.allSettled(ending));
      await live.close(reason);
      await withTimeout(world.clock, patience, Promise.allSettled([...jobs, projector.rest(), replay.idle()]));
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
    resume();
    const { agent: who } = live.state();
    if (who && who.status !== "active" && who.status !== "paused") loops.giveUp();
    files.writeMissing();
    setup.look();
    keptHosts.look();
    insights.look();
    soulKeeper.look();
    alarm.tick();
  }

  /** The part of it that begins something. An agent that was opened before the runtime may begin anything does it when the runtime wakes. */
  function resume(): void {
    if (isResumed || options.still) return;
    isResumed = true;
    tidyPrograms();
    track(live.settle().catch(() => undefined)); // if it fails the agent is closed, and the runtime says so
    checkouts.recover();
    reflection.recover();
  }
}

/** How long an orderly end waits for tools and calls that do not hear their signal. */
const patience = 10_000;
/** How long it waits for a channel to say that it has taken what was sent, and for workspaces to be saved. */
const shortly = 3_000;
