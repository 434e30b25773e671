/** The files of a run, to look at: no path leads out of its folder, whatever links its participants made. */
import type { State } from "../core/state.ts";
import type { Within, World } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { runRoot } from "../store/layout.ts";

export type RunFiles = Pick<Within, "read" | "list" | "stat"> & { run: string };

export function runFiles(
  { home, world }: { home: string; world: World },
  { agent, run, past }: State,
  wanted: string | undefined,
): RunFiles {
  const id = wanted ?? run?.id;
  const all = [...past.map((one) => one.id), ...(run ? [run.id] : [])];
  if (id === undefined || !all.includes(id)) {
    const what = id === undefined ? `${agent?.id} has had no run yet` : `${agent?.id} has no run ${id}`;
    throw new Problem("not_found", `${what}; there are ${all.join(", ") || "none"}`);
  }
  const { read, list, stat } = world.files.within(runRoot(home, agent!.id, id));
  return { run: id, read, list, stat };
}
