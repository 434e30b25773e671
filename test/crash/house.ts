/** A runtime on a real home in this process, with the scripted team: for faults that are not the death of the process. */
import { join } from "node:path";
import type { Backend } from "../../src/backend/backend.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import type { State } from "../../src/core/state.ts";
import { createEmbedded } from "../../src/engine/embedded.ts";
import { openHome } from "../../src/home/lock.ts";
import { machine } from "../../src/lib/machine/index.ts";
import type { World } from "../../src/lib/world.ts";
import type { NetworkRules } from "../../src/runtime/network/host-gate.ts";
import { createRuntime, type Runtime } from "../../src/runtime/runtime.ts";
import type { Event } from "../../src/schema/event.ts";
import type { PolicyRule } from "../../src/schema/policy-rule.ts";
import type { Problem } from "../../src/schema/problem.ts";
import { type Index, openIndex } from "../../src/search/search.ts";
import { createFilesStore } from "../../src/store/file-store.ts";
import type { Store } from "../../src/store/store.ts";
import { tools } from "../../src/tool/index.ts";
import type { Tool } from "../../src/toolkit/tool.ts";
import { createCalm } from "./calm.ts";
import { createTeam } from "./team.ts";
import { createTools } from "./tools.ts";

export interface House {
  runtime: Runtime;
  store: Store;
  index: Index | undefined;
  notices: Problem[];
  state(agent: string): State | undefined;
  /** Resolves with the first event, old or new, that is meant. */
  until(agent: string, meant: (event: Event) => boolean): Promise<Event>;
  close(): Promise<void>;
}

export interface HouseOptions {
  home: string;
  /** Where effects of the team are written down; in the home if not said. */
  effects?: string;
  world?: World;
  backend?: Backend;
  tools?: Tool[];
  policy?: readonly PolicyRule[] | undefined;
  network?: NetworkRules | undefined;
  allowAlways?(subject: string): Promise<void>;
  /** The programs that models may choose. */
  allowed?: Record<string, string>;
  /** How many logs may be open as files at once. */
  handles?: number;
  snapshotEvery?: number;
  index?: boolean;
}

/** Models: `scripted/team` and `scripted/calm`, unless there is a backend for all. */
export async function openHouse({ home, world = machine, ...options }: HouseOptions): Promise<House> {
  const { files, clock } = world;
  const startedAt = new Date(clock.now()).toISOString();
  const held = await openHome({ path: home, files, clock, pid: process.pid, startedAt });
  const store = createFilesStore({ home, files, ...(options.handles && { handles: options.handles }) });
  const index = options.index ? await openIndex({ path: join(home, "index.sqlite"), files }) : undefined;
  const notices: Problem[] = [];
  const state = (agent: string) => runtime.opened(agent)?.live.state();
  const team = createTeam({ state: () => state("team"), called: () => undefined, missing: () => undefined });
  const calm = createCalm(() => state("calm"));
  const own = createTools({
    home,
    effects: options.effects ?? join(home, "effects.log"),
    point: () => undefined,
    seconds: 0.01,
    watch: false,
  });
  const runtime = createRuntime({
    home,
    world,
    store,
    ...(options.allowed && { allowed: options.allowed }),
    engine: createEmbedded({ clock }),
    ...(index && { index }),
    limits: defaultLimits,
    tools: [...tools, ...own, ...(options.tools ?? [])],
    ...(options.policy && { policy: options.policy }),
    ...(options.network && { network: options.network }),
    ...(options.allowAlways && { allowAlways: options.allowAlways }),
    backend: (model) => options.backend ?? (model === "scripted/team" ? team : calm),
    snapshotEvery: options.snapshotEvery ?? 1000,
    notice: (_agent, problem) => notices.push(problem),
  });
  try {
    await runtime.start();
  } catch (error) {
    await held.release();
    throw error;
  }
  return {
    runtime,
    store,
    index,
    notices,
    state,
    async until(agent, meant) {
      for await (const events of runtime.follow(agent, 0)) {
        const found = events.find(meant);
        if (found) return found;
      }
      throw new Error(`the runtime was stopped before it happened to ${agent}`);
    },
    async close() {
      await runtime.stop();
      index?.close();
      await store.close();
      await held.release();
    },
  };
}
