/** One host of the simulation: boots the real runtime in an incarnation, loses it in a crash, boots it again. */
import { defaultLimits, type Limits } from "../src/core/limits.ts";
import { createEmbedded } from "../src/engine/embedded.ts";
import { createRuntime, type Runtime } from "../src/runtime/runtime.ts";
import type { Problem } from "../src/schema/problem.ts";
import { createFilesStore } from "../src/store/files.ts";
import { openHome } from "../src/store/home.ts";
import { type Index, openIndex } from "../src/store/search.ts";
import { tools } from "../src/tool/index.ts";
import { createModel, type Watch } from "./model.ts";
import type { Setup } from "./setup.ts";
import { simTools } from "./tools.ts";
import type { Ending, Incarnation, SimWorld } from "./world.ts";

export const home = "/home";

export const limits = (setup: Setup): Limits => ({
  ...defaultLimits,
  turns_per_node: 5,
  seconds_per_node: 30,
  turns_alone: 8,
  nodes_per_run: 5,
  live_nodes: 4,
  workers_per_run: 3,
  concurrency: setup.concurrency,
});

export interface Host {
  /** The running process, if it has come up. */
  up(): { runtime: Runtime; world: Incarnation } | undefined;
  boot(): void;
  crash(how?: Ending): void;
  index(): Index | undefined;
  readonly crashes: number;
}

export interface HostOptions {
  sim: SimWorld;
  setup: Setup;
  watch: Watch;
  poked(key: string): Promise<void>;
  notice(agent: string, problem: Problem): void;
}

export function createHost({ sim, setup, watch, poked, notice }: HostOptions): Host {
  const dice = sim.random.fork("host");
  let life: Incarnation | undefined;
  let running: { runtime: Runtime; world: Incarnation } | undefined;
  /** The derived index is in memory and may survive a crash or not, or come back older: it must not matter. */
  let index: Index | undefined;
  let crashes = 0;

  async function start(world: Incarnation): Promise<void> {
    await openHome({ path: home, files: world.files, clock: world.clock, pid: world.number, startedAt: "now" });
    if (setup.index && (!index || dice.chance(0.3))) index = await openIndex({ path: ":memory:" });
    const models = new Map<string, ReturnType<typeof createModel>>();
    const runtime = createRuntime({
      home,
      world,
      store: createFilesStore({ home, files: world.files, point: world.point }),
      engine: createEmbedded({ clock: world.clock }),
      ...(setup.index && index ? { index } : {}),
      limits: limits(setup),
      tools: [...tools, ...simTools(poked)],
      backend(model) {
        const agent = model.split("/")[1]!;
        const there =
          models.get(agent) ??
          createModel({ random: sim.random, setup: setup.model, clock: world.clock, agent, life: world.number, watch });
        models.set(agent, there);
        return there;
      },
      alwaysReplay: setup.alwaysReplay,
      snapshotEvery: setup.snapshotEvery,
      notice,
    });
    await runtime.start();
    running = { runtime, world };
  }

  function boot(): void {
    if (life) return;
    const world = sim.incarnate();
    life = world;
    start(world).catch(() => {
      // The disk did not let it come up; a supervisor tries again.
      if (life !== world) return;
      world.end("kill");
      life = undefined;
      sim.time.after(500, boot);
    });
  }

  return {
    up: () => running,
    boot,
    crash(how) {
      if (!life) return;
      crashes++;
      life.end(how);
      life = undefined;
      running = undefined;
    },
    index: () => index,
    get crashes() {
      return crashes;
    },
  };
}
