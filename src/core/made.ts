/** What an event brought into the world: its id by noun, e.g. `{node: "n3-report"}`. */
import type { Event } from "../schema/event.ts";

const births = new Set(["created", "spawned", "started", "posted", "asked", "written", "made"]);

export function made({ type, data }: Event): Record<string, string> {
  // It brings the next one, which follows from it.
  if (type === "run.stopped" && data.next) return { run: data.next.run };
  const [noun, verb] = type.split(".") as [string, string];
  const id = (data as Record<string, unknown>)[noun];
  return typeof id === "string" && births.has(verb) ? { [noun]: id } : {};
}
