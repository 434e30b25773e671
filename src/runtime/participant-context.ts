/**
 * Makes the context of a participant: what its loop sees of the agent, and what its tools may touch (ToolContext).
 *
 * A context is for one run. Once the next run has started it is empty and records nothing: names of participants, turns and nodes repeat
 * from run to run, so a loop that ends late would otherwise speak for somebody else.
 */
import { join } from "node:path";
import type { Backend } from "../backend/backend.ts";
import { accountsOf } from "../core/budget.ts";
import { driverFor, worksByFiles } from "../core/driver.ts";
import { modelOf } from "../core/lookup.ts";
import type { State } from "../core/state.ts";
import { isSingle } from "../core/worker.ts";
import type { Guard } from "../guard/guard.ts";
import type { Memories, OwnMemory } from "../guard/memory.ts";
import { agentPlace, workerPlace } from "../guard/memory-place.ts";
import { nodeRoot, programTag, runRoot } from "../home/layout.ts";
import type { Skills } from "../home/skills.ts";
import type { Redactor } from "../lib/redact.ts";
import type { World } from "../lib/world.ts";
import type { Delta, ParticipantContext } from "../loop/participant-context.ts";
import type { CommandInput } from "../schema/command.ts";
import type { PolicyRule, TaintPolicy } from "../schema/config.ts";
import { driverOf } from "../schema/driver.ts";
import type { Node } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import type { Thinker } from "../schema/worker.ts";
import type { Store } from "../store/store.ts";
import type { Written } from "../toolkit/memory.ts";
import { offered } from "../toolkit/offered.ts";
import type { Tool, ToolContext } from "../toolkit/tool.ts";
import type { Live, Step } from "./live.ts";
import { chooseDriver, chooseProgram } from "./program/choose.ts";
import { createCliBackend } from "./program/cli.ts";
import type { ProgramHost } from "./program/host.ts";
import type { Metering } from "./program/metering.ts";
import { native } from "./program/native-tools.ts";
import { createProgram, protocol } from "./program/program.ts";
import type { Edits } from "./workspace/edits.ts";
import { createWorkplace } from "./workspace/participant-files.ts";
import { type Manifest, publishFolder, sha256 } from "./workspace/publish.ts";

export interface ParticipantContextOptions {
  home: string;
  guard: Guard;
  hear(delta: Delta): void;
  policy: readonly PolicyRule[];
  taint?: TaintPolicy;
  redact: Redactor;
  live: Live;
  edits: Edits;
  world: World;
  store: Pick<Store, "putBlob" | "getBlob">;
  memories: Memories;
  tools: readonly Tool[];
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
  changed(signal: AbortSignal): Promise<void>;
  skills?: Skills | undefined;
  /** Why the folder that the agent was given may not be read; empty if it may. */
  withheld: string;
}

