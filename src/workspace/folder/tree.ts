/**
 * A version of a folder: the list of its files with their hashes, named by the hash of the blob that it is stored in.
 *
 * A small list is stored whole. A larger one is stored as what differs from the version before it, so that a change of one file costs the same in
 * a folder of any size; and whole again once the differences add up to as much, or there are too many to follow. A version that is stored
 * stays complete as long as its blobs and those of the versions it builds on do.
 */
import { Problem } from "../../schema/problem.ts";

export interface TreeFile {
  sha256: string;
  size: number;
  executable?: true;
}
/** By path. */
export type Tree = ReadonlyMap<string, TreeFile>;

/** Content by its SHA-256. `put` is durable on return. */
export interface Blobs {
  put(content: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Buffer | null>;
}

export interface StoredTree {
  version: string;
  tree: Tree;
  /** How many differences lie between it and a list that is stored whole, and their size together. */
  depth: number;
  bytes: number;
}

interface Delta {
  from: string;
  depth: number;
  bytes: number;
  set: [string, TreeFile][];
  gone: string[];
}

const small = 1_024;
const mostDepth = 400;

/** The same version as `last` if the files are the same. */
export async function storeTree(blobs: Blobs, tree: Tree, last?: StoredTree): Promise<StoredTree> {
  const paths = last && differing(last.tree, tree);
  if (last && !paths!.length) return { ...last, tree };
  const whole = wholeList(tree);
  const delta = last && whole.length > small ? deltaOf(tree, last, paths!) : undefined;
  const { depth = 0, bytes = 0 } = delta ?? {};
  if (delta && depth <= mostDepth && bytes <= whole.length)
    return { version: await blobs.put(Buffer.from(JSON.stringify(delta))), tree, depth, bytes };
  return { version: await blobs.put(Buffer.from(whole)), tree, depth: 0, bytes: 0 };
}

/** The same text for the same files. */
export const wholeList = (tree: Tree): string => JSON.stringify([...tree].sort(([a], [b]) => (a < b ? -1 : 1)));

function deltaOf(tree: Tree, last: StoredTree, paths: readonly string[]): Delta {
  const set = paths.flatMap((path): [string, TreeFile][] => (tree.has(path) ? [[path, tree.get(path)!]] : []));
  const gone = paths.filter((path) => !tree.has(path));
  const bytes = last.bytes + JSON.stringify([set, gone]).length;
  return { from: last.version, depth: last.depth + 1, bytes, set, gone };
}

export const loadTree = async (blobs: Blobs, version: string): Promise<Tree> => (await loadStored(blobs, version)).tree;

export async function loadStored(blobs: Blobs, version: string): Promise<StoredTree> {
  const deltas: Delta[] = [];
  for (let at = version; ; ) {
    const stored: Delta | [string, TreeFile][] = JSON.parse(String(await contentOf(blobs, at)));
    if (Array.isArray(stored)) return { version, ...applied(stored, deltas) };
    deltas.push(stored);
    at = stored.from;
  }
}

/** The newest first. */
function applied(whole: [string, TreeFile][], deltas: readonly Delta[]): Omit<StoredTree, "version"> {
  const tree = new Map(whole);
  for (const { set, gone } of deltas.toReversed()) {
    for (const path of gone) tree.delete(path);
    for (const [path, file] of set) tree.set(path, file);
  }
  const { depth = 0, bytes = 0 } = deltas[0] ?? {};
  return { tree, depth, bytes };
}

export async function contentOf(blobs: Blobs, sha256: string): Promise<Buffer> {
  const content = await blobs.get(sha256);
  if (content) return content;
  throw new Problem("storage_failed", `the saved content ${sha256.slice(0, 12)} is missing from the agent's blobs`);
}

export const isSame = (a: TreeFile | undefined, b: TreeFile | undefined): boolean =>
  a?.sha256 === b?.sha256 && a?.executable === b?.executable;

/** The paths at which they differ, in order. */
export const differing = (a: Tree, b: Tree): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((path) => !isSame(a.get(path), b.get(path))).sort();
