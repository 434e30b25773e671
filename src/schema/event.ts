/**
 * All events, from the nouns (nouns.ts). Types, JSON schema, docs and streams derive from this list.
 *
 * An event is a fact: it never changes, and an unknown type (from a newer minor version) is kept and ignored.
 */
import { z } from "zod";
import { RunId, Time } from "./ids.ts";
import type { Merged } from "./noun.ts";
import { type AnyNoun, nouns } from "./nouns.ts";
import type { Upcasters } from "./upcast.ts";

/** The version of the log format. A log with a higher one is refused, never guessed at. */
export const logVersion = 1;

export const events = Object.assign({}, ...nouns.map((noun) => noun.events)) as Merged<AnyNoun["events"]>;

/** Types whose shape has changed; see upcast.ts. */
export const upcasters: Upcasters = Object.assign({}, ...nouns.map((noun) => noun.upcasters));

type Shapes = typeof events;
export type EventType = keyof Shapes;

export const Envelope = z.object({
  seq: z.number().int().positive().describe("Dense per agent, starting at 1"),
  id: z.string().min(1),
  ts: Time,
  run: RunId.optional(),
  actor: z.string().min(1).describe("Who caused it: a participant, human or system"),
  cause: z
    .string()
    .optional()
    .describe("The key of the command behind it, the event it follows from, or the turn it came with"),
});

export type EventOf<T extends EventType> = T extends EventType
  ? z.infer<typeof Envelope> & { type: T; data: z.infer<Shapes[T]> }
  : never;
export type Event = EventOf<EventType>;

/** What `decide` returns: the fact without its position in the log. */
export type Fact = {
  [T in EventType]: { type: T; data: z.infer<Shapes[T]>; actor?: string; cause?: string };
}[EventType];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(events, type);
}

interface Alias {
  types: readonly EventType[];
  from?: string;
}

/**
 * Names of types in the first specification. Stream filters and trigger patterns still accept them; nothing is ever recorded under them. `from`:
 * only events of this participant.
 */
export const eventAliases: Readonly<Record<string, Alias>> = {
  "agent.started": { types: ["run.started"] },
  "worker.busy": { types: ["node.assigned"] },
  "worker.idle": { types: ["node.completed", "node.failed", "node.cancelled"] },
  "worker.stopped": { types: ["worker.retired"] },
  "message.sent": { types: ["message.posted"] },
  "message.received": { types: ["message.posted"] },
  "tool.result": { types: ["tool.ended"] },
  "human.question": { types: ["question.asked"] },
  "human.response": { types: ["question.answered"] },
  "human.nudge": { types: ["message.posted"], from: "human" },
  "memory.compacted": { types: ["context.shortened"] },
};

export const eventTypes = Object.keys(events) as EventType[];

/** What a pattern stands for besides types of that name. `human.*` is all of them, because no type of today begins so. */
export function aliasesOf(pattern: string): readonly Alias[] {
  if (Object.hasOwn(eventAliases, pattern)) return [eventAliases[pattern]!];
  if (!pattern.endsWith(".*")) return [];
  const begin = pattern.slice(0, -1);
  if (eventTypes.some((type) => type.startsWith(begin))) return [];
  return Object.entries(eventAliases).flatMap(([name, alias]) => (name.startsWith(begin) ? [alias] : []));
}

/** All types with these prefixes: `typesOf("node", "stage")`. */
export const typesOf = (...names: string[]): EventType[] =>
  eventTypes.filter((type) => names.includes(type.slice(0, type.indexOf("."))));
