/** What differs between two versions, as the log and people are told. */
import type { Change, ChangedFile } from "../../schema/diff.ts";
import type { Workspaces } from "../../workspace/workspaces.ts";

const mostFiles = 1_000;

export async function changeBetween(
  workspaces: Workspaces,
  from: string,
  to: string,
  branch?: string,
): Promise<Change> {
  const changed = await workspaces.compare(from, to);
  const more = Math.max(0, changed.length - mostFiles);
  const { added, removed } = sumOf(changed);
  return {
    base: from,
    commit: to,
    ...(branch === undefined ? {} : { branch }),
    files: changed.slice(0, mostFiles),
    added,
    removed,
    ...(more ? { more_files: more } : {}),
  };
}

export function sumOf(changed: readonly ChangedFile[]): { files: number; added: number; removed: number } {
  const sum = (of: "added" | "removed") => changed.reduce((total, file) => total + file[of], 0);
  return { files: changed.length, added: sum("added"), removed: sum("removed") };
}
