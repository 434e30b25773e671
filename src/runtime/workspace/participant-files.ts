/**
 * Where a participant works: its files by their scopes (toolkit/scope.ts), and programs in its scratch.
 *
 * A program is given PATH, HOME, TMPDIR and LANG and nothing else of ours. In a sandbox it writes only scratch and reads only its node's folder
 * (and that of the node it stands in for), what the run has published, the plan, the documents, the resources and the folder that the agent was given.
 */
import { join } from "node:path";
import type { State } from "../../core/state.ts";
import { agentRoot, nodeRoot, runRoot } from "../../home/layout.ts";
import type { Skills } from "../../home/skills.ts";
import { anySignal } from "../../lib/abort.ts";
import type { Exit, Sandbox, World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import { createScope, type Scope, type ScopeOptions } from "../../toolkit/scope.ts";

export interface Workplace {
  files: Scope;
  /** Its folder, and what it may read besides. */
  place(): Promise<{ folder: string } & Pick<Sandbox, "read" | "project">>;
  run(command: [file: string, ...args: string[]], options: RunOptions): Promise<Exit & { late: boolean }>;
}

export interface RunOptions {
  seconds: number | undefined;
  sandbox: { hosts: string[] } | undefined;
  tag: string;
  signal: AbortSignal;
}

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
}

export function createWorkplace(options: WorkplaceOptions): Workplace {
  const { home, agent, run, me, state, world, skills, withheld } = options;
  const root = runRoot(home, agent, run);
  const within = world.files.within(root);
  const folder = withheld ? undefined : state().agent?.folder;
  const files = createScope({
    me,
    state,
    run: within,
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

  /** Its folder, which is there then and is no link. */
  async function scratch(): Promise<string> {
    if (!me.node && me.kind !== "coordinator")
      throw new Problem("wrong_state", `${me.name} has no node, so it has no scratch folder to run anything in`);
    const path = me.node ? `nodes/${me.node}/scratch` : "scratch";
    await within.makeDir(path);
    return join(root, path);
  }

  function sandboxOf(own: string, hosts: string[]): Sandbox {
    const published = [...state().nodes.values()].filter((node) => node.status === "completed");
    const read = published.map((node) => join(nodeRoot(home, agent, run, node.id), "published"));
    const instead = me.node ? state().nodes.get(me.node)?.retry_of : undefined;
    if (instead) read.unshift(nodeRoot(home, agent, run, instead));
    if (me.node) read.unshift(nodeRoot(home, agent, run, me.node));
    return {
      write: [own],
      read: [join(root, "_plan.md"), join(root, "documents"), join(root, "resources"), ...read],
      ...(folder !== undefined && { project: folder }),
      hosts,
    };
  }

  return {
    files,
    async place() {
      const own = await scratch();
      const { read, project } = sandboxOf(own, []);
      return { folder: own, read, ...(project === undefined ? {} : { project }) };
    },
    async run(command, { seconds = 120, sandbox, tag, signal }) {
      const own = await scratch();
      const missing = sandbox && (await world.processes.sandbox(sandbox.hosts.length > 0));
      if (missing)
        throw new Problem(
          "not_offered",
          `Nothing was run: it needs a sandbox, and ${missing}. Tell the human; only the human can turn the sandbox off: sandbox: { bash: "off" } in config.yaml.`,
        );
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: own, TMPDIR: "/tmp", LANG: "C.UTF-8" };
      const late = new AbortController();
      const cancel = world.clock.after(seconds * 1000, () => late.abort(`it took longer than ${seconds} s`));
      const stop = anySignal(signal, late.signal);
      const program = { command, tag, folder: own, env, signal: stop.signal, output: 10_000, alone: true };
      try {
        const exit = await world.processes.run(
          sandbox ? { ...program, sandbox: sandboxOf(own, sandbox.hosts) } : program,
        );
        return { ...exit, late: late.signal.aborted };
      } finally {
        cancel();
        stop.release();
      }
    },
  };
}
