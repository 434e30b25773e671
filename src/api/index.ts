/** Every route there is, by name. */
import { agentRoutes } from "./agents.ts";
import { askingRoutes } from "./asking.ts";
import { boardRoutes } from "./board.ts";
import { bundleRoutes } from "./bundle.ts";
import { changeRoutes } from "./changes.ts";
import { channelRoutes } from "./channels.ts";
import { conversationRoutes } from "./conversation.ts";
import { costRoutes } from "./cost.ts";
import { docRoutes } from "./docs.ts";
import { doctorRoutes } from "./doctor.ts";
import { documentRoutes } from "./documents.ts";
import { environmentRoutes } from "./environment.ts";
import { eventRoutes } from "./events.ts";
import { fileRoutes } from "./files.ts";
import { findRoutes } from "./find.ts";
import { folderRoutes } from "./folders.ts";
import { insightRoutes } from "./insights.ts";
import { mcpServerRoutes } from "./mcp-servers.ts";
import { modelRoutes } from "./models.ts";
import { proposalRoutes } from "./proposals.ts";
import { recordRoutes } from "./records.ts";
import { sessionRoutes } from "./session.ts";
import { soulRoutes } from "./soul.ts";
import { soulTemplateRoutes } from "./souls.ts";
import { spendingRoutes } from "./spending.ts";
import { stateRoutes } from "./state.ts";
import { systemRoutes } from "./system.ts";
import { talkRoutes } from "./talk.ts";
import { triggerRoutes } from "./triggers.ts";
import { turnContextRoutes } from "./turn-context.ts";
import { waitRoutes } from "./wait.ts";
import { workerRoutes } from "./workers.ts";
import { workflowFileRoutes } from "./workflow-files.ts";
import { workflowRoutes } from "./workflows.ts";

export const routes = {
  ...systemRoutes,
  ...modelRoutes,
  ...sessionRoutes,
  ...agentRoutes,
  ...workflowRoutes,
  ...workflowFileRoutes,
  ...soulTemplateRoutes,
  ...folderRoutes,
  ...bundleRoutes,
  ...talkRoutes,
  ...waitRoutes,
  ...askingRoutes,
  ...channelRoutes,
  ...stateRoutes,
  ...eventRoutes,
  ...conversationRoutes,
  ...turnContextRoutes,
  ...boardRoutes,
  ...changeRoutes,
  ...workerRoutes,
  ...fileRoutes,
  ...findRoutes,
  ...soulRoutes,
  ...recordRoutes,
  ...documentRoutes,
  ...proposalRoutes,
  ...insightRoutes,
  ...triggerRoutes,
  ...costRoutes,
  ...spendingRoutes,
  ...docRoutes,
  ...doctorRoutes,
  ...environmentRoutes,
  ...mcpServerRoutes,
};
export type RouteName = keyof typeof routes;
