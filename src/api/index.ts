/** Every route there is, by name. */
import { agentRoutes } from "./agents.ts";
import { systemRoutes } from "./system.ts";

export const routes = { ...systemRoutes, ...agentRoutes };
export type RouteName = keyof typeof routes;
