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
import { createFeed } from "../server/feed.ts";
import { createGate } from "../server/gate.ts";
import type { Self } from "../server/house.ts";
import { createServer } from "../server/index.ts";
import { createKeep } from "../server/keep.ts";
import { createSecrets } from "../server/secrets.ts";
import { createSessions, type KeptSession } from "../server/sessions.ts";
import { createUpgrade, type Upgrade } from "../server/socket.ts";
import { checkFolder, fromHome } from "./folder.ts";
import type { House } from "./house.ts";
import { createKeeper } from "./kept-sessions.ts";
import { lookAtFolder } from "./look-at-folder.ts";
import { offer } from "./offer.ts";
import { readPage } from "./page.ts";

export interface ServeOptions {
  house: House;
  version: string;
  token: string;
  hosts: readonly string[];
  ready(): boolean;
  self: Self;
  /** Sessions of an earlier life. */
  kept: readonly KeptSession[];
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

export function serve({ house, version, token, hosts, ready, self, kept, known, fault }: ServeOptions): Service {
  const { runtime, backends, settings } = house;
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
    gate: createGate({ token, hosts: () => hosts, clock, secrets, sessions }),
    policy: settings.config.policy,
    budget: settings.config.budget ?? {},
    channel(name: string, signature: string | undefined, text: string) {
      const config = Object.hasOwn(settings.config.channels, name) ? settings.config.channels[name] : undefined;
      const secret = config?.kind === "webhook" ? (house.env[config.secret_env] ?? "") : "";
      verify(secret, signature, text, clock.now());
    },
    page: readPage,
    workflows: house.workflows,
    offer: () => offer({ backends, config: settings.config, env: house.env }),
    doctor: async () => (await import("./doctor.ts")).findingsOf(house.path, settings, backends),
    lookAtFolder: (path: string) => lookAtFolder(path, { home: house.path, user: homedir() }),
    folder: (path: string) => checkFolder(fromHome(path, homedir()), { home: house.path, user: homedir() }),
    ...(house.refusal ? { refusal: house.refusal } : {}),
    async model(wanted: string | undefined) {
      if (house.refusal) throw house.refusal;
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
  const { approvals } = settings.config;
  const mcp = createMcpServer({ ...told, approvals: approvals.mcp });
  const a2a = createA2a({ ...told, approvals: approvals.a2a });
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
