/** One host of the simulation: boots the real runtime in an incarnation, loses it in a crash, boots it again. */
import { defaultLimits, type Limits } from "../src/core/limits.ts";
import { claudeCode } from "../src/driver/clis/claude-code.ts";
import type { Engine } from "../src/engine/engine.ts";
import { openHome } from "../src/home/lock.ts";
import type { ProgramHost } from "../src/runtime/program/host.ts";
import { createRuntime, type Runtime } from "../src/runtime/runtime.ts";
import { type Index, openIndex } from "../src/search/search.ts";
import { createFilesStore } from "../src/store/file-store.ts";
import type { Store } from "../src/store/store.ts";
import { createBash } from "../src/tool/bash.ts";
import { tools } from "../src/tool/index.ts";
import { cliFile } from "./cli/process.ts";
import type { SimDisk } from "./disk.ts";
import { createDoor, type Door } from "./door.ts";
import { cliModel, createModel } from "./model.ts";
import { createPost } from "./post.ts";
import { agentCommand } from "./processes.ts";
import type { Setup } from "./setup.ts";
import { simTools } from "./tools.ts";
import type { Witness } from "./witness.ts";
import type { Ending, Incarnation, SimWorld } from "./world.ts";

export const home = "/home";
const bash = createBash({ sandbox: { bash: "required", network: [], other_hosts: "ask" } });
/** What an orderly end may take. */
const stopMs = 30_000;

export const limits = (setup: Setup): Limits => ({
  ...defaultLimits,
  turns_per_node: 5,
  seconds_per_node: 30,
  turns_alone: 8,
  nodes_per_run: 5,
  node_retries: 1,
  live_nodes: 4,
  workers_per_run: 3,
  agent_hops: 6,
  concurrency: setup.concurrency,
});

/** The agents in whose teams this one takes part. */
const teamsOf = (agent: string, { guests }: Setup): string[] =>
  agent === "a1" ? Array.from({ length: guests }, (_, at) => `a${at + 2}`) : [];

/** Agent CLIs as the daemon would find them: one with its own login, or on our gateway. */
const programHost = ({ gateway }: NonNullable<Setup["cli"]>): ProgramHost => ({
  prepare: async (driver) => ({
    cli: claudeCode,
    launch: {
      model: driver.by === "cli" ? driver.model : undefined,
      file: cliFile,
      path: "/usr/bin",
      mcp: { name: "agiraph", url: "http://127.0.0.1:1/mcp", secret: "secret-of-mcp" },
      ...(gateway ? { gateway: { url: "http://127.0.0.1:1/gateway", token: "secret-token" } } : {}),
    },
    sandbox: { programs: [], ports: [], hosts: [] },
  }),
});

/** A process that has come up. */
export interface Up {
  runtime: Runtime;
  world: Incarnation;
  /** The daemon's routes, where they are served. */
  door?: Door;
  /** Its orderly end has begun: nobody is started any more. */
  stopping?: boolean;
}

/** What a process stands on: who keeps the logs, and who says what it owns. */
export interface Ground {
  disk: SimDisk;
  /** How far the host's wall clock is off. */
  skew: number;
  store(world: Incarnation): Store;
  engine(world: Incarnation): Engine;
  /** The process is gone. */
  died(): void;
}

export interface Host {
  readonly disk: SimDisk;
  up(): Up | undefined;
  /** Up, or coming up. */
  life(): Incarnation | undefined;
  boot(): void;
  crash(how?: Ending): void;
  /** Ends the process in an orderly way, and boots it again after `ms`. Nothing happens if it is not up. */
  stop(ms: number): void;
  index(): Index | undefined;
}

