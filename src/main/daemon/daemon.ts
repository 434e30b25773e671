/**
 * The daemon: one process that holds the home and answers on loopback. It listens first: everything that takes time, beginning with our own
 * modules, is loaded after. Requests that come before wait for it, so none fails because it came early.
 *
 * In order: port, daemon.json, the house, requests are answered, own tools and MCP servers, agents go on, ready. The end goes the other way,
 * in bounded time: no new requests, streams are told, those under way are answered, agents, programs, daemon.json, the home.
 * Not here: signals and words for people (up.ts).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { programTag } from "../../home/layout.ts";
import type { Home } from "../../home/lock.ts";
import { createServer as createHttp } from "../../lib/machine/http.ts";
import { machine } from "../../lib/machine/index.ts";
import { withTimeout } from "../../lib/time/timeout.ts";
import type { Work } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import { createAdmission } from "../../server/auth/admission.ts";
import { proofOf } from "../../server/auth/proof.ts";
import { createStrangers } from "../../server/auth/strangers.ts";
import { connectionsPerTurn, httpLimits, serverLimits, strangerLimits } from "../../server/limits.ts";
import { refusalOf } from "../home/environment.ts";
import type { House } from "../house/house.ts";
import type { Service } from "../house/serve.ts";
import { createConnectionTurns } from "./connection-turns.ts";
import { removeDaemonFile, writeDaemonFile } from "./daemon-file.ts";
import type { Log } from "./log.ts";
import { type OutsideOptions, openOutside, planOutside } from "./outside.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

export interface Daemon {
  url: string;
  token: string;
  /** Every agent is back, or could not be and is named in the log. Rejects with what keeps the daemon from starting. */
  ready: Promise<void>;
  /** Ends it in order; what is not over then is ended. */
  close(): Promise<void>;
}

export interface DaemonOptions {
  home: Home;
  version: string;
  /** 0 for any; otherwise the next free one is taken if a stranger has it. */
  port: number;
  env: Record<string, string | undefined>;
  /** Without what the home adds: own tools, skills, MCP servers. */
  plain: boolean;
  log: Log;
  /** For others than this machine. */
  outside: OutsideOptions;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

const { clock, random, processes } = machine;
/** How long requests under way may take when it ends, and everything together. */
const requestsMs = 3_000;
const drainMs = 9_000;

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { home, version, log } = options;
  const token = random.hex(32);
  log.hide(token);
  const stopping = new AbortController();
  const loaded = Promise.withResolvers<Listener>();
  loaded.promise.catch(() => undefined);
  let house: House | undefined;
  const watchdog = createWatchdog({
    home: home.path,
    log,
    async pause(agent, words) {
      const reason = { code: "limit.stall", message: words, next_mover: "human" };
      await house?.runtime.send(agent, { type: "agent.pause", reason }, { actor: "system" });
    },
  });
  const requests = createRequests(loaded.promise, stopping.signal, watchdog.working);
  const server = Object.assign(createHttp(httpLimits, requests.take), serverLimits, { pauseOnConnect: true });
  let service: Service | undefined;
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    loaded.promise.then(
      () => service!.upgrade(request, socket, head),
      () => socket.destroy(),
    );
  };
  server.on("upgrade", upgrade);
  const strangers = createStrangers({ clock, ...strangerLimits });
  server.on("connection", strangers.come);
  const admission = createAdmission(connectionsPerTurn, setImmediate);
  server.on("connection", admission.come);
  const plan = planOutside(options.outside);
  const outside = plan && (await openOutside(plan, requests.take));
  outside?.server
    ?.on("upgrade", upgrade)
    .on(outside.url.startsWith("https") ? "secureConnection" : "connection", strangers.come);
  const port = await listenNear(server, options.port, (line) => log.line(line));
  const url = `http://127.0.0.1:${port}`;
  const started_at = new Date(clock.now()).toISOString();
  const refusal = refusalOf(home.path);
  const about = { pid: process.pid, started_at, host: "127.0.0.1", port, token, version };
  const state = refusal ? { untrusted: true as const } : {};
  await writeDaemonFile(home.path, { ...about, ...state });
  if (outside) log.line(`other machines connect at ${outside.url}`);
  log.line(`listening at ${url} (pid ${process.pid}, version ${version})`);

  // As long as the home is held the file is ours, and not a moment longer.
  let holds = true;
  const held: Home = {
    ...home,
    async release() {
      if (!holds) return;
      holds = false;
      await removeDaemonFile(home.path);
      await home.release();
    },
  };

  async function load(): Promise<void> {
    const began = clock.mono();
    const [{ getRequestListener }, { openRooms }, { serve }, { createDemoModel, demoModel }, { readSessions }] =
      await Promise.all([
        import("@hono/node-server"),
        import("../house/house.ts"),
        import("../house/serve.ts"),
        import("../models/demo-model.ts"),
        import("./session-file.ts"),
      ]);
    const scripted = { [demoModel]: createDemoModel() };
    const notice = (agent: string, problem: Problem) => log.line(`${agent}: ${problem.message}`);
    house = await openRooms({
      path: home.path,
      env: options.env,
      notice,
      plain: options.plain,
      held,
      scripted,
      working: watchdog.working,
    });
    const { runtime } = house;
    await runtime.open();
    let ready = false;
    service = serve({
      house,
      version,
      token,
      hosts: [`127.0.0.1:${port}`, `localhost:${port}`, ...(outside?.hosts ?? [])],
      secureHosts: outside?.secure ?? [],
      ready: () => ready,
      known: strangers.prove,
      async take(values) {
        // Before anything is done with them: what fails may be told with its cause.
        for (const value of Object.values(values)) log.hide(value);
        const changed = await house!.take(values);
        if (changed.length) log.line(`environment updated by a command: ${changed.join(", ")}`);
        return changed;
      },
      kept: refusal ? [] : await readSessions(home.path, machine.files),
      self: {
        pid: process.pid,
        home: home.path,
        started_at,
        prove: (challenge) => proofOf(token, challenge),
        memory: () => process.memoryUsage.rss(),
        stopping: stopping.signal,
      },
      fault: (error, { method, url: at }) =>
        log.line(`fault: ${method} ${new URL(at).pathname}: ${error instanceof Error ? error.stack : String(error)}`),
    });
    loaded.resolve(getRequestListener(service.fetch));
    const { agents } = runtime.recovery();
    if (refusal) log.line(refusal.message);
    else if (agents) log.line(`loading ${agents} ${agents === 1 ? "agent" : "agents"}`);
    if (stopping.signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, 5)); // whoever waited is answered first: loading leaves no time for it
    await house.equip();
    if (stopping.signal.aborted) return;
    await runtime.recover();
    stopping.signal.addEventListener("abort", house.watch(), { once: true });
    ready = true;
    const faults = refusal ? 0 : runtime.agents().filter((agent) => runtime.fault(agent)).length;
    log.line(`ready in ${Math.round(clock.mono() - began)} ms${faults ? `; ${faults} cannot be opened` : ""}`);
  }

  const ready = load().catch((error) => {
    loaded.reject(error);
    throw error;
  });
  ready.catch(() => undefined);

  async function drain(): Promise<void> {
    await withTimeout(clock, requestsMs, requests.idle());
    server.closeAllConnections();
    await ready.catch(() => undefined);
    await (house ?? { close: held.release }).close();
  }

  return {
    url,
    token,
    ready,
    async close() {
      stopping.abort(new Problem("closed", "the daemon is stopping"));
      server.close();
      outside?.server?.close();
      service?.close();
      if (!(await withTimeout(clock, drainMs, drain()))) log.line("shutdown timed out; killing what is left");
      server.closeAllConnections();
      outside?.server?.closeAllConnections();
      await watchdog.close();
      await processes.sweep(programTag(home.path));
      await processes.sweep(`mcp/${programTag(home.path)}`);
      await held.release();
    },
  };
}

