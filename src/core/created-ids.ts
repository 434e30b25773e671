/** The ids that an event created, by noun, e.g. `{node: "n3-report"}`. */
import type { Event } from "../schema/event.ts";

const births = new Set(["created", "spawned", "started", "posted", "asked", "written", "made"]);
const nothing: Record<string, string> = {};

/** The noun that events of this type create, if any. Cached per type: a fold asks for every event. */
const brings = new Map<string, string | undefined>();

function broughtBy(type: string): string | undefined {
  if (brings.has(type)) return brings.get(type);
  const [noun, verb] = type.split(".") as [string, string];
  const brought = births.has(verb) ? noun : undefined;
  brings.set(type, brought);
  return brought;
}

export function createdIds({ type, data }: Event): Record<string, string> {
  // It brings the next one, which follows from it.
  if (type === "run.stopped" && data.next) return { run: data.next.run };
  if (type === "run.preparing") return { run: data.run };
  const noun = broughtBy(type);
  const id = noun && (data as Record<string, unknown>)[noun];
  return typeof id === "string" ? { [noun!]: id } : nothing;
}
