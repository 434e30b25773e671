/** A server over a real runtime on a real disk, called over real HTTP; with shorthands for requests. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { Way } from "../api/through.ts";
import { createScripted, parseScript } from "../backend/scripted.ts";
import { verify } from "../channel/sign.ts";
import { type Client, createClient } from "../client/index.ts";
import { inProcess } from "../client/transport.ts";
import { defaultLimits } from "../core/limits.ts";
import { createEmbedded } from "../engine/embedded.ts";
import { createSouls } from "../home/souls.ts";
import { createWorkflowTexts } from "../home/workflow-texts.ts";
import { createWorkflows } from "../home/workflows.ts";
import { machine } from "../lib/machine/index.ts";
import type { Clock, Files, Processes } from "../lib/world.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import { createFilesStore } from "../store/file-store.ts";
import { tools } from "../tool/index.ts";
import type { Tool } from "../toolkit/tool.ts";
import type { App, Mount } from "./app.ts";
import { createGate, type Gate } from "./auth/gate.ts";
import { proofOf } from "./auth/proof.ts";
import { createSecrets, type Secrets } from "./auth/secrets.ts";
import { createSessions } from "./auth/sessions.ts";
import type { Served } from "./house.ts";
import { createServer } from "./index.ts";
import { httpLimits, serverLimits } from "./limits.ts";
import { createKeep } from "./stream/cursor-files.ts";
import { createFeed } from "./stream/feed.ts";
import { createUpgrade } from "./stream/socket.ts";
import { createSummaries } from "./summaries.ts";

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at it as it is
  body: any;
  headers: Headers;
}

export interface TestServer {
  home: string;
  url: string;
  token: string;
  /** Of the current daemon; a restart makes a new one. */
  readonly runtime: Runtime;
  readonly gate: Gate;
  readonly secrets: Secrets;
  readonly app: App;
  /** Internal errors. */
  faults: unknown[];
  /** `ask("POST /agents", {goal})`, with the token unless `headers` says otherwise. */
  ask(what: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends the daemon and starts another one on the same home and port. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** `keep` leaves the home for the next one. */
  close(how?: "keep"): Promise<void>;
}

/** A coordinator that does nothing but answer; `script` is YAML as in examples/demo.yaml. */
const quiet = "goal: nothing\nparticipants:\n  coordinator: []\n";

export interface TestServerOptions {
  script?: string;
  heartbeatMs?: number;
  /** Of a server that was closed with `keep`; a new one if missing. */
  home?: string;
  policy?: PolicyRule[];
  restAfterMs?: number;
  /** Besides those that everyone has. */
  tools?: readonly Tool[];
  /** Programs are faked, not run. */
  processes?: Processes;
  /** What the logs are written through, for fault injection. */
  files?: Files;
  /** Which folders agents may be given; all if missing. */
  folder?: Served["folder"];
  /** Other protocols. */
  mounts?(given: Mounting): Record<string, Mount>;
}

/** What other protocols are made with. */
export interface Mounting {
  runtime: Runtime;
  clock: Clock;
  version: string;
  /** In-process client for a program that acts for the human by this protocol. */
  client(through: Way): Client;
  fault(error: unknown): void;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { script = quiet, policy = [], heartbeatMs, restAfterMs, mounts } = options;
  const { tools: more = [], processes = machine.processes, files = machine.files } = options;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "agiraph-server-"));
  const token = "a-token-of-the-test";
  const faults: unknown[] = [];
  let port = 0;
  let life = await live();

  /** One daemon on the home, from start to end. */
  async function live() {
    const storeIn = (folder: string) => createFilesStore({ home: folder, files });
    const store = storeIn(home);
    const backend = createScripted(parseScript(script, "test"), machine.clock);
    const runtime = createRuntime({
      home,
      world: { ...machine, processes },
      store,
      storeIn,
      engine: createEmbedded({ clock: machine.clock }),
      limits: defaultLimits,
      tools: [...tools, ...more],
      backend: () => backend,
      policy,
      allowed: { clive: "command:clive" },
      ...(restAfterMs === undefined ? {} : { restAfterMs }),
      snapshotEvery: 1000,
      notice: () => undefined,
    });
    const hosts = () => [`127.0.0.1:${port}`, `localhost:${port}`];
    const secrets = createSecrets("a-key-of-the-test");
    const gate = createGate({ token, hosts, clock: machine.clock, secrets, sessions: createSessions(machine) });
    const served = {
      runtime,
      summaries: createSummaries(runtime),
      clock: machine.clock,
      version: "0.0.0",
      budget: {},
      model: async (wanted: string | undefined) => wanted ?? "scripted/test",
      folder: options.folder ?? (async (path: string) => path),
      workflows: createWorkflows({ files, folders: [{ path: join(home, "workflows"), from: "home" }] }),
      workflowTexts: createWorkflowTexts({ files, folders: [{ path: join(home, "workflows"), from: "home" }] }),
      souls: createSouls({ files, folders: [{ path: join(home, "souls"), from: "home" }] }),
      ready: () => true,
      channel: (name: string, signature: string | undefined, text: string) =>
        verify(name === "hook" ? "s3cret" : "", signature, text, machine.clock.now()),
      self: {
        pid: process.pid,
        home,
        started_at: new Date(machine.clock.now()).toISOString(),
        prove: (challenge: string) => proofOf(token, challenge),
        memory: () => process.memoryUsage.rss(),
        stopping: new AbortController().signal,
      },
      feed: createFeed({ runtime, keep: createKeep(machine.files, join(home, "streams")), random: machine.random }),
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
      gate,
      policy,
      fault: (error: unknown) => void faults.push(error),
    };
    const client = (through: Way) => createClient({ transport: inProcess((request) => app.local(request)), through });
    const app: App = createServer({ ...served, mounts: mounts?.({ ...served, client }) ?? {} });
    await runtime.start();
    const server = Object.assign(createHttp(httpLimits, getRequestListener(app.fetch)), serverLimits);
    const sockets = createUpgrade(served);
    server.on("upgrade", sockets.upgrade);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    port = (server.address() as { port: number }).port;
    return {
      runtime,
      gate,
      secrets,
      app,
      async end() {
        server.close();
        served.feed.close();
        sockets.close();
        server.closeAllConnections();
        await runtime.stop();
        await store.close();
      },
    };
  }

  return {
    home,
    url: `http://127.0.0.1:${port}`,
    token,
    get runtime() {
      return life.runtime;
    },
    get gate() {
      return life.gate;
    },
    get secrets() {
      return life.secrets;
    },
    get app() {
      return life.app;
    },
    faults,
    async ask(what, body, headers = {}) {
      const [method, path] = what.split(" ") as [string, string];
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json");
      return { status: response.status, body: isJson && text ? JSON.parse(text) : text, headers: response.headers };
    },
    async restart(meanwhile = async () => undefined) {
      await life.end();
      await meanwhile();
      life = await live();
    },
    async close(how) {
      await life.end();
      if (how !== "keep") rmSync(home, { recursive: true, force: true });
    },
  };
}
