/**
 * Resources: immutable blobs, identified by their hash. The same content again is the same resource: its first title stays, and nothing is
 * recorded. The human may add one also when the run is completed: the message it is attached to reopens the run.
 *
 * Not here: the bytes. The caller has stored them before.
 */
import type { EventOf } from "../../schema/event.ts";
import type { Resource } from "../../schema/resource.ts";
import { requireAgent, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { slug } from "../team/names.ts";

/** Throws unless this actor may add a resource now. */
export function assertKeeps(state: State, actor: string): void {
  if (actor !== "human" || state.run?.status !== "completed") requireRun(state);
  else requireAgent(state, "active", "paused", "stopped", "completed");
}

const resourceDecide: Deciders<"resource.create"> = {
  "resource.create": (state, { resource, title, media_type: type, size, preview }, { actor }) => {
    assertKeeps(state, actor);
    return state.resources.has(resource)
      ? []
      : [{ type: "resource.created", data: { resource, title, type, size, preview } }];
  },
};

const reduceResources: Reduce = (state, event) => {
  if (event.type === "run.started") return state.resources.clear();
  if (event.type !== "resource.created") return;
  const resource = resourceIn(event);
  if (!state.resources.has(resource.id)) state.resources.set(resource.id, resource);
};

export function resourceIn({ data, actor, ts }: EventOf<"resource.created">): Resource {
  const { resource: id, ...given } = data;
  return { ...given, id, by: actor, at: ts };
}

/** Its file name in the run: its title, for people; the hash tells two of one title apart. */
export function resourceFile({ id, title }: Pick<Resource, "id" | "title">): string {
  const [, name = title, ending = "txt"] = /^(.+)\.([a-z0-9]{1,8})$/i.exec(title.trim()) ?? [];
  return `${slug(name)}-${id.slice(0, 8)}.${ending.toLowerCase()}`;
}

export const resource = defineBehaviour({
  decide: resourceDecide,
  reduce: [{ phase: "own", looksAt: ["resource.created", "run.started"], reduce: reduceResources }],
});
