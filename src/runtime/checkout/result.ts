/** What a participant made in its checkout, as one commit that can be examined, copied and published. */
import { join } from "node:path";
import { integrationOf, requireCheckout, requireWorkspace } from "../../core/file/workspace.ts";
import type { Files } from "../../lib/world.ts";
import type { Change } from "../../schema/diff.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Workspaces } from "../../workspace/workspaces.ts";
import { changeBetween } from "./change.ts";
import type { Keeping } from "./keep.ts";
import { parentsOf, type Shared } from "./shared.ts";

export interface Result {
  /** Of the coordinator: all that the run changed, with what was merged. */
  change: Change;
  /** What was changed in this checkout, if that is not all. */
  own?: Change;
  /** What was not saved, in words; empty if everything was. */
  leftOut: string;
  /** Puts the changed files and a patch into a folder that exists. */
  copy(folder: string): Promise<void>;
  /** The whole tree, in a folder that must not exist yet. */
  lay(folder: string): Promise<void>;
  /** Its branch has it from now on. */
  settle(): Promise<void>;
}

export async function resultOf(
  { world, live, places, port, commitOf }: Shared,
  keep: Keeping["keep"],
  me: Thinker,
  summary: string,
): Promise<Result> {
  const { files } = world;
  const id = places.idOf(me)!;
  const workspaces = await port();
  const { version, left_out, more_left_out } = await keep(id, me.name);
  if (more_left_out)
    throw new Problem(
      "too_large",
      `more than ${left_out.length} files cannot be published, such as ${left_out[0]!.path}: ${left_out[0]!.why}. Remove what is not part of the work, or name it in .gitignore, and publish again.`,
    );
  const one = requireCheckout(live.state(), id);
  const mine =
    version === one.from ? version : await workspaces.describe(version, commitOf(summary, me.name, parentsOf(one)));
  const branch = workspaces.kind === "repository" ? places.branchOf(id) : undefined;
  const own = await changeBetween(workspaces, one.from, mine, branch);
  const isRun = places.nodeOf(id) === undefined;
  const { base } = requireWorkspace(live.state());
  const [from, to] = isRun ? [base, await withMerged()] : [one.from, mine];
  return {
    ...(isRun ? { change: await changeBetween(workspaces, from, to), own } : { change: own }),
    leftOut: left_out.map(({ path, why }) => `${path} (${why})`).join(", "),
    ...contentBetween(files, workspaces, from, to),
    settle: async () => {
      if (branch !== undefined) await workspaces.setBranch(branch, mine);
      await world.point?.("branch.set");
    },
  };

  /** The checkout may be older than what was merged. */
  async function withMerged(): Promise<string> {
    const onto = integrationOf(requireWorkspace(live.state()));
    const sides = { ours: onto, theirs: mine, base: one.from };
    const merged = await workspaces.merge(sides, commitOf("Work of the coordinator", me.name));
    if ("version" in merged) return merged.version;
    throw ownConflict(merged.conflicts);
  }
}

/**
 * What was merged in a run whose coordinator has never used a checkout of its own: making one only to find nothing changed in it would take as long as
 * the repository is large. Undefined if there is one, or nothing was merged yet.
 */
export async function mergedResult({ world, live, places, port }: Shared, me: Thinker): Promise<Result | undefined> {
  const { workspace, workspaces: opened } = live.state();
  const id = places.idOf(me);
  if (id !== places.run() || opened.has(id) || !workspace?.integration) return undefined;
  if ((await world.files.list(places.scratchOf(id), 1)).length) return undefined;
  const workspaces = await port();
  const [from, to] = [workspace.base, workspace.integration];
  return {
    change: await changeBetween(workspaces, from, to),
    leftOut: "",
    ...contentBetween(world.files, workspaces, from, to),
    settle: async () => undefined,
  };
}

const contentBetween = (
  files: Files,
  workspaces: Workspaces,
  from: string,
  to: string,
): Pick<Result, "copy" | "lay"> => ({
  async copy(folder) {
    const patch = await workspaces.patch(from, to);
    await workspaces.copyChanged(from, to, folder);
    await files.remove(join(folder, "manifest.json"));
    if (from !== to) await files.write(join(folder, "changes.patch"), patch);
  },
  lay: (folder) => workspaces.restore(to, folder),
});

export const ownConflict = (files: readonly string[]): Problem =>
  new Problem(
    "conflict",
    `your own changes conflict with what was merged meanwhile, in ${files.join(", ")}. Undo yours there, or let a node make them, merge it, and finish again.`,
  );