export function createHost(sim: SimWorld, setup: Setup, witness: Witness, ground: Ground): Host {
  const dice = sim.random.fork("host");
  let life: Incarnation | undefined;
  let running: Up | undefined;
  /** The derived index is in memory and may survive a crash or not, or come back older: it must not matter. */
  let index: Index | undefined;

  async function start(world: Incarnation): Promise<void> {
    const engine = ground.engine(world);
    if (setup.cli) ground.disk.put(cliFile, "");
    await openHome({ path: home, files: world.files, clock: world.clock, pid: world.number, startedAt: "now" });
    if (setup.index && (!index || dice.chance(0.3))) index = await openIndex({ path: ":memory:" });
    const models = new Map<string, ReturnType<typeof createModel>>();
    const runtime = createRuntime({
      home,
      world,
      store: ground.store(world),
      storeIn: (folder) => createFilesStore({ home: folder, files: world.files }),
      engine,
      ...(setup.index && index ? { index } : {}),
      limits: limits(setup),
      tools: [...tools, ...simTools(poked), ...(setup.programs || setup.cli || setup.checks ? [bash] : [])],
      network: { hosts: ["registry.npmjs.org"], others: "ask" },
      allowAlways: async () => undefined,
      allowed: { [agentCommand]: `command:${agentCommand}`, ...(setup.cli ? { [cliModel]: cliModel } : {}) },
      ...(setup.cli ? { programs: programHost(setup.cli) } : {}),
      backend(model) {
        const agent = model.split("/")[1]!;
        const there =
          models.get(agent) ??
          createModel({
            random: sim.random,
            setup: setup.model,
            window: setup.window,
            programs: setup.programs,
            cli: setup.cli !== undefined,
            checks: setup.checks,
            project: setup.project,
            mail: setup.mail ? setup.agents : 0,
            teams: setup.teamwork || setup.guests ? teamsOf(agent, setup) : undefined,
            clock: world.clock,
            agent,
            life: world.number,
            watch: witness,
          });
        models.set(agent, there);
        return there;
      },
      channels: createPost(
        sim,
        setup,
        witness,
        world,
        (agent, id) => runtime.opened(agent)?.live.state().deliveries.has(id) === true,
      ),
      ...(setup.asks ? { policy: [{ do: "ask", effect: "outside" }] as const } : {}),
      alwaysReplay: setup.alwaysReplay,
      snapshotEvery: setup.snapshotEvery,
      ...(setup.restAfterMs === undefined ? {} : { restAfterMs: setup.restAfterMs }),
      notice(agent, { code, message, details }) {
        witness.count(`notice ${code}`);
        if (details?.reason === "fault") witness.violated("I21", `${agent}: ${message}`);
        witness.tell(agent, `life ${world.number} notices ${code}: ${message.slice(0, 200)}`);
      },
    });
    /** A tool takes a moment after its effect: the moment in which a crash is worst. */
    async function poked(key: string): Promise<void> {
      witness.poked(key);
      await world.life.sleep(1 + sim.random.int(50));
    }
    if (!setup.visits || setup.hosts > 1) {
      await runtime.start();
      running = { runtime, world };
      return;
    }
    // As the daemon does it: requests are answered before the agents are back.
    let ready = false;
    const door = await createDoor(home, world, runtime, () => ready, witness);
    await runtime.open();
    running = { runtime, world, door };
    await runtime.recover();
    ready = true;
  }

  function lose(how?: Ending): void {
    life?.end(how);
    life = undefined;
    running = undefined;
    ground.died();
  }

  function boot(): void {
    if (life) return;
    const world = sim.incarnate({ disk: ground.disk, skew: ground.skew });
    life = world;
    start(world).catch(() => {
      // The disk did not let it come up; a supervisor tries again.
      if (life !== world) return;
      lose("kill");
      sim.time.after(500, boot);
    });
  }

  return {
    disk: ground.disk,
    up: () => running,
    life: () => life,
    boot,
    crash(how) {
      if (life) lose(how);
    },
    stop(ms) {
      const up = running;
      if (!up || up.stopping) return;
      up.stopping = true;
      const end = () => {
        if (life !== up.world) return;
        lose("kill");
        sim.time.after(ms, boot);
      };
      // Whoever started it does not wait for ever.
      sim.time.after(stopMs, () => {
        if (life === up.world) witness.count("stop took too long");
        end();
      });
      up.runtime.stop().then(end, (error) => {
        witness.violated("stop", `an orderly end failed: ${(error as Error).stack}`);
        end();
      });
    },
    index: () => index,
  };
}
