/**
 * A home, opened by this process: locked, with its config, its models and its agents. What is started here is ended by `close`, in order.
 *
 * `openRooms` does what is quick; tools, which take long to load or wait for others (the user's own, MCP servers), are brought by `equip`, and
 * until then nobody may work: `runtime.recover` comes after it. `openHouse` does both.
 *
 * Always holds: what people change meanwhile counts. `refresh` reads config.yaml again if it was edited, and `take` sets variables of the
 * environment; models, limits, policy and tools follow. What cannot follow is named in `edits`. A config that cannot be understood changes nothing.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { type Backend, BackendError, refusing } from "../../backend/backend.ts";
import { type Backends, createBackends } from "../../backend/backends.ts";
import { createEmbedder } from "../../backend/embed.ts";
import { createChannels } from "../../channel/channels.ts";
import { createEmbedded } from "../../engine/embedded.ts";
import type { Settings } from "../../home/config.ts";
import { addHost } from "../../home/config-edit.ts";
import type { Home } from "../../home/lock.ts";
import { createSkills } from "../../home/skills.ts";
import type { Souls } from "../../home/souls.ts";
import type { WorkflowTexts } from "../../home/workflow-texts.ts";
import type { Workflows } from "../../home/workflows.ts";
import type { Embedder } from "../../lib/embedder.ts";
import { machine } from "../../lib/machine/index.ts";
import { mail } from "../../lib/machine/mail.ts";
import { createOfflineEmbedder } from "../../lib/machine/offline-embedder.ts";
import { expandHosts } from "../../lib/network/registries.ts";
import type { World } from "../../lib/world.ts";
import { createRuntime, type Runtime } from "../../runtime/runtime.ts";
import type { Config } from "../../schema/config.ts";
import { Problem } from "../../schema/problem.ts";
import { openIndex } from "../../search/search.ts";
import { createFilesStore } from "../../store/file-store.ts";
import type { Tool } from "../../toolkit/tool.ts";
import { holdHome } from "../daemon/hold-home.ts";
import { refusalOf } from "../home/environment.ts";
import { checkSame } from "../home/folder.ts";
import { knownSecrets, variablesOf } from "../home/known-secrets.ts";
import { readSettings } from "../home/settings.ts";
import { createScripts, type Scripts } from "../models/scripts.ts";
import { openPrograms } from "../programs/index.ts";
import { openSouls } from "../templates/souls.ts";
import { openWorkflows, openWorkflowTexts } from "../templates/workflows.ts";
import { createMcpServers, type McpCounter } from "./mcp-servers.ts";
import { createRules, type Rules } from "./rules.ts";

type Env = Record<string, string | undefined>;

export interface House {
  path: string;
  /** A copy of ours, with what was handed over since. */
  env: Env;
  /** As they hold now. */
  readonly settings: Settings;
  readonly rules: Rules;
  /** Nobody has trusted this home: what every use of it is refused with. */
  refusal: Problem | undefined;
  backends: Backends;
  scripts: Scripts;
  runtime: Runtime;
  workflows: Workflows;
  workflowTexts: WorkflowTexts;
  souls: Souls;
  /** Loads all tools, ours and those that the home adds. Once, before anybody works. */
  equip(): Promise<void>;
  /** Reads config.yaml again if it changed. Never throws: `edits` says what is wrong with it. */
  refresh(): Promise<void>;
  /** People edit config.yaml while agents work, and expect it to count: looks at it from time to time until it is told to end. Keeps no process alive. */
  watch(): () => void;
  /** What was edited and does not count. */
  edits(): { problem: Problem | undefined; restart: string[] };
  /** Sets variables of the environment that the home asks for, and no others. Resolves with the names of those that changed, when it counts. */
  take(values: Readonly<Record<string, string>>): Promise<string[]>;
  /** The servers of the config, when they are all there. */
  mcp(): Promise<McpCounter>;
  /** What is wrong with the tools that the home adds. */
  toolFaults(): Problem[];
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
  /** How programs are run; on this machine if not said. */
  processes?: World["processes"];
}

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

/** Read once, when the house is opened: agents keep what they were given of it. */
const fixed = ["embeddings", "channels", "triggers"] as const;

