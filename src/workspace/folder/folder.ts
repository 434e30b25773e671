/**
 * Workspaces of a folder without git: versions are lists of hashes (tree.ts), and their files are blobs of the agent. The user's folder is read
 * when a run begins and written by `handOver` alone. Two sides that changed the same file are a conflict, whatever they changed in it.
 */
import { hash } from "node:crypto";
import type { World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import { bounds, type Sides, type Workspaces } from "../workspaces.ts";
import type { TreeArchive } from "./archive.ts";
import { diffTrees, inShort, patchOf } from "./diff.ts";
import { replaceFiles } from "./replace.ts";
import { isSmall, scanFolder } from "./scan.ts";
import {
  type Blobs,
  contentOf,
  differing,
  isSame,
  loadStored,
  loadTree,
  storeTree,
  type TreeFile,
  wholeList,
} from "./tree.ts";

export interface FolderOptions {
  world: World;
  blobs: Blobs;
  /** The user's. */
  folder: string;
  /** Of the checkouts. */
  archive: TreeArchive;
}

export function createFolder({ world, blobs, folder: own, archive }: FolderOptions): Workspaces {
  const { files } = world;
  const { keep, restore, differences, putBack, write } = archive;

  async function mergeTrees({
    ours,
    theirs,
    base,
  }: Sides): Promise<{ tree: Map<string, TreeFile>; conflicts: string[] }> {
    const [a, b, from] = await Promise.all([ours, theirs, base].map((version) => loadTree(blobs, version)));
    const tree = new Map(a);
    const conflicts: string[] = [];
    for (const path of differing(from!, b!)) {
      const [mine, other] = [a!.get(path), b!.get(path)];
      if (isSame(mine, other)) continue;
      if (!isSame(mine, from!.get(path))) conflicts.push(path);
      else if (other) tree.set(path, other);
      else tree.delete(path);
    }
    return { tree, conflicts };
  }

  /** Both sides, one after the other. */
  async function marked(mine: TreeFile | undefined, other: TreeFile | undefined): Promise<TreeFile> {
    const [a, b] = await Promise.all(
      [mine, other].map((file) => (file ? contentOf(blobs, file.sha256) : Buffer.alloc(0))),
    );
    const content = Buffer.from(`<<<<<<< integration\n${a}\n=======\n${b}\n>>>>>>> other\n`);
    return { sha256: await blobs.put(content), size: content.length };
  }

  return {
    kind: "folder",
    alsoRead: [],
    async base() {
      if (!(await isSmall(files.within(own))))
        throw new Problem(
          "too_large",
          `${own} has more than ${bounds.files} files or ${bounds.bytes} bytes; make it a git repository, or give a smaller folder`,
        );
      const { tree } = await scanFolder(files.within(own), blobs);
      return { version: (await storeTree(blobs, tree)).version, branch: null };
    },
    async checkOut(_name, { version, merging }, folder) {
      let tree = await loadTree(blobs, version);
      if (merging) {
        const merged = await mergeTrees({ ours: version, ...merging });
        const theirs = await loadTree(blobs, merging.theirs);
        for (const path of merged.conflicts) merged.tree.set(path, await marked(tree.get(path), theirs.get(path)));
        tree = merged.tree;
      }
      await write(tree, folder);
    },
    keep,
    restore,
    differences,
    putBack,
    describe: async (version) => version,
    contentOf: async (version) => hash("sha256", wholeList(await loadTree(blobs, version))),
    setBranch: async () => undefined,
    async compare(from, to) {
      return (await diffTrees(blobs, await loadTree(blobs, from), await loadTree(blobs, to))).files.map(inShort);
    },
    async diff(from, to) {
      const diff = await diffTrees(blobs, await loadTree(blobs, from), await loadTree(blobs, to));
      return { base: from, commit: to, ...diff };
    },
    patch: async (from, to) =>
      Buffer.from(await patchOf(blobs, await loadTree(blobs, from), await loadTree(blobs, to))),
    async copyChanged(from, to, folder) {
      const [a, b] = [await loadTree(blobs, from), await loadTree(blobs, to)];
      const paths = differing(a, b).filter((path) => b.has(path));
      await write(new Map(paths.map((path) => [path, b.get(path)!])), folder);
      return paths;
    },
    async merge(sides) {
      if (sides.ours === sides.base) return { version: sides.theirs };
      const { tree, conflicts } = await mergeTrees(sides);
      if (conflicts.length) return { conflicts };
      return { version: (await storeTree(blobs, tree, await loadStored(blobs, sides.ours))).version };
    },
    async handOver(wish) {
      if (wish.as === "branch")
        throw new Problem("invalid", `${own} is not a git repository, so it has no branches; take a patch, or merge`);
      await replaceFiles(world, blobs, own, await loadTree(blobs, wish.base), await loadTree(blobs, wish.version));
      return { version: wish.version, into: own };
    },
  };
}
