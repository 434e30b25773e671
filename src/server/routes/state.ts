/** The starting point of a client's fold, over HTTP. */
import { type stateRoutes, toFrozenState } from "../../api/state.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const stateHandlers = ({ runtime }: Served): Handlers<typeof stateRoutes> => ({
  async getState({ params: { agent } }) {
    assertKnown(runtime, agent);
    return await runtime.read(agent, toFrozenState);
  },
});
