/**
 * Makes the context of a participant: what its loop sees of the agent, and what its tools may touch (ToolContext).
 *
 * A context is for one run. Once the next run has started it is empty and records nothing: names of participants, turns and nodes repeat
 * from run to run, so a loop that ends late would otherwise speak for somebody else.
 */
import type { Backend } from "../../backend/backend.ts";
import type { State } from "../../core/state.ts";
import { lineage } from "../../core/team/sub-worker.ts";
import { isSingle } from "../../core/team/worker.ts";
import { driverFor, worksByFiles } from "../../core/turn/driver.ts";
import { foreignSources } from "../../core/turn/taint.ts";
import type { Guard } from "../../guard/guard.ts";
import type { Memories, OwnMemory } from "../../guard/memory.ts";
import { type Held, holdMemory } from "../../guard/memory-held.ts";
import { markMemory } from "../../guard/memory-marked.ts";
import { agentPlace, heldPlace, nameOf as noteName, workerPlace } from "../../guard/memory-place.ts";
import { nodeRoot, programTag, runRoot } from "../../home/layout.ts";
import type { Skills } from "../../home/skills.ts";
import type { Redactor } from "../../lib/text/redact.ts";
import { shortenMiddle } from "../../lib/text/text.ts";
import type { World } from "../../lib/world.ts";
import type { Delta, ParticipantContext } from "../../loop/participant-context.ts";
import type { CommandInput } from "../../schema/command.ts";
import type { TaintPolicy } from "../../schema/config.ts";
import { driverOf } from "../../schema/driver.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import { Problem } from "../../schema/problem.ts";
import { discovery } from "../../schema/tool.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Store } from "../../store/store.ts";
import type { ConsultAnswer, ConsultWish } from "../../toolkit/consult.ts";
import type { TeamCall } from "../../toolkit/in-team.ts";
import type { Written } from "../../toolkit/memory.ts";
import { isUseful, offered } from "../../toolkit/offered.ts";
import type { ConversationSearch, Result, Tool, ToolContext } from "../../toolkit/tool.ts";
import { createAuthor } from "../check/author.ts";
import type { Checkouts } from "../checkout/checkouts.ts";
import type { Live, Step } from "../live.ts";
import type { Insights } from "../memory/insights.ts";
import { createHostGate, type HostGate, type NetworkRules } from "../network/host-gate.ts";
import { chooseDriver, chooseProgram } from "../program/choose.ts";
import { createCliBackend } from "../program/cli.ts";
import type { ProgramHomes } from "../program/homes.ts";
import type { ProgramHost } from "../program/host.ts";
import type { Metering } from "../program/metering.ts";
import { native } from "../program/native-tools.ts";
import { createProgram } from "../program/program.ts";
import type { ReadChannel } from "../projection/channel-pages.ts";
import type { Edits } from "../workspace/edits.ts";
import { createWorkplace, type Workplace } from "../workspace/participant-files.ts";
import { createPublisher } from "../workspace/publish-node.ts";

export interface ParticipantContextOptions {
  home: string;
  guard: Guard;
  hear(delta: Delta): void;
  policy: readonly PolicyRule[];
  taint?: TaintPolicy;
  /** What commands in a sandbox may reach; nothing if missing. */
  network?: NetworkRules | undefined;
  redact: Redactor;
  live: Live;
  edits: Edits;
  world: World;
  store: Pick<Store, "putBlob" | "getBlob">;
  memories: Memories;
  /** As they are offered now. */
  tools(): readonly Tool[];
  /** What was decided so far is in the files that are made from the log. */
  written(): Promise<void>;
  /** The tools of the house, for everyone. */
  all: readonly Tool[];
  backend(model: string): Backend;
  /** Agent CLIs; none can be run if missing. */
  programs?: ProgramHost | undefined;
  /** The programs that models may choose, by name. */
  allowed?: Readonly<Record<string, string>> | undefined;
  metering: Metering;
  programHomes: Pick<ProgramHomes, "add">;
  changed(signal: AbortSignal): Promise<void>;
  /** Messages of a run, from the whole log. */
  readChannel: ReadChannel;
  /** All that was said to a participant or by it. */
  searchConversation(participant: string, ...wish: Parameters<ConversationSearch>): ReturnType<ConversationSearch>;
  /** Whether there is an agent of this name. */
  exists(agent: string): Promise<boolean>;
  /** Takes an insight into the agent's memory. */
  insights: Pick<Insights, "accept">;
  /** What another agent tells from its shared notes. */
  consult(agent: string, wish: ConsultWish): Promise<ConsultAnswer>;
  /** Calls a tool in the team of another agent. */
  callInTeam(team: string, call: TeamCall): Promise<Result>;
  skills?: Skills | undefined;
  /** Why the folder that the agent was given may not be read; empty if it may. */
  withheld: string;
  checkouts: Checkouts;
}

