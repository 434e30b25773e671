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
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { PolicyRule } from "../schema/config.ts";
import { createFilesStore } from "../store/files.ts";
import { tools } from "../tool/index.ts";
import { createGate, type Gate } from "./gate.ts";
import { createServer } from "./index.ts";
import { httpLimits, serverLimits } from "./limits.ts";
import { createSecrets, type Secrets } from "./secrets.ts";
import { createSessions } from "./sessions.ts";

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
  runtime: Runtime;
  gate: Gate;
  secrets: Secrets;
  /** What was our fault. */
  faults: unknown[];
  /** `ask("POST /agents", {goal})`, with the token unless `headers` says otherwise. */
  ask(what: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** `keep` leaves the home for the next one. */
  close(how?: "keep"): Promise<void>;
}

/** A coordinator that does nothing but answer; `script` is YAML as in examples/demo.yaml. */
const quiet = "goal: nothing\nparticipants:\n  coordinator: []\n";

export interface TestOptions {
  script?: string;
  /** Of a server that was closed with `keep`; a new one if missing. */
  home?: string;
  policy?: PolicyRule[];
  restAfterMs?: number;
}

export async function startTestServer(options: TestOptions = {}): Promise<TestServer> {
  const { script = quiet, policy = [] } = options;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "agiraph-server-"));
  const store = createFilesStore({ home, files: machine.files });
  const backend = createScripted(parseScript(script, "test"), machine.clock);
  const runtime = createRuntime({
    home,
    world: machine,
    store,
    engine: createEmbedded({ clock: machine.clock }),
    limits: defaultLimits,
    tools,
    backend: () => backend,
    policy,
    ...(options.restAfterMs === undefined ? {} : { restAfterMs: options.restAfterMs }),
    snapshotEvery: 1000,
    notice: () => undefined,
  });
  const token = "a-token-of-the-test";
  let hosts: string[] = [];
  const faults: unknown[] = [];
  const secrets = createSecrets("a-key-of-the-test");
  const sessions = createSessions(machine);
  const gate = createGate({ token, hosts: () => hosts, clock: machine.clock, secrets, sessions });
  const app = createServer({
    runtime,
    clock: machine.clock,
    version: "0.0.0",
    budget: {},
    model: async (wanted) => wanted ?? "scripted/test",
    ready: () => true,
    gate,
    policy,
    fault: (error) => faults.push(error),
  });
  await runtime.start();
  const server = Object.assign(createHttp(httpLimits, getRequestListener(app.fetch)), serverLimits);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const url = `http://127.0.0.1:${port}`;
  return {
    home,
    url,
    token,
    runtime,
    gate,
    secrets,
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
    async close(how) {
      server.close();
      server.closeAllConnections();
      await runtime.stop();
      await store.close();
      if (how !== "keep") rmSync(home, { recursive: true, force: true });
    },
  };
}
