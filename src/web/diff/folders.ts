/** The changed files by folder, in the order of the diff's names. */
import type { Diff, FileDiff } from "../../schema/diff.ts";

export interface Folder {
  /** Empty: the top. */
  path: string;
  files: { file: FileDiff; index: number; name: string }[];
}

export function foldersOf({ files }: Diff): Folder[] {
  const by = new Map<string, Folder>();
  files.forEach((file, index) => {
    const cut = file.path.lastIndexOf("/");
    const path = file.path.slice(0, Math.max(cut, 0));
    const folder = by.get(path) ?? { path, files: [] };
    folder.files.push({ file, index, name: file.path.slice(cut + 1) });
    by.set(path, folder);
  });
  return [...by.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
