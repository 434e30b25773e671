/**
 * A home, opened by this process: locked, with its config, its models and its agents. What is started here is ended by `close`, in order.
 *
 * `openRooms` does what is quick; tools, which take long to load or wait for others (the user's own, MCP servers), are brought by `equip`, and
 * until then nobody may work: `runtime.recover` comes after it. `openHouse` does both.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { type Backend, BackendError, refusing } from "../backend/backend.ts";
import { type Backends, createBackends } from "../backend/backends.ts";
import { createEmbedder } from "../backend/embed.ts";
import { createChannels } from "../channel/channels.ts";
import { createEmbedded } from "../engine/embedded.ts";
import type { Embedder } from "../lib/embedder.ts";
import { machine } from "../lib/machine/index.ts";
import { mail } from "../lib/machine/mail.ts";
import { connectMcp } from "../lib/machine/mcp.ts";
import { createOfflineEmbedder } from "../lib/machine/offline-embedder.ts";
import type { World } from "../lib/world.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { Config, PolicyRule } from "../schema/config.ts";
import { Problem } from "../schema/problem.ts";
import { parseConfig, readConfig, type Settings, tamed } from "../store/config.ts";
import { createFilesStore } from "../store/files.ts";
import type { Home } from "../store/home.ts";
import { programTag } from "../store/layout.ts";
import { openIndex } from "../store/search.ts";
import { createSkills } from "../store/skills.ts";
import type { Workflows } from "../store/workflows.ts";
import { createMcp, type Mcp } from "../tool/mcp.ts";
import type { Tool } from "../tool/tool.ts";
import { concurrencyHere, refusalOf } from "./environment.ts";
import { checkSame } from "./folder.ts";
import { holdHome } from "./hold-home.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createScripts, type Scripts } from "./scripts.ts";
import { openWorkflows } from "./workflows.ts";

type Env = Record<string, string | undefined>;

export interface House {
  path: string;
  env: Env;
  settings: Settings;
  /** Nobody has trusted this home: what every use of it is refused with. */
  refusal: Problem | undefined;
  backends: Backends;
  scripts: Scripts;
  runtime: Runtime;
  workflows: Workflows;
  /** Loads all tools, ours and those that the home adds. Once, before anybody works. */
  equip(): Promise<void>;
  close(): Promise<void>;
}

export interface HouseOptions {
  path: string;
  env: Env;
  notice(agent: string, problem: Problem): void;
  /** To look and to answer: nobody goes on working meanwhile. */
  still?: boolean;
  /** Models that are played, not asked. */
  scripted?: Record<string, Backend>;
  /** Tools besides all others. */
  tools?: readonly Tool[];
  /** Without what the home adds: own tools, skills, MCP servers. */
  plain?: boolean;
  /** The home, if the caller holds it already; `close` releases it all the same. */
  held?: Home;
  /** Told what is about to be worked on (World). */
  working?: NonNullable<World["working"]>;
}

/** How long a server that was never seen may take to start, and to list its tools, before we begin without it. */
const lookMs = 5_000;

export async function openHouse(options: HouseOptions): Promise<House> {
  const house = await openRooms(options);
  try {
    await house.equip();
    return house;
  } catch (error) {
    await house.close();
    throw error;
  }
}

