/** An immutable blob, identified by its hash. */
import { z } from "zod";
import { Address, Sha256, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

export const Resource = z.object({
  id: Sha256,
  title: z.string().min(1).max(200),
  type: z.string().min(1).max(100),
  size: z.number().int().nonnegative(),
  preview: z.string().max(400),
  by: Address,
  at: Time,
});
export type Resource = z.infer<typeof Resource>;

export const Attachment = Resource.pick({ id: true, title: true, type: true, size: true }).describe(
  "A resource of the run that goes with a message",
);
export type Attachment = z.infer<typeof Attachment>;

const fields = {
  resource: Sha256,
  title: Resource.shape.title,
  size: Resource.shape.size,
  preview: Resource.shape.preview,
};

const resourceEvents = { "resource.created": z.object({ ...fields, type: Resource.shape.type }) };
const resourceCommands = {
  /** `media_type` becomes the resource's type: in a command, `type` says which command it is. */
  "resource.create": z.object({ ...fields, media_type: Resource.shape.type.default("text/plain") }),
};

export const resource = defineNoun({
  name: "resource",
  events: resourceEvents,
  commands: resourceCommands,
  state: () => ({ resources: new Map<string, Resource>() }),
  reference: { Resource },
});
