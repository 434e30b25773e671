/** A server over a real runtime on a real disk, asked over real HTTP; and short ways to ask it. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createScripted, parseScript } from "../backend/scripted.ts";
import { defaultLimits } from "../core/limits.ts";
import { createEmbedded } from "../engine/embedded.ts";
import { machine } from "../lib/machine/index.ts";
import type { Files } from "../lib/world.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import { createFilesStore } from "../store/files.ts";
import { tools } from "../tool/index.ts";
import { createFeed } from "./feed.ts";
import { createGate } from "./gate.ts";
import { createServer } from "./index.ts";
import { createKeep } from "./keep.ts";
import { createUpgrade } from "./socket.ts";

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
  /** Of this life. */
  readonly runtime: Runtime;
  /** What was our fault. */
  faults: unknown[];
  /** `ask("POST /agents", {goal})`, with the token unless `headers` says otherwise. */
  ask(what: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends the daemon and starts another one on the same home and port. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** A coordinator that does nothing but answer; `script` is YAML as in examples/demo.yaml. */
const quiet = "goal: nothing\nparticipants:\n  coordinator: []\n";

export interface TestServerOptions {
  script?: string;
  heartbeatMs?: number;
  /** What the logs are written through, to disturb it. */
  files?: Files;
}

export async function startTestServer({
  script = quiet,
  heartbeatMs,
  files = machine.files,
}: TestServerOptions = {}): Promise<TestServer> {
  const home = mkdtempSync(join(tmpdir(), "agiraph-server-"));
  const token = "a-token-of-the-test";
  const faults: unknown[] = [];
  let port = 0;
  let life = await live();

  /** One life of a daemon on the home. */
  async function live() {
    const store = createFilesStore({ home, files });
    const backend = createScripted(parseScript(script, "test"), machine.clock);
    const runtime = createRuntime({
      home,
      world: machine,
      store,
      engine: createEmbedded({ clock: machine.clock }),
      limits: defaultLimits,
      tools,
      backend: () => backend,
      snapshotEvery: 1000,
      notice: () => undefined,
    });
    await runtime.start();
    const hosts = () => [`127.0.0.1:${port}`, `localhost:${port}`];
    const served = {
      runtime,
      clock: machine.clock,
      version: "0.0.0",
      budget: {},
      model: async (wanted: string | undefined) => wanted ?? "scripted/test",
      ready: () => true,
      feed: createFeed({ runtime, keep: createKeep(machine.files, join(home, "streams")), random: machine.random }),
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
      gate: createGate({ token, hosts, clock: machine.clock }),
      fault: (error: unknown) => faults.push(error),
    };
    const server = createHttp(getRequestListener(createServer(served).fetch));
    const sockets = createUpgrade(served);
    server.on("upgrade", sockets.upgrade);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    port = (server.address() as { port: number }).port;
    return {
      runtime,
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
    async close() {
      await life.end();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
