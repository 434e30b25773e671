/**
 * Where a participant works: its files by their scopes (toolkit/scope.ts), and programs in its scratch.
 *
 * A program is given PATH, HOME, TMPDIR, LANG and where caches are, and nothing else of ours. In a sandbox it writes only scratch and reads only its node's folder
 * (and that of the node it stands in for), what the run has published, the plan, the documents, the resources and the folder that the agent was given.
 */
import { join } from "node:path";
import { ownWorkspace } from "../../core/file/workspace.ts";
import { hostPatienceSeconds } from "../../core/human/host.ts";
import type { State } from "../../core/state.ts";
import { agentRoot, nodeRoot, repositoryRoot, runRoot, workerRoot } from "../../home/layout.ts";
import type { Skills } from "../../home/skills.ts";
import { anySignal } from "../../lib/time/abort.ts";
import { createCountdown } from "../../lib/time/countdown.ts";
import type { Exit, Sandbox, World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import { createScope, type Scope, type ScopeOptions, scratchOf } from "../../toolkit/scope.ts";
import type { Checkouts } from "../checkout/checkouts.ts";
import type { HostGate } from "../network/host-gate.ts";
import { cacheEnv } from "./caches.ts";

export interface Workplace {
  files: Scope;
  /** Its folder, and what it may read besides. A program works there until `over` is called. */
  place(): Promise<{ folder: string; over(): void } & Pick<Sandbox, "read" | "projects">>;
  run(command: [file: string, ...args: string[]], options: RunOptions): Promise<Ran>;
}

/** `late`: it took longer than it may. `offline`: why it had no network, if it should have had one. */
export type Ran = Exit & { late: boolean; offline?: string };

export interface RunOptions {
  seconds: number | undefined;
  sandbox: { hosts: string[]; programs?: string[]; gate?(waits: () => () => void): HostGate } | undefined;
  /** Its PATH; that of the system if missing. */
  path?: string;
  tag: string;
  signal: AbortSignal;
  /** Instead of its scratch; it is there. */
  folder?: string;
  /** Characters of output that are kept. */
  output?: number;
}

/** Its folder; a home for programs, where that is not the same; and what it reads of the user's besides the folder that was given. */
interface Desk {
  own: string;
  homes: string[];
  alsoRead: readonly string[];
}

const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** Time in which a command waits for the human does not count, up to so much. */
const mostHeldMs = 2 * hostPatienceSeconds * 1000;

export interface WorkplaceOptions {
  home: string;
  agent: string;
  run: string;
  me: Thinker;
  state(): State;
  world: World;
  skills?: Skills | undefined;
  /** Why the folder that the agent was given may not be read; empty if it may. */
  withheld: string;
  checkouts: Checkouts;
}

export function createWorkplace(options: WorkplaceOptions): Workplace {
  const { home, agent, run, me, state, world, skills, withheld, checkouts } = options;
  const root = runRoot(home, agent, run);
  const within = world.files.within(root);
  const folder = withheld ? undefined : state().agent?.folder;
  const files = createScope({
    me,
    state,
    run: within,
    prepare: () => checkouts.ready(me),
    recall: checkouts.recall,
    written: () => checkouts.touched(me),
    home: world.files.within(agentRoot(home, agent)),
    ...(folder !== undefined && { project: world.files.within(folder) }),
    ...(skills && { skills: readable(skills) }),
  });

  /** Looked at anew each time: what was changed meanwhile is not read. */
  function readable(all: Skills): NonNullable<ScopeOptions["skills"]> {
    return {
      names: async () => (await all.of(agent)).skills.map(({ name }) => name),
      async folder(name) {
        const known = await all.find(agent, name);
        return known && world.files.within(known.folder);
      },
    };
  }

  /** The node that its node retries. */
  const insteadOf = (): string | undefined => (me.node ? state().nodes.get(me.node)?.retry_of : undefined);

  /** Its folder is there then, and is no link. */
  async function scratch(): Promise<Desk> {
    const path = scratchOf(me);
    const isCheckout = await checkouts.ready(me);
    // Its programs read these, too (sandboxOf).
    for (const id of [insteadOf(), ownWorkspace(state(), me)]) if (id !== undefined) await checkouts.recall(id);
    await within.makeDir(path);
    if (!isCheckout) return { own: join(root, path), homes: [], alsoRead: [] };
    // What programs leave at home (caches, histories) is not part of the user's files.
    const beside = me.node ? `nodes/${me.node}/home` : "home";
    await within.makeDir(beside);
    return { own: join(root, path), homes: [join(root, beside)], alsoRead: await checkouts.alsoRead() };
  }

  function sandboxOf(
    { own, homes, alsoRead }: Desk,
    { hosts, programs }: Pick<Sandbox, "hosts" | "programs">,
    gate?: HostGate,
  ): Sandbox {
    const published = [...state().nodes.values()].filter((node) => node.status === "completed");
    const read = published.map((node) => join(nodeRoot(home, agent, run, node.id), "published"));
    const instead = insteadOf();
    if (instead) read.unshift(nodeRoot(home, agent, run, instead));
    if (me.node) read.unshift(nodeRoot(home, agent, run, me.node));
    // What it made before it had a node.
    if (me.node && me.kind !== "coordinator") read.push(join(workerRoot(home, agent, run, me.id), "scratch"));
    if (homes.length) read.push(join(repositoryRoot(home, agent), "objects"));
    return {
      write: [own, ...homes],
      read: [join(root, "_plan.md"), join(root, "documents"), join(root, "resources"), ...read],
      ...(folder !== undefined && { projects: [folder, ...alsoRead] }),
      hosts,
      ...(programs && { programs }),
      ...(gate?.admit && { admit: gate.admit, unreached: gate.unreached }),
    };
  }

  return {
    files,
    async place() {
      const desk = await scratch();
      checkouts.touched(me);
      const { read, projects } = sandboxOf(desk, { hosts: [] });
      return { folder: desk.own, over: checkouts.working(me), read, ...(projects && { projects }) };
    },
    async run(command, { seconds = 120, sandbox, path = systemPath, tag, signal, folder, output = 10_000 }) {
      const desk = await scratch();
      const own = folder ?? desk.own;
      const [atHome = own] = desk.homes;
      const missing = sandbox && (await world.processes.sandbox(sandbox.hosts.length > 0));
      if (missing)
        throw new Problem(
          "not_offered",
          `Nothing was run: it needs a sandbox, and ${missing}. Tell the human; only the human can turn the sandbox off: sandbox: { bash: "off" } in config.yaml.`,
        );
      const env = {
        PATH: path,
        HOME: atHome,
        TMPDIR: "/tmp",
        LANG: "C.UTF-8",
        ...cacheEnv(atHome),
      };
      const late = new AbortController();
      const countdown = createCountdown(world.clock, seconds * 1000, mostHeldMs, () =>
        late.abort(`it took longer than ${seconds} s`),
      );
      const gate = sandbox?.gate?.(countdown.hold);
      const offline = gate?.admit && (await world.processes.sandbox(true));
      const stop = anySignal(signal, late.signal);
      const program = { command, tag, folder: own, env, signal: stop.signal, output, alone: true };
      const over = checkouts.working(me);
      try {
        const exit = await world.processes.run(
          sandbox ? { ...program, sandbox: sandboxOf({ ...desk, own }, sandbox, gate) } : program,
        );
        return { ...exit, late: late.signal.aborted, ...(offline && { offline }) };
      } finally {
        countdown.cancel();
        stop.release();
        over();
      }
    },
  };
}
