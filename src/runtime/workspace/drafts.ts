/**
 * Drafts of files (Files.write) that a killed process left behind: names beginning with a dot that nobody reads. They are removed when the
 * agent is first opened, from the folders that the runtime writes to: the agent's, its current run's, and those of its nodes, workers and
 * messages. What participants have in scratch is theirs; publishing and saving leave drafts out.
 */
import { join } from "node:path";
import { isDraft } from "../../lib/files/draft-name.ts";
import type { Files } from "../../lib/world.ts";

/** `before`: when this process began. What is younger may be under way. Failures are left for the next time. */
export async function sweepDrafts(files: Files, root: string, run: string | undefined, before: number): Promise<void> {
  await sweepFolder(files, root, before);
  if (run === undefined) return;
  const folder = join(root, "runs", run);
  for (const name of await sweepFolder(files, folder, before)) {
    if (name === "scratch" || name === "published") continue;
    const below = await sweepFolder(files, join(folder, name), before);
    if (name !== "nodes" && name !== "workers") continue;
    for (const one of below) await sweepFolder(files, join(folder, name, one), before);
  }
}

/** The folders in it. */
async function sweepFolder(files: Files, folder: string, before: number): Promise<string[]> {
  const entries = await files.list(folder);
  for (const { name, kind } of entries) {
    if (kind !== "file" || !isDraft(name)) continue;
    const path = join(folder, name);
    const stat = await files.stat(path);
    if (stat && stat.changed < before) await files.remove(path);
  }
  return entries.filter(({ kind }) => kind === "folder").map(({ name }) => name);
}
