/** What happened, as a page, as server-sent events or over a WebSocket: of one agent, or of all. */
import { z } from "zod";
import { aliasesOf, Envelope, type Event } from "../schema/event.ts";
import { AgentId } from "../schema/ids.ts";
import { OfAgent } from "./agents.ts";
import { page } from "./page.ts";
import { route } from "./route.ts";

const Types = z
  .string()
  .max(1000)
  .regex(/^[a-z_.*]+(,[a-z_.*]+)*$/, "a comma-separated list of types, such as node.*,message.posted")
  .describe(
    "Only these types: `node.*,message.*`; `delta` for answers as they are generated. Older names, " +
      "such as `message.sent`, are aliases listed in docs/reference/events.md",
  );

const After = z
  .string()
  .max(8000)
  .describe("Cursor, exclusive; `now` for new events only. `Last-Event-ID` takes precedence");

export const EventQuery = z.object({
  after: After.optional(),
  types: Types.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe("Maximum number of items"),
});

export const WireEvent = Envelope.extend({ type: z.string(), data: z.record(z.string(), z.unknown()) }).describe(
  "One event; docs/reference lists the types",
);
/** Of /events: an event does not say itself whose it is. */
export type AnyEvent = Event & { agent: string };

/** Words of an answer as they come. Never stored: the whole text comes with the event that ends the turn. */
export const WireDelta = z.object({
  agent: AgentId,
  participant: z.string(),
  turn: z.string(),
  kind: z.enum(["text", "thought"]),
  text: z.string(),
});
export type WireDelta = z.infer<typeof WireDelta>;

/** What a reader that did not keep up is told last: ask again from here. */
export interface Resync {
  after: string;
}

/** An agent whose log cannot be read, so that its events are missing; those of the others come. */
export const Damage = z.object({ agent: AgentId, code: z.string(), message: z.string() });
export type Damage = z.infer<typeof Damage>;

const after = z.string().describe("The cursor after the last item, for the next page or a stream");
const about =
  "With `Accept: text/event-stream` an endless stream of server-sent events: `id` is the cursor, `event` the type, `data` the event; `event: delta` has no id. With an upgrade a WebSocket: `{type: event|delta|resync|damage, …}`, and the first frame of a client may be `{type: subscribe, after?, types?}`. A reader that does not read is sent `resync` and let go. `damage` names an agent whose log cannot be read: its events are missing.";

export const eventRoutes = {
  listEvents: route({
    method: "GET",
    path: "/agents/{agent}/events",
    tag: "events",
    summary: "Get or stream the events of an agent",
    about,
    params: OfAgent,
    query: EventQuery,
    ok: 200,
    answer: page(WireEvent).extend({ after }),
    kind: "stream",
    errors: ["not_found", "stale"],
  }),
  listAllEvents: route({
    method: "GET",
    path: "/events",
    tag: "events",
    summary: "Get or stream the events of all agents; the cursor is opaque",
    about,
    query: EventQuery,
    ok: 200,
    answer: page(WireEvent.extend({ agent: AgentId })).extend({
      after,
      damage: z.array(Damage).describe("Agents whose log cannot be read: their events are missing"),
    }),
    kind: "stream",
    errors: ["stale"],
  }),
};

/** Whether a type is among those asked for. */
export function createFilter(types: string | undefined): (type: string) => boolean {
  if (types === undefined) return () => true;
  const asked = types.split(",").flatMap((one) => [one, ...aliasesOf(one).flatMap((alias) => alias.types)]);
  const exact = new Set(asked);
  if (exact.has("*")) return (type) => type !== "delta" || exact.has("delta");
  const nouns = asked.filter((one) => one.endsWith(".*")).map((one) => one.slice(0, -1));
  return (type) => exact.has(type) || nouns.some((noun) => type.startsWith(noun));
}
