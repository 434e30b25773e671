/** All handlers of all routes, behind one gate. */
import { routes } from "../api/index.ts";
import { type App, createApp, type Mount } from "./app.ts";
import type { Gate } from "./auth/gate.ts";
import type { Served } from "./house.ts";
import { agentHandlers } from "./routes/agents.ts";
import { askingHandlers } from "./routes/asking.ts";
import { boardHandlers } from "./routes/board.ts";
import { bundleHandlers } from "./routes/bundle.ts";
import { changeHandlers } from "./routes/changes.ts";
import { channelHandlers } from "./routes/channels.ts";
import { conversationHandlers } from "./routes/conversation.ts";
import { costHandlers } from "./routes/cost.ts";
import { docHandlers } from "./routes/docs.ts";
import { doctorHandlers } from "./routes/doctor.ts";
import { documentHandlers } from "./routes/documents.ts";
import { environmentHandlers } from "./routes/environment.ts";
import { eventHandlers } from "./routes/events.ts";
import { fileHandlers } from "./routes/files.ts";
import { findHandlers } from "./routes/find.ts";
import { folderHandlers } from "./routes/folders.ts";
import { insightHandlers } from "./routes/insights.ts";
import { mcpServerHandlers } from "./routes/mcp-servers.ts";
import { modelHandlers } from "./routes/models.ts";
import { proposalHandlers } from "./routes/proposals.ts";
import { recordHandlers } from "./routes/records.ts";
import { sessionHandlers } from "./routes/session.ts";
import { soulHandlers } from "./routes/soul.ts";
import { soulTemplateHandlers } from "./routes/souls.ts";
import { spendingHandlers } from "./routes/spending.ts";
import { stateHandlers } from "./routes/state.ts";
import { systemHandlers } from "./routes/system.ts";
import { talkHandlers } from "./routes/talk.ts";
import { triggerHandlers } from "./routes/triggers.ts";
import { turnContextHandlers } from "./routes/turn-context.ts";
import { waitHandlers } from "./routes/wait.ts";
import { workerHandlers } from "./routes/workers.ts";
import { workflowFileHandlers } from "./routes/workflow-files.ts";
import { workflowHandlers } from "./routes/workflows.ts";

export interface ServerOptions extends Served {
  gate: Gate;
  /** See app.ts. */
  mounts?: Readonly<Record<string, Mount>>;
  fault(error: unknown, request: Request): void;
}

export function createServer(options: ServerOptions): App {
  const handlers = {
    ...systemHandlers(options),
    ...modelHandlers(options),
    ...sessionHandlers(options),
    ...agentHandlers(options),
    ...workflowHandlers(options),
    ...workflowFileHandlers(options),
    ...soulTemplateHandlers(options),
    ...folderHandlers(options),
    ...bundleHandlers(options),
    ...talkHandlers(options),
    ...waitHandlers(options),
    ...askingHandlers(options),
    ...channelHandlers(options),
    ...stateHandlers(options),
    ...eventHandlers(options),
    ...conversationHandlers(options),
    ...boardHandlers(options),
    ...changeHandlers(options),
    ...workerHandlers(options),
    ...fileHandlers(options),
    ...findHandlers(options),
    ...soulHandlers(options),
    ...recordHandlers(options),
    ...documentHandlers(options),
    ...proposalHandlers(options),
    ...insightHandlers(options),
    ...triggerHandlers(options),
    ...turnContextHandlers(options),
    ...costHandlers(options),
    ...spendingHandlers(options),
    ...doctorHandlers(options),
    ...environmentHandlers(options),
    ...mcpServerHandlers(options),
    ...docHandlers(options, routes),
  };
  return createApp({ ...options, once: options.runtime.once, routes, handlers, stopping: options.self.stopping });
}
