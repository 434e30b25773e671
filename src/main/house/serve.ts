/** A house for others than this process: its routes behind the gate, MCP, A2A, sockets, the page. */
import type { Hono } from "hono";
import { createA2a } from "../../a2a/server.ts";
import type { Way } from "../../api/through.ts";
import { createClient } from "../../client/index.ts";
import { inProcess } from "../../client/transport.ts";
import { machine } from "../../lib/machine/index.ts";
import { createMcpServer } from "../../mcp/server.ts";
import type { App } from "../../server/app.ts";
import { createGate } from "../../server/auth/gate.ts";
import { createSecrets } from "../../server/auth/secrets.ts";
import { createSessions, type KeptSession } from "../../server/auth/sessions.ts";
import { createServer } from "../../server/index.ts";
import { createUpgrade, type Upgrade } from "../../server/stream/socket.ts";
import { createKeeper } from "../daemon/session-file.ts";
import { readPage } from "../installation/page.ts";
import { type ServedOptions, serveHouse } from "./served.ts";

export interface ServeOptions extends ServedOptions {
  hosts: readonly string[];
  /** Those that people reach by TLS. */
  secureHosts: readonly string[];
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

export function serve({ hosts, secureHosts, kept, known, fault, ...options }: ServeOptions): Service {
  const { house, token, version } = options;
  const { clock, random, files } = machine;
  const secrets = createSecrets(random.hex(32));
  const sessions = createSessions({ clock, random, kept, keep: createKeeper(house.path, files) });
  const gate = createGate({ token, hosts: () => hosts, clock, secrets, sessions });
  const served = { ...serveHouse(options), gate, known, fault, page: readPage };
  /** Other protocols come in by the gate, and are clients of the same routes as everyone. */
  const client = (through: Way) => createClient({ transport: inProcess((request) => app.local(request)), through });
  const told = { clock, version, fault: (error: unknown) => fault(error, new Request("http://daemon/mcp")) };
  const mcp = createMcpServer({ ...told, client: client("mcp"), participants: house.runtime });
  const a2a = createA2a({ ...told, client: client("a2a"), isSecure: (host) => secureHosts.includes(host) });
  const app: App = createServer({ ...served, mounts: { "/mcp": mcp.serve, ...a2a } });
  const sockets = createUpgrade(served);
  return {
    fetch: app.fetch,
    upgrade: sockets.upgrade,
    close() {
      void mcp.close();
      served.feed.close();
      sockets.close();
    },
  };
}
