/**
 * Walks a tree of files, whatever lists its folders: a disk, a scope, a view of people.
 *
 * Always holds: depth first, in the order of the lists, a folder before its content. Links and the like are listed and never followed.
 */
export interface TreeEntry {
  name: string;
  kind: "file" | "folder" | "other";
}

export interface WalkOptions<Entry> {
  /** Where to begin; the paths begin with it. */
  from?: string;
  /** What is left out, with all that is in it. */
  skip?(entry: Entry & { path: string }): boolean;
  /** Folders that are named and not entered; may throw. */
  enter?(entry: Entry & { path: string }, depth: number): boolean;
}

export async function* walkTree<Entry extends TreeEntry>(
  list: (folder: string) => Promise<readonly Entry[]>,
  options: WalkOptions<Entry> = {},
): AsyncGenerator<Entry & { path: string }, void, void> {
  const { from = "", skip = () => false, enter = () => true } = options;
  async function* walk(folder: string, depth: number): AsyncGenerator<Entry & { path: string }, void, void> {
    for (const entry of await list(folder)) {
      const found = { ...entry, path: folder ? `${folder}/${entry.name}` : entry.name };
      if (skip(found)) continue;
      yield found;
      if (entry.kind === "folder" && enter(found, depth)) yield* walk(found.path, depth + 1);
    }
  }
  yield* walk(from, 1);
}

/** The paths of its files, at most so many. */
export async function filesIn<Entry extends TreeEntry>(
  list: (folder: string) => Promise<readonly Entry[]>,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path, kind } of walkTree(list)) {
    if (kind === "file" && paths.push(path) >= most) break;
  }
  return paths;
}
