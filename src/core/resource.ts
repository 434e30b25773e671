/**
 * Blobs that never change, named by their hash. The same content again is the same resource: its first title stays, and nothing is recorded.
 *
 * Not here: the bytes. The caller has stored them before.
 */
import { requireRun } from "./lookup.ts";
import type { Deciders, Reduce } from "./noun.ts";

export const resourceDecide: Deciders<"resource.create"> = {
  "resource.create": (state, { resource, title, media_type: type, size, preview }) => {
    requireRun(state);
    return state.resources.has(resource)
      ? []
      : [{ type: "resource.created", data: { resource, title, type, size, preview } }];
  },
};

export const reduceResources: Reduce = (state, event) => {
  if (event.type === "run.started") return state.resources.clear();
  if (event.type !== "resource.created") return;
  const { resource: id, ...given } = event.data;
  if (!state.resources.has(id)) state.resources.set(id, { ...given, id, by: event.actor, at: event.ts });
};
