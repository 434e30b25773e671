/** Every route there is, by name. */
import { agentRoutes } from "./agents.ts";
import { eventRoutes } from "./events.ts";
import { stateRoutes } from "./state.ts";
import { systemRoutes } from "./system.ts";

export const routes = {
  ...systemRoutes,
  ...agentRoutes,
  ...stateRoutes,
  ...eventRoutes,
};
export type RouteName = keyof typeof routes;