export function createParticipantContext(
  id: string,
  given: ParticipantContextOptions,
  signal: AbortSignal,
): ParticipantContext {
  const { world, backend } = given;
  const live = inThisRun(given.live);
  const options = { ...given, live };
  const run = live.state().run?.id;
  const me = (): Thinker | undefined => {
    const one = live.state().run?.id === run ? live.state().participants.get(id) : undefined;
    return one && one.kind !== "human" ? one : undefined;
  };
  return {
    world,
    signal,
    closed: () => live.signal.aborted,
    me,
    state: live.state,
    open: () => live.state().agent?.status === "active" && live.state().run?.status === "open",
    record(given) {
      const touched = given.type === "tool.end" && options.checkouts.wasTouched(id);
      const command: CommandInput = touched ? { ...given, touched } : given;
      const recorded = isStep(command) ? live.step(command, id) : live.dispatch(command, { actor: id });
      recorded.catch(() => undefined);
    },
    durable: live.durable,
    async refresh() {
      await options.edits.notice(me()?.node ?? "none");
      await options.guard.load();
    },
    guard: options.guard,
    policy: options.policy,
    ...(options.taint ? { taint: options.taint } : {}),
    redact: options.redact,
    hear: options.hear,
    backend(model) {
      const name = model ?? live.state().agent?.model ?? "";
      const driver = driverOf(name);
      const forProgram = { ...options, redact: options.redact.text };
      if (driver.by === "command") return createProgram(id, driver.command, forProgram);
      if (driver.by === "cli" || driver.by === "acp") return createCliBackend(id, driver, name, forProgram);
      return backend(name);
    },
    changed: options.changed,
    get tools() {
      return given.tools();
    },
    toolContext: (call) => createToolContext(id, call, options, signal),
  };
}

/** The agent as it takes commands for its present run only. */
function inThisRun(live: Live): Live {
  const run = live.state().run?.id;
  const assertPresent = () => {
    const now = live.state().run?.id;
    if (now !== run) throw new Problem("stale", `${run} of ${live.agent} is over; ${now} has started`);
  };
  return {
    ...live,
    dispatch(command, options) {
      assertPresent();
      return live.dispatch(command, options);
    },
    step(command, actor) {
      assertPresent();
      return live.step(command, actor);
    },
  };
}

const isStep = (command: CommandInput): command is Step =>
  command.type === "turn.start" || command.type === "turn.end" || command.type === "tool.start";

/** The tools this participant may use. */
export function toolsOf(state: State, one: Thinker, tools: readonly Tool[]): readonly Tool[] {
  if (isSingle(one)) return [];
  const { by } = driverFor(state, one);
  // What it leaves behind is handed on by these; everything else it does itself.
  const granted = grantedTo(state, one, tools);
  if (by === "command") return tools.filter((tool) => handsOn(tool.name) && (!tool.only || granted.includes(tool)));
  return by === "cli" || by === "acp" ? granted.filter(({ name }) => !native.has(name) && !isIndirect(name)) : granted;
}

/** A program is listed all of its tools, and has a search of its own for them. */
const isIndirect = (tool: string): boolean => tool === discovery.find || tool === discovery.use;

const handsOn = (tool: string): boolean => ["publish", "checkpoint", "finish"].includes(tool);

/** What it may call by itself, from outside its loop: a program does, as far as a worker like it could. */
export const ownToolsOf = (state: State, one: Thinker, tools: readonly Tool[]): readonly Tool[] =>
  worksByFiles(state, one)
    ? grantedTo(state, one, tools).filter(({ name }) => !handsOn(name) && !isIndirect(name))
    : toolsOf(state, one, tools);