export async function openRooms(options: HouseOptions): Promise<House> {
  const { path, env, notice, scripted = {}, plain = false, still } = options;
  const home = options.held ?? (await holdHome(path));
  try {
    const refusal = refusalOf(path);
    const written = refusal ? { ...parseConfig("", path), path: null } : await readConfig(machine.files, path);
    const settings = plain ? tamed(written) : written;
    const { config } = settings;
    // What the config says holds; otherwise what the machine can carry.
    const limits =
      config.limits.concurrency === undefined
        ? { ...settings.limits, concurrency: Math.min(settings.limits.concurrency, concurrencyHere()) }
        : settings.limits;
    const backends = createBackends({ config, env, clock: machine.clock, fetch: (url, init) => fetch(url, init) });
    const scripts = createScripts(scripted, env.AGIRAPH_SCRIPTS);
    const store = createFilesStore({ home: path, files: machine.files });
    const index = refusal ? undefined : await openIndex({ path: join(path, "index.sqlite"), files: machine.files });
    const embedder = refusal ? undefined : createEmbedderFor(config, env);
    const searchKey = config.web.search?.api_key_env ? env[config.web.search.api_key_env] : undefined;
    const { network, threads } = machine;
    const all: Tool[] = [];
    const equipped = Promise.withResolvers<void>();
    equipped.promise.catch(() => undefined);
    let mcp: Mcp | undefined;
    const runtime = createRuntime({
      home: path,
      world: options.working ? { ...machine, working: options.working } : machine,
      store,
      engine: createEmbedded({ clock: machine.clock }),
      ...(index ? { index } : {}),
      ...(refusal ? { refusal } : {}),
      ...(embedder ? { embedder } : {}),
      limits,
      ...(config.budget ? { budget: config.budget } : {}),
      tools: all,
      equipped: equipped.promise,
      ...(plain ? {} : { skills: createSkills({ home: path, files: machine.files, random: machine.random }) }),
      channels: createChannels(config.channels, { network, clock: machine.clock, mail, env }),
      ...(still ? { still } : {}),
      triggers: config.triggers,
      policy: policyOf(config.policy, config.sandbox.bash),
      taint: config.taint,
      secrets: knownSecrets(config, env),
      backend: (model) => reached(() => scripts.find(model) ?? backends.backend(model)),
      snapshotEvery: 1000,
      restAfterMs: 60_000,
      recoverAtOnce: 4,
      folder: (folder) => checkSame(folder, { home: path, user: homedir() }),
      notice,
    });
    return {
      path,
      env,
      settings,
      refusal,
      backends,
      scripts,
      runtime,
      workflows: openWorkflows(path, plain),
      async equip() {
        const [{ tools }, { createBash }, { createWebTools }, { checkTools, loadTools }] = await Promise.all([
          import("../tool/index.ts"),
          import("../tool/bash.ts"),
          import("../tool/web-tools.ts"),
          import("./own-tools.ts"),
        ]);
        const web = createWebTools({ network, threads, config: config.web, searchKey });
        all.push(...tools, createBash({ sandbox: config.sandbox }), ...web);
        all.push(...checkTools(options.tools ?? [], all));
        const own = plain ? { tools: [], wrong: [] } : await loadTools(path, all);
        for (const problem of own.wrong) notice("tools", problem);
        mcp = await openMcp(path, plain || still ? {} : config.mcp, env);
        for (const problem of (await mcp.look("new", lookMs)).values()) notice("mcp", problem);
        all.push(...own.tools, ...mcp.tools());
        equipped.resolve();
      },
      async close() {
        equipped.reject(new Problem("closed", "the house is closed; its tools were not all there yet"));
        await runtime.stop();
        if (mcp) await closeMcp(path, mcp);
        await embedder?.close?.();
        await store.close();
        index?.close();
        await home.release();
      },
    };
  } catch (error) {
    await home.release();
    throw error;
  }
}

/** What a server started is found by its tag when the server is gone. Not one of the runtime's: it sweeps those when it starts. */
const mcpTag = (path: string) => `mcp/${programTag(path)}`;

/** Ends what an earlier life left behind; whoever calls holds the home. */
export async function openMcp(path: string, servers: Config["mcp"], env: Env): Promise<Mcp> {
  await machine.processes.sweep(mcpTag(path));
  return await createMcp({
    servers,
    connect: connectMcp,
    files: machine.files,
    clock: machine.clock,
    path: join(path, "mcp.json"),
    folder: path,
    env,
    extra: { AGIRAPH_TAG: mcpTag(path) },
  });
}

/** Closes it, and ends what its servers left behind. */
export async function closeMcp(path: string, mcp: Mcp): Promise<void> {
  await mcp.close();
  await machine.processes.sweep(mcpTag(path));
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
function reached(find: () => Backend): Backend {
  try {
    return find();
  } catch (error) {
    if (error instanceof BackendError) return refusing(error);
    if (error instanceof Problem) return refusing(new BackendError("permanent", error.message));
    throw error;
  }
}

/** Without a sandbox nothing is run unasked, unless a rule says otherwise. */
function policyOf(rules: readonly PolicyRule[], sandbox: "required" | "off"): PolicyRule[] {
  return sandbox === "off"
    ? [...rules, { do: "ask", tool: "bash", why: "there is no sandbox around it (sandbox.bash is off)" }]
    : [...rules];
}
