/** Every route there is, by name. */
import { agentRoutes } from "./agents.ts";
import { stateRoutes } from "./state.ts";
import { systemRoutes } from "./system.ts";

export const routes = { ...systemRoutes, ...agentRoutes, ...stateRoutes };
export type RouteName = keyof typeof routes;