/** A sub-worker is granted nothing that its spawner is not. */
function grantedTo(state: State, one: Thinker, tools: readonly Tool[]): readonly Tool[] {
  const role = one.kind === "coordinator" ? "coordinator" : "worker";
  const allows = (tool: Tool, each: Thinker): boolean =>
    (!tool.workers || tool.workers.includes(each.id) || tool.workers.includes(each.name)) &&
    (!("tools" in each) || !each.tools || each.tools.includes(tool.name));
  const line = lineage(state, one);
  return tools.filter(
    (tool) => isUseful(state, tool) && (!tool.only || tool.only === role) && line.every((each) => allows(tool, each)),
  );
}

/** Versions up to this length are kept for the note's history. */
const mostKept = 100_000;

/** What happens to what it writes into its memory: nothing special unless it is the agent's, and the run has read what strangers or other agents wrote. */
export function treatmentOf(state: State, taint: TaintPolicy | undefined, id: string): "mark" | "hold" | undefined {
  if (state.participants.get(id)?.kind !== "coordinator" || foreignSources(state) === "") return undefined;
  return taint?.memory === "mark" || taint?.memory === "hold" ? taint.memory : undefined;
}

/** The agent's for its coordinator, a worker's own for a worker. */
export function memoryOf(
  id: string,
  { home, live, memories }: Pick<ParticipantContextOptions, "home" | "live" | "memories">,
): OwnMemory {
  const { participants, run } = live.state();
  const coordinator = participants.get(id)?.kind === "coordinator";
  return memories.of(coordinator ? agentPlace(home, live.agent) : workerPlace(home, live.agent, run!.id, id));
}

