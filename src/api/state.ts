/**
 * The whole state of an agent, for whoever folds its events: a view begins with it and goes on with the events after its seq. Without the keys
 * of commands, which nobody outside needs and which are most of it.
 */
import { z } from "zod";
import { freezeState, type State, thawState } from "../core/state.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

export const FrozenState = z
  .object({
    seq: z.number().int().describe("Seq of the last event included; the cursor for the stream"),
    state: z.unknown().describe("For the reducers of this version of Agiraph; not a stable format"),
  })
  .describe("Where a fold begins");
export type FrozenState = z.infer<typeof FrozenState>;

export const toFrozenState = (state: State): FrozenState => ({
  seq: state.seq,
  state: freezeState({ ...state, keys: new Map() }),
});

export const fromFrozenState = ({ state }: FrozenState): State => thawState(state);

export const stateRoutes = {
  getState: route({
    method: "GET",
    path: "/agents/{agent}/state",
    tag: "events",
    summary: "Get the state, to fold events onto",
    params: OfAgent,
    ok: 200,
    answer: FrozenState,
    errors: ["not_found"],
  }),
};
