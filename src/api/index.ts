/** Every route there is, by name. */
import { agentRoutes } from "./agents.ts";
import { askingRoutes } from "./asking.ts";
import { sessionRoutes } from "./session.ts";
import { systemRoutes } from "./system.ts";
import { talkRoutes } from "./talk.ts";

export const routes = {
  ...systemRoutes,
  ...sessionRoutes,
  ...agentRoutes,
  ...talkRoutes,
  ...askingRoutes,
};
export type RouteName = keyof typeof routes;
