/** All handlers of all routes, behind one gate. */
import type { Hono } from "hono";
import { routes } from "../api/index.ts";
import { agentHandlers } from "./agents.ts";
import { createApp, type Mount } from "./app.ts";
import type { Gate } from "./gate.ts";
import type { Served } from "./house.ts";
import { systemHandlers } from "./system.ts";

export interface ServerOptions extends Served {
  gate: Gate;
  /** See app.ts. */
  mounts?: Readonly<Record<string, Mount>>;
  fault(error: unknown, request: Request): void;
}

export function createServer(options: ServerOptions): Hono {
  const handlers = { ...systemHandlers(options), ...agentHandlers(options) };
  return createApp({ ...options, routes, handlers });
}