export async function openRooms(options: HouseOptions): Promise<House> {
  const { path, notice, scripted = {}, plain = false, still } = options;
  const env: Env = { ...options.env };
  const home = options.held ?? (await holdHome(path));
  try {
    const refusal = refusalOf(path);
    const read = (): Promise<Settings> => readSettings(path, plain);
    let seen = await lookAtConfig(path);
    const first = await read();
    let settings = first;
    const rules = createRules(settings);
    const { network, threads, clock } = machine;
    const send: typeof fetch = (url, init) => fetch(url, init);
    const closed = refusal?.message;
    const made = () =>
      createBackends({ config: settings.config, env, clock, fetch: send, ...(closed ? { closed } : {}) });
    let current = made();
    const backends: Backends = {
      backend: (model) => current.backend(model),
      resolve: (model) => current.resolve(model),
      available: () => current.available(),
      ollama: (signal) => current.ollama(signal),
      choose: (signal) => current.choose(signal),
    };
    const scripts = createScripts(scripted, env.AGIRAPH_SCRIPTS);
    const storeIn = (home: string) => createFilesStore({ home, files: machine.files });
    const store = storeIn(path);
    const index = refusal ? undefined : await openIndex({ path: join(path, "index.sqlite"), files: machine.files });
    const embedder = refusal ? undefined : createEmbedderFor(first.config, env);
    const secrets = knownSecrets(settings.config, env);
    const all: Tool[] = [];
    const equipped = Promise.withResolvers<void>();
    equipped.promise.catch(() => undefined);
    const servers = createMcpServers({ path, env, notice: (problem) => notice("mcp", problem) });
    let problem: Problem | undefined;
    let toolFaults: Problem[] = [];
    let furnish: (() => Promise<void>) | undefined;
    const fault = (error: unknown) =>
      notice("programs", new Problem("wrong_state", `internal error: ${String(error)}`, undefined, { cause: error }));
    const programs = openPrograms({
      home: path,
      env,
      config: () => settings.config,
      runtime: () => runtime,
      fetch: send,
      secret: (text) => void (secrets.includes(text) || secrets.push(text)),
      fault,
    });
    const runtime: Runtime = createRuntime({
      home: path,
      world: {
        ...machine,
        ...(options.working ? { working: options.working } : {}),
        ...(options.processes ? { processes: options.processes } : {}),
      },
      store,
      storeIn,
      engine: createEmbedded({ clock }),
      ...(index ? { index } : {}),
      ...(refusal ? { refusal } : {}),
      ...(embedder ? { embedder } : {}),
      limits: rules.limits,
      budget: rules.budget,
      tools: all,
      equipped: equipped.promise,
      ...(plain ? {} : { skills: createSkills({ home: path, files: machine.files, random: machine.random }) }),
      channels: createChannels(first.config.channels, { network, clock, mail, env }),
      ...(still ? { still } : {}),
      triggers: first.config.triggers,
      policy: rules.policy,
      taint: rules.taint,
      reflection: first.config.reflection,
      network: rules.network,
      sandboxed: () => settings.config.sandbox.bash !== "off",
      allowAlways,
      soulEvidence: first.config.soul.accept_evidence,
      secrets,
      programs: programs.host,
      allowed: rules.programs,
      backend: (model) => reached(() => scripts.find(model) ?? backends.backend(model)),
      snapshotEvery: 1000,
      restAfterMs: 60_000,
      recoverAtOnce: 4,
      folder: (folder) => checkSame(folder, { home: path, user: homedir() }),
      notice,
    });

    /** One after the other: a change that comes meanwhile is looked at next. */
    let changing: Promise<unknown> = Promise.resolve();
    const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
      const next = changing.then(change, change);
      changing = next.catch(() => undefined);
      return next;
    };

    /** A person allowed it for good: it is in the file, and counts. */
    async function allowAlways(subject: string): Promise<void> {
      await inTurn(async () => {
        const file = join(path, "config.yaml");
        const stat = await machine.files.stat(file);
        if (stat && stat.kind !== "file")
          throw new Problem(
            "invalid",
            `${subject} was not written to config.yaml, because that is a link; add it to sandbox.network yourself`,
          );
        const text = (await machine.files.read(file))?.toString() ?? "";
        const edited = addHost(text, subject);
        if (edited !== text) await machine.files.write(file, edited);
        await reread();
        if (!expandHosts(rules.network.hosts).includes(expandHosts([subject])[0]!))
          throw new Problem(
            "invalid",
            `${subject} is in config.yaml and does not count: ${problem?.message ?? "this home was only found in a project, so few of its settings count; name it with --home"}`,
          );
      });
    }

    /** Everything that is made of the config and the environment, made again. */
    async function renew(): Promise<void> {
      rules.take(settings);
      current = made();
      for (const secret of knownSecrets(settings.config, env)) if (!secrets.includes(secret)) secrets.push(secret);
      await furnish?.();
    }

    async function reread(): Promise<void> {
      const found = await lookAtConfig(path);
      if (refusal || found === seen) return;
      seen = found;
      try {
        const next = await read();
        problem = undefined;
        const changed = differing(settings.config, next.config);
        settings = next;
        if (!changed.length) return;
        await renew();
        notice("config", new Problem("invalid", `config.yaml was reloaded; changed: ${changed.join(", ")}`));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        problem = error;
        notice("config", new Problem("invalid", `${error.message}; the previous settings still apply`));
      }
    }

    return {
      path,
      env,
      get settings() {
        return settings;
      },
      rules,
      refusal,
      backends,
      scripts,
      runtime,
      workflows: openWorkflows(path, plain, env),
      workflowTexts: openWorkflowTexts(path, plain),
      souls: openSouls(path, plain),
      async equip() {
        const [{ tools }, { createBash }, { createWebTools }, { checkTools, loadTools }] = await Promise.all([
          import("../../tool/index.ts"),
          import("../../tool/bash.ts"),
          import("../../tool/web-tools.ts"),
          import("./own-tools.ts"),
        ]);
        const ours = () => {
          const { sandbox, web } = settings.config;
          const searchKey = web.search?.api_key_env ? env[web.search.api_key_env] : undefined;
          return [...tools, createBash({ sandbox }), ...createWebTools({ network, threads, config: web, searchKey })];
        };
        const given = checkTools(options.tools ?? [], ours());
        const own = plain ? { tools: [], wrong: [] } : await loadTools(path, [...ours(), ...given]);
        toolFaults = own.wrong;
        for (const wrong of own.wrong) notice("tools", wrong);
        furnish = async () => {
          await servers.serve(plain || still ? {} : settings.config.mcp);
          all.splice(0, all.length, ...ours(), ...given, ...own.tools, ...servers.tools());
        };
        await inTurn(furnish);
        equipped.resolve();
      },
      refresh: () => inTurn(reread),
      watch() {
        const looking = setInterval(() => void inTurn(reread), lookAgainMs).unref();
        return () => clearInterval(looking);
      },
      edits: () => ({
        problem,
        restart: fixed.filter((key) => differing(first.config, settings.config).includes(key)),
      }),
      take: (values) =>
        inTurn(async () => {
          const names = variablesOf(settings.config).filter(
            (name) => Object.hasOwn(values, name) && values[name] !== env[name],
          );
          for (const name of names) env[name] = values[name]!;
          if (names.length) await renew();
          return names;
        }),
      async mcp() {
        await equipped.promise;
        return {
          list: () => inTurn(servers.list),
          accept: (server, tool) =>
            inTurn(async () => {
              const accepted = await servers.accept(server, tool);
              await furnish?.();
              return accepted;
            }),
        };
      },
      toolFaults: () => toolFaults,
      async close() {
        equipped.reject(new Problem("closed", "the home was closed before all its tools were loaded"));
        await runtime.stop();
        await programs.close();
        await changing;
        await servers.close();
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

/** Whoever asks for something that depends on config.yaml looks at once. */
const lookAgainMs = 2_000;

/** Another one after every edit. */
async function lookAtConfig(home: string): Promise<string> {
  const found = await machine.files.stat(join(home, "config.yaml")).catch(() => null);
  return found ? `${found.size} ${found.changed}` : "";
}

const differing = (one: Config, other: Config): (keyof Config)[] =>
  (Object.keys({ ...one, ...other }) as (keyof Config)[]).filter(
    (key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]),
  );

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
