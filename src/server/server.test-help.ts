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
import type { Processes } from "../lib/world.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { PolicyRule } from "../schema/config.ts";
import { createFilesStore } from "../store/files.ts";
import { tools } from "../tool/index.ts";
import type { Tool } from "../tool/tool.ts";
import type { Mount } from "./app.ts";
import { createGate } from "./gate.ts";
import type { Served } from "./house.ts";
import { createServer } from "./index.ts";
import { createSecrets, type Secrets } from "./secrets.ts";

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
  /** Those of its participants. */
  secrets: Secrets;
  runtime: Runtime;
  /** What was our fault. */
  faults: unknown[];
  /** `ask("POST /agents", {goal})`, with the token unless `headers` says otherwise. */
  ask(what: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/** A coordinator that does nothing but answer; `script` is YAML as in examples/demo.yaml. */
const quiet = "goal: nothing\nparticipants:\n  coordinator: []\n";

export interface TestOptions {
  script?: string;
  /** Besides those that everyone has. */
  tools?: readonly Tool[];
  policy?: readonly PolicyRule[];
  /** Programs are played, not run. */
  processes?: Processes;
  /** Other protocols. */
  mounts?(served: Served, fault: (error: unknown) => void): Record<string, Mount>;
}

export async function startTestServer(options: TestOptions = {}): Promise<TestServer> {
  const { script = quiet, tools: more = [], policy = [], processes = machine.processes, mounts } = options;
  const home = mkdtempSync(join(tmpdir(), "agiraph-server-"));
  const store = createFilesStore({ home, files: machine.files });
  const backend = createScripted(parseScript(script, "test"), machine.clock);
  const runtime = createRuntime({
    home,
    world: { ...machine, processes },
    store,
    engine: createEmbedded({ clock: machine.clock }),
    limits: defaultLimits,
    tools: [...tools, ...more],
    policy,
    backend: () => backend,
    snapshotEvery: 1000,
    notice: () => undefined,
  });
  await runtime.start();
  const token = "a-token-of-the-test";
  let hosts: string[] = [];
  const faults: unknown[] = [];
  const secrets = createSecrets("a-key-of-the-test");
  const fault = (error: unknown) => void faults.push(error);
  const served: Served = {
    runtime,
    clock: machine.clock,
    version: "0.0.0",
    budget: {},
    model: async (wanted) => wanted ?? "scripted/test",
    ready: () => true,
  };
  const gate = createGate({ token, hosts: () => hosts, clock: machine.clock, secrets });
  const app = createServer({ ...served, gate, fault, mounts: mounts?.(served, fault) ?? {} });
  const server = createHttp(getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const url = `http://127.0.0.1:${port}`;
  return {
    home,
    url,
    token,
    secrets,
    runtime,
    faults,
    async ask(what, body, headers = {}) {
      const [method, path] = what.split(" ") as [string, string];
      const response = await fetch(url + path, {
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
    async close() {
      server.close();
      server.closeAllConnections();
      await runtime.stop();
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
