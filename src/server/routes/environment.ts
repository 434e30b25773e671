/** The daemon's environment variables, by name and keyed hash; never a value. */
import type { environmentRoutes } from "../../api/environment.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

export const environmentHandlers = ({ environment }: Served): Handlers<typeof environmentRoutes> => ({
  getEnvironment: async () => (await environment?.look()) ?? { variables: [], config: { problem: null, restart: [] } },
  setVariables: async ({ body: { values } }) => ({ changed: (await environment?.take(values)) ?? [] }),
});
