/** The prompts, and how their placeholders are filled. */
export { coordinator, finite, infinite, leading, plannedNodes, plannedStages, workflow } from "./coordinator.ts";
export { cut, flush, shortened } from "./notes.ts";
export { errors, mastery, memory, project, team, voices, withheld } from "./runbooks.ts";
export { autonomous, cli, member, single, worker } from "./worker.ts";

/** Fills the placeholders. A placeholder without a value, or a value without one, is a bug. */
export function fill(text: string, values: Record<string, string | number> = {}): string {
  const unused = new Set(Object.keys(values));
  const filled = text.replace(/\{([a-z]+)\}/g, (gap, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`nothing was given for ${gap}`);
    unused.delete(name);
    return String(value);
  });
  if (unused.size) throw new Error(`there is no gap for ${[...unused].join(", ")}`);
  return filled;
}
