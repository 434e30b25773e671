/** The routes over a house: what the handlers need of it, put together. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { Hono } from "hono";
import { createA2a } from "../a2a/server.ts";
import { BackendError } from "../backend/backend.ts";
import { verify } from "../channel/sign.ts";
import { machine } from "../lib/machine/index.ts";
import { createMcpServer } from "../mcp/server.ts";
import { Problem } from "../schema/problem.ts";
import { createGate } from "../server/auth/gate.ts";
import { markOf } from "../server/auth/proof.ts";
import { createSecrets } from "../server/auth/secrets.ts";
import { createSessions, type KeptSession } from "../server/auth/sessions.ts";
import type { Self } from "../server/house.ts";
import { createServer } from "../server/index.ts";
import { createKeep } from "../server/stream/cursor-files.ts";
import { createFeed } from "../server/stream/feed.ts";
import { createUpgrade, type Upgrade } from "../server/stream/socket.ts";
import { createSummaries } from "../server/summaries.ts";
import { createKeeper } from "./daemon/session-file.ts";
import { checkFolder, fromHome } from "./folder.ts";
import type { House } from "./house.ts";
import { variablesOf } from "./known-secrets.ts";
import { lookAtFolder } from "./look-at-folder.ts";
import { offer } from "./offer.ts";
import { readPage } from "./page.ts";

export interface ServeOptions {
  house: House;
  version: string;
  token: string;
  hosts: readonly string[];
  /** Those that people reach by TLS. */
  secureHosts: readonly string[];
  ready(): boolean;
  self: Self;
  /** Sessions of an earlier life. */
  kept: readonly KeptSession[];
  /** Sets variables of the house's environment; resolves with the names of those that changed. */
  take(values: Readonly<Record<string, string>>): Promise<string[]>;
  /** A token was shown on this connection. */
  known(socket: object): void;
  fault(error: unknown, request: Request): void;
}

export interface Service {
  fetch: Hono["fetch"];
  upgrade: Upgrade["upgrade"];
  /** Streams are told, and end. */
  close(): void;
}

export function serve({
  house,
  version,
  token,
  hosts,
  secureHosts,
  ready,
  self,
  kept,
  take,
  known,
  fault,
}: ServeOptions): Service {
  const { runtime, backends, rules } = house;
  const config = () => house.settings.config;
  const { clock, random, files } = machine;
  const secrets = createSecrets(random.hex(32));
  const sessions = createSessions({ clock, random, kept, keep: createKeeper(house.path, files) });
  const feed = createFeed({ runtime, keep: createKeep(files, join(house.path, "streams")), random });
  const served = {
    runtime,
    version,
    fault,
    known,
    clock,
    ready,
    self,
    feed,
    summaries: createSummaries(runtime),
    gate: createGate({ token, hosts: () => hosts, clock, secrets, sessions }),
    policy: rules.policy,
    budget: rules.budget,
    channel(name: string, signature: string | undefined, text: string) {
      const { channels } = config();
      const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
      const secret = channel?.kind === "webhook" ? (house.env[channel.secret_env] ?? "") : "";
      verify(secret, signature, text, clock.now());
    },
    page: readPage,
    workflows: house.workflows,
    async offer() {
      await house.refresh();
      return await offer({ backends, config: config(), env: house.env });
    },
    async doctor(call: boolean) {
      await house.refresh();
      return await (await import("./actions/doctor.ts")).findingsOf(house.path, house.settings, house, call);
    },
    environment: {
      async look() {
        await house.refresh();
        const { problem, restart } = house.edits();
        const variables = variablesOf(config()).map((name) => {
          const value = house.env[name]?.trim();
          return { name, mark: value ? markOf(token, name, value) : null };
        });
        return { variables, config: { problem: problem?.message ?? null, restart } };
      },
      take,
    },
    mcpServers: {
      async list() {
        await house.refresh();
        return await (await house.mcp()).list();
      },
      async accept(server: string, tool: string | undefined) {
        await house.refresh();
        return await (await house.mcp()).accept(server, tool);
      },
    },
    lookAtFolder: (path: string) => lookAtFolder(path, { home: house.path, user: homedir() }),
    folder: (path: string) => checkFolder(fromHome(path, homedir()), { home: house.path, user: homedir() }),
    ...(house.refusal ? { refusal: house.refusal } : {}),
    async model(wanted: string | undefined) {
      if (house.refusal) throw house.refusal;
      await house.refresh();
      const { problem } = house.edits();
      // A limit that was written and not understood would be worse than none.
      if (problem) throw problem;
      const choice = wanted === undefined ? await backends.choose() : { model: wanted, why: "" };
      if (!choice.model) throw new Problem("not_offered", `no model to ask: ${choice.why}`);
      if (house.scripts.find(choice.model)) return choice.model;
      try {
        return backends.resolve(choice.model).name;
      } catch (error) {
        throw error instanceof BackendError ? new Problem("not_offered", error.message) : error;
      }
    },
  };
  const told = { ...served, fault: (error: unknown) => fault(error, new Request("http://daemon/mcp")) };
  const { approvals } = config();
  const mcp = createMcpServer({ ...told, approvals: approvals.mcp });
  const isSecure = (host: string) => secureHosts.includes(host);
  const a2a = createA2a({ ...told, approvals: approvals.a2a, isSecure });
  const { fetch } = createServer({ ...served, mounts: { "/mcp": mcp.serve, ...a2a } });
  const sockets = createUpgrade(served);
  return {
    fetch,
    upgrade: sockets.upgrade,
    close() {
      void mcp.close();
      feed.close();
      sockets.close();
    },
  };
}
