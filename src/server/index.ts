/** All handlers of all routes, behind one gate. */
import type { Hono } from "hono";
import { routes } from "../api/index.ts";
import { agentHandlers } from "./agents.ts";
import { createApp, type Mount } from "./app.ts";
import { askingHandlers } from "./asking.ts";
import { boardHandlers } from "./board.ts";
import { bundleHandlers } from "./bundle.ts";
import { channelHandlers } from "./channels.ts";
import { conversationHandlers } from "./conversation.ts";
import { costHandlers } from "./cost.ts";
import { docHandlers } from "./docs.ts";
import { doctorHandlers } from "./doctor.ts";
import { environmentHandlers } from "./environment.ts";
import { eventHandlers } from "./events.ts";
import { fileHandlers } from "./files.ts";
import { findHandlers } from "./find.ts";
import { folderHandlers } from "./folders.ts";
import type { Gate } from "./gate.ts";
import type { Served } from "./house.ts";
import { mcpServerHandlers } from "./mcp-servers.ts";
import { modelHandlers } from "./models.ts";
import { recordHandlers } from "./records.ts";
import { sessionHandlers } from "./session.ts";
import { spendingHandlers } from "./spending.ts";
import { stateHandlers } from "./state.ts";
import { systemHandlers } from "./system.ts";
import { talkHandlers } from "./talk.ts";
import { triggerHandlers } from "./triggers.ts";
import { workerHandlers } from "./workers.ts";
import { workflowHandlers } from "./workflows.ts";

export interface ServerOptions extends Served {
  gate: Gate;
  /** See app.ts. */
  mounts?: Readonly<Record<string, Mount>>;
  fault(error: unknown, request: Request): void;
}

export function createServer(options: ServerOptions): Hono {
  const handlers = {
    ...systemHandlers(options),
    ...modelHandlers(options),
    ...sessionHandlers(options),
    ...agentHandlers(options),
    ...workflowHandlers(options),
    ...folderHandlers(options),
    ...bundleHandlers(options),
    ...talkHandlers(options),
    ...askingHandlers(options),
    ...channelHandlers(options),
    ...stateHandlers(options),
    ...eventHandlers(options),
    ...conversationHandlers(options),
    ...boardHandlers(options),
    ...workerHandlers(options),
    ...fileHandlers(options),
    ...findHandlers(options),
    ...recordHandlers(options),
    ...triggerHandlers(options),
    ...costHandlers(options),
    ...spendingHandlers(options),
    ...doctorHandlers(options),
    ...environmentHandlers(options),
    ...mcpServerHandlers(options),
    ...docHandlers(options, routes),
  };
  return createApp({ ...options, once: options.runtime.once, routes, handlers, stopping: options.self.stopping });
}