/** Every call gets one, and most tools use little of it: what is costly is made when it is asked for, for the run and the node of the call. */
function createToolContext(
  id: string,
  { key, room }: { key: string; room?: number | undefined },
  options: ParticipantContextOptions,
  signal: AbortSignal,
): ToolContext {
  const { home, live, world, edits, store, all, skills, withheld, checkouts } = options;
  const { agent, state } = live;
  const one = state().participants.get(id) as Thinker;
  const run = state().run!.id;
  const ownMemory = memoryOf(id, options);
  let made: Workplace | undefined;
  const place = (): Workplace => {
    made ??= createWorkplace({ home, agent, run, me: one, state, world, skills, withheld, checkouts });
    return made;
  };

  /** Who is told of a file finds it. */
  async function read(path: string, most?: number): Promise<Buffer> {
    if (/(^(_messages|_resources)\/|\/failure_notes\.md$)/.test(path)) await options.written();
    return place().files.read(path, most);
  }

  const blobs: ToolContext["blobs"] = {
    put: (content) => store.putBlob(agent, Buffer.from(content)),
    get: async (sha256) => (await store.getBlob(agent, sha256))?.toString() ?? null,
  };
  /** In its scratch, unless another folder is named. */
  async function runIn(
    where: { folder?: string; output?: number },
    ...[command, seconds, sandbox]: Parameters<ToolContext["run"]>
  ): ReturnType<ToolContext["run"]> {
    let gate: HostGate | undefined;
    const how = sandbox && {
      hosts: [],
      gate(waits: () => () => void) {
        const wish = { participant: id, now: () => ({ call: key, text: sandbox.text }), waits };
        gate = createHostGate({ ...options, redact: options.redact.text }, wish);
        return gate;
      },
    };
    const tag = `${programTag(home)}${key}`;
    const exit = await place().run(command, { seconds, sandbox: how, tag, signal, ...where });
    return { ...exit, reach: { opened: gate?.opened() ?? [], refused: gate?.refused() ?? [] } };
  }

  const context: ToolContext = {
    me: id,
    node: one.node,
    key,
    room,
    now: world.clock.now(),
    signal,
    state,
    hasAgent: options.exists,
    channel: (wish) => options.readChannel({ ...wish, run }),
    granted: () => ownToolsOf(state(), one, offered(all, state().agent?.tools)),
    conversation: (wish) => options.searchConversation(id, wish),
    get tools() {
      return offered(all, state().agent?.tools)
        .filter((tool) => tool.only !== "coordinator")
        .map((tool) => tool.name);
    },
    driver: (name, program) =>
      program
        ? chooseProgram(name, options.allowed ?? {}, state().agent?.model)
        : chooseDriver(name ?? "", options.allowed ?? {}, state().agent?.model),
    blobs,
    dispatch: (command, nth = 0) => live.dispatch(command, { actor: id, key: nth ? `${key}/${nth}` : key }),
    write: (...given) => place().files.write(...given),
    get files() {
      return { ...place().files, read };
    },
    run: (...given) => runIn({}, ...given),
    get memory() {
      const treatment = treatmentOf(state(), options.taint, id);
      if (!treatment) return recorded(ownMemory);
      const held = holdMemory(ownMemory, options.memories.of(heldPlace(home, agent, run)), hold);
      const origin = foreignSources(state());
      const nameOf = (path: string) => noteName(agentPlace(home, agent), path);
      return treatment === "hold"
        ? held
        : markMemory({ own: ownMemory, held, origin, nameOf, tell: (written) => tell(written, origin) });
    },
    accept: (insight) => options.insights.accept(insight, id),
    consult: options.consult,
    callInTeam: options.callInTeam,
    merge: (node, message) => checkouts.merge(node, id, message),
    publish: (...given) => publisher()(...given),
  };
  return context;

  function publisher(): ToolContext["publish"] {
    const root = one.node ? nodeRoot(home, agent, run, one.node) : runRoot(home, agent, run);
    const { policy, taint, redact, backend } = options;
    const me = () => state().participants.get(id) as Thinker | undefined;
    const tools = offered(all, state().agent?.tools);
    const rules = { policy, ...(taint ? { taint } : {}) };
    const granted = (each: Thinker) => toolsOf(state(), each, tools);
    const author = createAuthor({ me, state, ...rules, world, root, tools, granted, runIn, context });
    const about = { live, world, edits, checkouts, signal, redact, author, backend, put: blobs.put };
    return createPublisher(key, { ...about, one, run, root });
  }

  function isResumed(): boolean {
    return Boolean((state().participants.get(id) as Thinker | undefined)?.turn?.resumed);
  }

  /** A note of a run that has read what strangers wrote is proposed, once for each version. */
  async function hold({ path, outcome, content, base }: Held): Promise<void> {
    if (outcome === "unchanged" && !isResumed()) return;
    const file = { path, sha256: await blobs.put(content), base };
    const text = shortenMiddle(content, 2_000) || "(empty)";
    const mine = `${key}/memory`;
    const proposed = { type: "insight.propose" as const, by: id, run, subject: path.slice(-200), text, file };
    if (state().keys.has(mine)) return;
    try {
      await live.dispatch(proposed, { actor: id, key: mine });
    } catch (problem) {
      // Too many wait already: the run has its note all the same.
      if (!(problem instanceof Problem && problem.code === "limit_reached")) throw problem;
    }
  }

  /** What is written is told to the log, once; a write that a crash cut off before it was told is told when it is repeated. */
  async function tell(written: Written, origin?: string): Promise<Written> {
    const { path, outcome, text } = written;
    if (outcome !== "unchanged" || isResumed()) {
      const isAgents =
        text !== undefined && text.length <= mostKept && state().participants.get(id)?.kind === "coordinator";
      const version = isAgents ? { sha256: await blobs.put(text) } : {};
      const what = {
        participant: id,
        path,
        outcome: outcome === "unchanged" ? ("replaced" as const) : outcome,
        ...version,
        ...(origin === undefined ? {} : { origin }),
      };
      const mine = `${key}/memory`;
      if (!state().keys.has(mine)) await live.dispatch({ type: "memory.record", ...what }, { actor: id, key: mine });
    }
    return written;
  }

  function recorded(memory: OwnMemory): ToolContext["memory"] {
    return {
      ...memory,
      write: async (path, content) => tell(await memory.write(path, content)),
      edit: async (path, change) => tell(await memory.edit(path, change)),
    };
  }
}
