/** All handlers of all routes, behind one gate. */
import type { Hono } from "hono";
import { routes } from "../api/index.ts";
import { agentHandlers } from "./agents.ts";
import { createApp } from "./app.ts";
import { boardHandlers } from "./board.ts";
import { conversationHandlers } from "./conversation.ts";
import { costHandlers } from "./cost.ts";
import { docHandlers } from "./docs.ts";
import { eventHandlers } from "./events.ts";
import { fileHandlers } from "./files.ts";
import type { Gate } from "./gate.ts";
import type { Served } from "./house.ts";
import { recordHandlers } from "./records.ts";
import { stateHandlers } from "./state.ts";
import { systemHandlers } from "./system.ts";
import { triggerHandlers } from "./triggers.ts";
import { workerHandlers } from "./workers.ts";

export interface ServerOptions extends Served {
  gate: Gate;
  fault(error: unknown, request: Request): void;
}

export function createServer(options: ServerOptions): Hono {
  const handlers = {
    ...systemHandlers(options),
    ...agentHandlers(options),
    ...stateHandlers(options),
    ...eventHandlers(options),
    ...conversationHandlers(options),
    ...boardHandlers(options),
    ...workerHandlers(options),
    ...fileHandlers(options),
    ...recordHandlers(options),
    ...triggerHandlers(options),
    ...costHandlers(options),
    ...docHandlers(options, routes),
  };
  return createApp({ ...options, routes, handlers });
}
