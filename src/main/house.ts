/**
 * A home, opened by this process: locked, with its config, its models and its agents. What is started here is ended by `close`, in order.
 */
import { join } from "node:path";
import { type Backend, BackendError, refusing } from "../backend/backend.ts";
import { type Backends, createBackends } from "../backend/backends.ts";
import { createEmbedder } from "../backend/embed.ts";
import { createEmbedded } from "../engine/embedded.ts";
import type { Embedder } from "../lib/embedder.ts";
import { machine } from "../lib/machine/index.ts";
import { connectMcp } from "../lib/machine/mcp.ts";
import { createOfflineEmbedder } from "../lib/machine/offline-embedder.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { Config, PolicyRule } from "../schema/config.ts";
import type { Problem } from "../schema/problem.ts";
import { readConfig, type Settings } from "../store/config.ts";
import { createFilesStore } from "../store/files.ts";
import { openHome } from "../store/home.ts";
import { programTag } from "../store/layout.ts";
import { openIndex } from "../store/search.ts";
import { createBash } from "../tool/bash.ts";
import { tools } from "../tool/index.ts";
import { createMcp } from "../tool/mcp.ts";
import { createWebTools } from "../tool/web-tools.ts";

type Env = Record<string, string | undefined>;

export interface House {
  path: string;
  settings: Settings;
  backends: Backends;
  runtime: Runtime;
  close(): Promise<void>;
}

export interface HouseOptions {
  path: string;
  env: Env;
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
    const embedder = createEmbedderFor(config, env);
    const mcp = await createMcp({
      servers: config.mcp,
      connect: connectMcp,
      files: machine.files,
      clock: machine.clock,
      path: join(path, "mcp.json"),
      folder: path,
      env,
      extra: { AGIRAPH_TAG: programTag(path) },
    });
    const searchKey = config.web.search?.api_key_env ? env[config.web.search.api_key_env] : undefined;
    const { network, threads } = machine;
    const runtime = createRuntime({
      home: path,
      world: machine,
      store,
      engine: createEmbedded({ clock: machine.clock }),
      index,
      ...(embedder ? { embedder } : {}),
      limits,
      tools: [
        ...tools,
        createBash({ sandbox: config.sandbox }),
        ...createWebTools({ network, threads, config: config.web, searchKey }),
        ...mcp.tools(),
      ],
      triggers: config.triggers,
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
        await mcp.close();
        await embedder?.close?.();
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

/** The config's, else the offline one; none with `off`. */
function createEmbedderFor(config: Config, env: Env): (Embedder & { close?(): Promise<void> }) | undefined {
  if (config.embeddings === "off") return undefined;
  if (!config.embeddings) return createOfflineEmbedder();
  return createEmbedder(config.embeddings, {
    config,
    env,
    clock: machine.clock,
    fetch: (url, init) => fetch(url, init),
  });
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