export function createParticipantContext(
  id: string,
  given: ParticipantContextOptions,
  signal: AbortSignal,
): ParticipantContext {
  const { world, tools, backend } = given;
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
    record(command) {
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
      if (driver.by === "command") return createProgram(id, driver.command, options);
      if (driver.by === "cli" || driver.by === "acp")
        return createCliBackend(id, driver, name, { ...options, redact: options.redact.text });
      return backend(name);
    },
    changed: options.changed,
    tools,
    toolContext: ({ key }) => createToolContext(id, key, options, signal),
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

/** Of the turns on this node, or of all if there is none; as far as they are still in the conversation. */
function callsOn(one: Thinker, node: Node | undefined): number {
  const first = node ? one.turns - node.turns + 1 : 1;
  return one.conversation.filter((line) => line.role === "tool" && Number(line.turn.split(".").at(-1)) >= first).length;
}

/** The event that gave it the node, if its conversation still has it. */
function given({ conversation }: Thinker, node: Node | undefined): number | undefined {
  const mail = conversation.flatMap((line) => (line.role === "inbox" ? line.entries : []));
  return node && mail.findLast(({ kind, text }) => kind === "assigned" && text.startsWith(`${node.id}: `))?.seq;
}

const isStep = (command: CommandInput): command is Step =>
  command.type === "turn.start" || command.type === "turn.end" || command.type === "tool.start";

/** The tools this participant may use. */
export function toolsOf(state: State, one: Thinker, tools: readonly Tool[]): readonly Tool[] {
  if (isSingle(one)) return [];
  const { by } = driverFor(state, one);
  // What it leaves behind is handed on by these; everything else it does itself.
  if (by === "command") return tools.filter(({ name }) => handsOn(name));
  const granted = grantedTo(one, tools);
  return by === "cli" || by === "acp" ? granted.filter(({ name }) => !native.has(name)) : granted;
}

const handsOn = (tool: string): boolean => tool === "publish" || tool === "checkpoint";

/** What it may call by itself, from outside its loop: a program does, as far as a worker like it could. */
export const ownToolsOf = (state: State, one: Thinker, tools: readonly Tool[]): readonly Tool[] =>
  worksByFiles(state, one) ? grantedTo(one, tools).filter(({ name }) => !handsOn(name)) : toolsOf(state, one, tools);

function grantedTo(one: Thinker, tools: readonly Tool[]): readonly Tool[] {
  const role = one.kind === "coordinator" ? "coordinator" : "worker";
  const granted = "tools" in one ? one.tools : undefined;
  return tools.filter(
    (tool) =>
      (!tool.only || tool.only === role) &&
      (!tool.workers || tool.workers.includes(one.id) || tool.workers.includes(one.name)) &&
      (!granted || granted.includes(tool.name)),
  );
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

function createToolContext(
  id: string,
  key: string,
  options: ParticipantContextOptions,
  signal: AbortSignal,
): ToolContext {
  const { home, live, world, edits, store, all, skills, withheld } = options;
  const { agent, state } = live;
  const one = state().participants.get(id) as Thinker;
  const run = state().run!.id;
  const root = one.node ? nodeRoot(home, agent, run, one.node) : runRoot(home, agent, run);
  const place = createWorkplace({ home, agent, run, me: one, state, world, skills, withheld });

  /** Who is told of a file finds it. */
  async function read(path: string, most?: number): Promise<Buffer> {
    if (/(^(_messages|_resources)\/|\/failure_notes\.md$)/.test(path)) await options.written();
    return place.files.read(path, most);
  }

  const publish: ToolContext["publish"] = async (summary, partial, limit) => {
    // A crash hid the result: the node is no longer held, and was published all the same.
    if (state().keys.has(key)) return "Published before.";
    const { node } = one;
    if (!node && one.kind !== "coordinator")
      throw new Problem("wrong_state", `${one.name} has no node; there is nothing to publish`);
    if (node && state().nodes.get(node)?.status !== "running") {
      throw new Problem(
        "wrong_state",
        `${node} is ${state().nodes.get(node)?.status}; only a running node can be published`,
      );
    }
    if (!node && state().run?.status !== "open")
      throw new Problem("wrong_state", `${run} is already ${state().run?.status}; its answer cannot change`);
    await edits.notice(node); // not the other specs: that would cost as much as there are nodes
    const before = node ? 0 : state().run!.answers;
    const name = before ? `published-${before + 1}` : "published";
    const files = await publishFolder(
      world,
      root,
      name,
      about(node),
      worksByFiles(state(), one) ? protocol : undefined,
    );
    await world.point?.("publish.ready");
    if (node) {
      const how = { partial, ...(limit ? { limit } : {}) };
      await live.dispatch({ type: "node.publish", node, summary, ...how, files }, { actor: id, key });
      return `Published ${files.map((file) => file.path).join(", ") || "no files"}.`;
    }
    await writeAnswer(before, summary);
    await live.dispatch({ type: "run.finish", summary }, { actor: id, key });
    return "The run is finished; the answer is in _output.md.";
  };

  /** An answer that was given stays as it is; a later one of the same run takes its name and leaves it a number. */
  async function writeAnswer(before: number, summary: string): Promise<void> {
    const [answer, kept] = [join(root, "_output.md"), join(root, `_output-${before}.md`)];
    const { files } = world;
    if (before && !(await files.stat(kept)) && (await files.stat(answer))) await files.move(answer, kept);
    await files.write(answer, `${summary}\n`);
  }

  function about(node: string | undefined): Omit<Manifest, "files"> {
    const { nodes, accounts, seq, run, agent } = state();
    const held = node ? nodes.get(node) : undefined;
    const inputs = (held?.depends_on ?? []).map((ref) => {
      const source = nodes.get(ref);
      return { ref, sha256: sha256(JSON.stringify(source?.status === "completed" ? source.files : [])) };
    });
    const account = accounts.get(node ? accountsOf(id, node, "").at(-1)! : "run");
    return {
      node: node ?? run!.id,
      worker: id,
      model: modelOf(state(), one) ?? agent?.model ?? null,
      inputs,
      tool_calls: callsOn(one, held),
      cost: account?.spent ?? { usd: 0, tokens: 0 },
      events: [given(one, held) ?? run!.first_seq, seq],
      published_at: new Date(world.clock.now()).toISOString(),
    };
  }

  return {
    me: id,
    node: one.node,
    key,
    now: world.clock.now(),
    signal,
    state,
    get tools() {
      return offered(all, state().agent?.tools)
        .filter((tool) => tool.only !== "coordinator")
        .map((tool) => tool.name);
    },
    driver: (name, program) =>
      program
        ? chooseProgram(name, options.allowed ?? {}, state().agent?.model)
        : chooseDriver(name ?? "", options.allowed ?? {}, state().agent?.model),
    blobs: {
      put: (content) => store.putBlob(agent, Buffer.from(content)),
      get: async (sha256) => (await store.getBlob(agent, sha256))?.toString() ?? null,
    },
    dispatch: (command, nth = 0) => live.dispatch(command, { actor: id, key: nth ? `${key}/${nth}` : key }),
    write: place.files.write,
    files: { ...place.files, read },
    run: (command, seconds, sandbox) =>
      place.run(command, { seconds, sandbox, tag: `${programTag(home)}${key}`, signal }),
    memory: recorded(memoryOf(id, options)),
    publish,
  };

  /** What is written is told to the log, once; a write that a crash cut off before it was told is told when it is repeated. */
  function recorded(memory: OwnMemory): ToolContext["memory"] {
    const tell = async (written: Written): Promise<Written> => {
      const { path, outcome } = written;
      const now = state().participants.get(id) as Thinker | undefined;
      if (outcome !== "unchanged" || now?.turn?.resumed) {
        const what = { participant: id, path, outcome: outcome === "unchanged" ? ("replaced" as const) : outcome };
        const mine = `${key}/memory`;
        if (!state().keys.has(mine)) await live.dispatch({ type: "memory.record", ...what }, { actor: id, key: mine });
      }
      return written;
    };
    return {
      ...memory,
      write: async (path, content) => tell(await memory.write(path, content)),
      edit: async (path, change) => tell(await memory.edit(path, change)),
    };
  }
}