/** Hands requests on when there is somebody to answer them, counts those under way, and refuses new ones at the end. */
function createRequests(loaded: Promise<Listener>, stopping: AbortSignal, working: Watchdog["working"]) {
  let running = 0;
  const turns = createConnectionTurns();
  const quiet: (() => void)[] = [];
  let listener: Listener | undefined;
  void loaded.then(
    (made) => {
      listener = made;
    },
    () => undefined,
  );

  function refuse(response: ServerResponse): void {
    if (response.headersSent) return;
    const error = { code: "closed", message: "the daemon is stopping; retry when it is back" };
    response.writeHead(503, { "content-type": "application/json; charset=utf-8", connection: "close" });
    response.end(`${JSON.stringify({ error })}\n`);
  }

  return {
    take(request: IncomingMessage, response: ServerResponse): void {
      if (stopping.aborted) {
        refuse(response);
        return;
      }
      const { socket } = request;
      if (!turns.begin(socket)) return;
      running++;
      const over = hasBody(request) ? working(workOf(request)) : undefined;
      response.once("close", () => {
        over?.();
        turns.end(socket);
        running--;
        if (running > 0) return;
        for (const go of quiet.splice(0)) go();
      });
      if (listener) listener(request, response);
      else
        loaded.then(
          (made) => made(request, response),
          () => refuse(response),
        );
    },
    idle: () => new Promise<void>((resolve) => (running ? quiet.push(resolve) : resolve())),
  };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;

/** Without the query, in which people may have put what is nobody's business. */
const workOf = ({ method, url = "", headers }: IncomingMessage): Work => ({
  what: `${method} ${url.split("?")[0]!.slice(0, 200)}`,
  bytes: Number(headers["content-length"] ?? 0),
});

const most = 100;

async function listenNear(server: Server, wanted: number, say: (line: string) => void): Promise<number> {
  for (let port = wanted; ; port++) {
    try {
      const bound = await listen(server, port);
      if (port !== wanted) say(`port ${wanted} is taken by another program; using ${port}`);
      return bound;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE" && code !== "EACCES")
        throw new Problem("unreachable", `cannot listen on 127.0.0.1:${port}: ${message}`);
      if (port - wanted >= most || port === 65_535)
        throw new Problem("unreachable", `ports ${wanted} to ${port} are all taken; choose one with --port`);
    }
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      server.removeListener("error", failed).removeListener("listening", done);
      act();
    };
    let error: unknown;
    const failed = (given: unknown) => {
      error = given;
      settle(() => reject(error))();
    };
    const done = settle(() => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
    server.once("error", failed).once("listening", done).listen(port, "127.0.0.1");
  });
}
