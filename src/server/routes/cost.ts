/** Cost over HTTP. */
import { type costRoutes, costView } from "../../api/cost.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const costHandlers = ({ runtime }: Served): Handlers<typeof costRoutes> => ({
  async getCost({ params: { agent } }) {
    assertKnown(runtime, agent);
    return await runtime.read(agent, costView);
  },
});
