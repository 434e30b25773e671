/**
 * The process that is killed: the real runtime on a real home, with a scripted team. One argument, as JSON: see Life.
 *
 * It takes JSON lines on stdin: `{key, text}` is a client's message, `{resume}` lets a paused agent go on, `{close}` ends in order.
 * It says JSON lines on stdout, each written before anything else happens: `booting`, `ready`, `acked` with seq once a message is acknowledged,
 * `refused`, `turn` for each ended turn, `missing` when the team waits for clients, `paused`, `done`, `notice`, and `dying` as its last.
 * Exit codes: 0 closed in order, 3 the home is in use (`locked` says by whom).
 */

import { join } from "node:path";
import { createInterface } from "node:readline";
import { defaultLimits } from "../../src/core/limits.ts";
import type { State } from "../../src/core/state.ts";
import { createEmbedded } from "../../src/engine/embedded.ts";
import { openHome } from "../../src/home/lock.ts";
import { machine } from "../../src/lib/machine/index.ts";
import type { World } from "../../src/lib/world.ts";
import { createRuntime, type Runtime } from "../../src/runtime/runtime.ts";
import { Problem } from "../../src/schema/problem.ts";
import { type Index, openIndex } from "../../src/search/search.ts";
import { createFilesStore } from "../../src/store/file-store.ts";
import type { Log, Store } from "../../src/store/store.ts";
import { tools } from "../../src/tool/index.ts";
import { createCalm } from "./calm.ts";
import { createPoint, type Kill, type Point, say, watchLogs, watchRenames } from "./points.ts";
import { createTeam } from "./team.ts";
import { createTools } from "./tools.ts";

export interface Life {
  home: string;
  effects: string;
  kill?: Kill;
  /** How long the programs of the team run. */
  seconds?: number;
  /** A second agent, `calm`, that works by itself. */
  calm?: boolean;
}

interface Order {
  key?: string;
  text?: string;
  agent?: string;
  resume?: boolean;
  close?: boolean;
}

async function main(life: Life): Promise<void> {
  const { home, effects, kill, seconds = 0.05, calm = false } = life;
  say({ booting: process.pid });
  const point = createPoint(kill);
  if (kill?.point.startsWith("file.")) watchRenames(point);
  if (kill?.point === "log.half") watchLogs(point);
  const world: World = { ...machine, point: async (name) => point(name) };

  const startedAt = new Date().toISOString();
  const held = await openHome({ path: home, files: world.files, clock: world.clock, pid: process.pid, startedAt });
  point("home.locked");
  const store = withPoint(createFilesStore({ home, files: world.files, point: world.point }), point);
  const index = indexWithPoint(await openIndex({ path: join(home, "index.sqlite"), files: world.files }), point);
  const state = (agent: string): State | undefined => runtime.opened(agent)?.live.state();
  const team = createTeam({
    state: () => state("team"),
    called: (participant) => {
      point("backend.called");
      point(`backend.called ${participant}`);
    },
    missing: () => say({ missing: true }),
  });
  const runtime: Runtime = createRuntime({
    home,
    world,
    store,
    engine: createEmbedded({ clock: world.clock }),
    index,
    limits: defaultLimits,
    tools: [...tools, ...createTools({ home, effects, point, seconds, watch: /\.running$/.test(kill?.point ?? "") })],
    backend: (model) => (model === "scripted/team" ? team : createCalm(() => state("calm"))),
    snapshotEvery: 15,
    notice: (agent, { code, message }) => say({ notice: agent, code, message }),
  });
  await runtime.start();
  point("runtime.started");
  if (calm) await create("calm");
  await create("team");
  if (!state("team")?.run) throw new Problem("wrong_state", "team is there, without a run; nobody will ever start one");
  if (calm) void report("calm");
  void report("team");
  say({ ready: process.pid });

  /** With the same key in each life, as a client that never heard back. Resolves when it is there; its files may follow. */
  async function create(agent: string): Promise<void> {
    const options = { actor: "human", key: `create-${agent}` };
    const made = runtime
      .create({ name: agent, goal: `be ${agent}`, model: `scripted/${agent}` }, options)
      .then((given) => {
        if (given !== agent) throw new Problem("name_taken", `${agent} was created a second time, as ${given}`);
      });
    while (!runtime.agents().includes(agent)) await Promise.race([made, new Promise((go) => setImmediate(go))]);
  }

  async function report(agent: string): Promise<void> {
    const now = await runtime.read(agent, ({ seq, agent }) => ({ seq, agent }));
    if (now.agent?.status === "completed") say({ done: agent });
    if (now.agent?.status === "paused") say({ paused: agent, reason: now.agent.reason });
    for await (const events of runtime.follow(agent, now.seq)) {
      for (const { type, data } of events) {
        if (type === "turn.ended") say({ turn: data.turn });
        if (type === "agent.paused") say({ paused: agent, reason: data.reason });
        if (type === "agent.completed") say({ done: agent });
      }
    }
  }

  async function post(key: string, text: string, agent: string): Promise<void> {
    point("client.parsed");
    try {
      const { seq, repeated } = await runtime.send(agent, { type: "message.post", text }, { actor: "human", key });
      say({ acked: key, seq, repeated });
      point("client.acked");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say({ refused: key, code: error.code, message: error.message });
    }
  }

  for await (const line of createInterface({ input: process.stdin })) {
    const { key, text, agent = "team", resume, close } = JSON.parse(line) as Order;
    if (key !== undefined) void post(key, text ?? "", agent);
    if (resume) await runtime.send(agent, { type: "agent.resume" }, { actor: "human" });
    if (close) break;
  }
  await runtime.opened("team")?.projector.idle();
  await runtime.opened("team")?.indexing?.ready();
  await runtime.stop();
  index.close();
  await store.close();
  await held.release();
}

/** `durable TYPE`: an event of this type is in the log, and nobody has been told. `durable mail`: a message between workers. */
function withPoint(store: Store, point: Point): Store {
  return {
    ...store,
    async open(agent, options) {
      const log = await store.open(agent, options);
      const wrapped: Log = {
        get seq() {
          return log.seq;
        },
        repaired: log.repaired,
        read: log.read,
        close: log.close,
        async append(events) {
          await log.append(events);
          for (const type of new Set(events.map((event) => event.type))) point(`durable ${type}`);
          if (events.some(({ type, actor }) => type === "message.posted" && actor !== "human")) point("durable mail");
        },
      };
      return wrapped;
    },
  };
}

/** `index.behind`: the log has events that the index has not; `index.level`: it has taken them in, and nobody knows. */
function indexWithPoint(index: Index, point: Point): Index {
  return {
    ...index,
    apply(agent, events, sum) {
      point("index.behind");
      index.apply(agent, events, sum);
      point("index.level");
    },
  };
}

// Timers of the runtime do not keep a process alive.
setInterval(() => undefined, 1 << 30);
try {
  await main(JSON.parse(process.argv[2]!) as Life);
  process.exit(0);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  say({ locked: error.code === "home_locked", code: error.code, message: error.message });
  process.exit(error.code === "home_locked" ? 3 : 1);
}
