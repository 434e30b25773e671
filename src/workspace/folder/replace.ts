/**
 * Brings the files of the user's folder from one version to another: all, or nothing if one of them is not as it was.
 *
 * Always holds: a file is replaced or removed only if it has the content of the version before, which the blobs have too, and looks as it did when
 * that was read. What fails in the middle takes back what came before it. A process that is killed in between leaves each file as before or as
 * after; repeating it completes it, because a file that is as after counts as done.
 */
import { hash } from "node:crypto";
import { walkTree } from "../../lib/files/tree.ts";
import type { World } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import { isRefusedPath, refusedPath } from "../refused-path.ts";
import { bounds } from "../workspaces.ts";
import { scanFolder } from "./scan.ts";
import { type Blobs, contentOf, differing, isSame, type Tree, type TreeFile } from "./tree.ts";

/** Throws `conflict` with the files that are in the way. */
export async function replaceFiles(
  { files, point }: Pick<World, "files" | "point">,
  blobs: Blobs,
  own: string,
  base: Tree,
  next: Tree,
): Promise<void> {
  const within = files.within(own);
  const { tree: now, seen } = await scanFolder(within, blobs);
  const paths = differing(base, next).filter((path) => !isSame(now.get(path), next.get(path)));
  const removed = paths.filter((path) => !next.has(path));
  const inTheWay: string[] = [];
  for (const path of paths)
    if (!isSame(now.get(path), base.get(path)) || (!now.has(path) && (await isThere(path)))) inTheWay.push(path);
  if (inTheWay.length)
    throw conflict(`${inTheWay.join(", ")} changed in ${own} since the run began. Undo that or move it away`, inTheWay);
  await point?.("handover.staged");

  const done: string[] = [];
  try {
    // First what is removed: a folder may take the place of a file, and the other way round.
    for (const path of [...removed, ...paths.filter((path) => next.has(path))]) {
      await assertAsRead(path);
      await put(path, next.get(path), true);
      done.push(path);
    }
  } catch (error) {
    for (const path of done.toReversed()) if (await isAsPut(path)) await put(path, base.get(path), false);
    if (!isRefusedPath(error)) throw error;
    throw conflict(`${error.message}, where a file is to be in ${own}. Move it away`, []);
  }

  /** Also what was not read, because it is too large, one too many or a link. A folder whose files are all removed is not in the way. */
  async function isThere(path: string): Promise<boolean> {
    const stat = await within.stat(path).catch(refusedPath);
    return stat !== null && stat.kind !== "folder";
  }

  async function assertAsRead(path: string): Promise<void> {
    const stat = await within.stat(path).catch(refusedPath);
    const was = seen.get(path);
    const isAsRead = was
      ? stat?.inode === was.inode && stat?.changed === was.changed && stat?.ctime === was.ctime
      : !stat || stat.kind === "folder";
    if (isAsRead) return;
    throw conflict(`${path} was changed in ${own} while it was being merged into. Look at it and try again`, [path]);
  }

  async function isAsPut(path: string): Promise<boolean> {
    const content = await within.read(path, bounds.file).catch(refusedPath);
    return (content ? hash("sha256", content) : undefined) === next.get(path)?.sha256;
  }

  /** New files have the usual modes of the user (`shared`); what is taken back may have been for its owner alone. */
  async function put(path: string, file: TreeFile | undefined, shared: boolean): Promise<void> {
    if (!file) return await within.remove(path);
    const stat = await within.stat(path).catch(refusedPath);
    if (stat?.kind === "folder" && (await isEmpty(path))) await within.remove(path);
    await within.write(path, await contentOf(blobs, file.sha256), { executable: file.executable === true, shared });
  }

  /** Apart from folders that are empty too. */
  async function isEmpty(path: string): Promise<boolean> {
    for await (const { kind } of walkTree((at) => within.list(at), { from: path })) if (kind !== "folder") return false;
    return true;
  }
}

const conflict = (what: string, files: readonly string[]): Problem =>
  new Problem("conflict", `${what}, or take a patch instead.`, { files });
