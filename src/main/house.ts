/**
 * A home, opened by this process: locked, with its config, its models and its agents. What is started here is ended by `close`, in order.
 */
import { join } from "node:path";
import { type Backend, BackendError, refusing } from "../backend/backend.ts";
import { type Backends, createBackends } from "../backend/backends.ts";
import { createEmbedded } from "../engine/embedded.ts";
import { machine } from "../lib/machine/index.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { PolicyRule } from "../schema/config.ts";
import type { Problem } from "../schema/problem.ts";
import { readConfig, type Settings } from "../store/config.ts";
import { createFilesStore } from "../store/files.ts";
import { openHome } from "../store/home.ts";
import { openIndex } from "../store/search.ts";
import { tools } from "../tool/index.ts";

export interface House {
  path: string;
  settings: Settings;
  backends: Backends;
  runtime: Runtime;
  close(): Promise<void>;
}

export interface HouseOptions {
  path: string;
  env: Record<string, string | undefined>;
  notice(agent: string, problem: Problem): void;
  /** Models that are played, not asked. */
  scripted?: Record<string, Backend>;
}

export async function openHouse({ path, env, notice, scripted = {} }: HouseOptions): Promise<House> {
  const startedAt = new Date(machine.clock.now()).toISOString();
  const home = await openHome({ path, files: machine.files, clock: machine.clock, pid: process.pid, startedAt });
  try {
    const settings = await readConfig(machine.files, path);
    const { config, limits } = settings;
    const backends = createBackends({ config, env, clock: machine.clock, fetch: (url, init) => fetch(url, init) });
    const store = createFilesStore({ home: path, files: machine.files });
    const index = await openIndex({ path: join(path, "index.sqlite"), files: machine.files });
    const runtime = createRuntime({
      home: path,
      world: machine,
      store,
      engine: createEmbedded({ clock: machine.clock }),
      index,
      limits,
      tools,
      policy: policyOf(config.policy, config.sandbox.bash),
      backend: (model) => (Object.hasOwn(scripted, model) ? scripted[model]! : reached(backends, model)),
      snapshotEvery: 1000,
      restAfterMs: 60_000,
      notice,
    });
    return {
      path,
      settings,
      backends,
      runtime,
      async close() {
        await runtime.stop();
        await store.close();
        index.close();
        await home.release();
      },
    };
  } catch (error) {
    await home.release();
    throw error;
  }
}

/** A model that cannot be reached as things are parks whoever asks for it, and says why. */
function reached(backends: Backends, model: string): Backend {
  try {
    return backends.backend(model);
  } catch (error) {
    if (error instanceof BackendError) return refusing(error);
    throw error;
  }
}

/** Without a sandbox nothing is run unasked, unless a rule says otherwise. */
function policyOf(rules: readonly PolicyRule[], sandbox: "required" | "off"): PolicyRule[] {
  return sandbox === "off"
    ? [...rules, { do: "ask", tool: "bash", why: "there is no sandbox around it (sandbox.bash is off)" }]
    : [...rules];
}
