/** The daemon about itself. */
import type { systemRoutes } from "../api/system.ts";
import type { Handlers } from "./handler.ts";
import type { Served } from "./house.ts";

export const systemHandlers = ({ ready, version }: Served): Handlers<typeof systemRoutes> => ({
  health: async () => ({ status: ready() ? "ready" : "starting", version }),
});
