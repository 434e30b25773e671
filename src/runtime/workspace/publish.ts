/**
 * scratch becomes published.
 *
 * The files are copied aside, hashed, listed in a manifest and made durable; then one rename makes them visible, and only then the log says
 * that the node is completed. A crash before the log said so leaves at most a copy that the next attempt replaces; after it, nothing here
 * touches the folder again. Readers see all of it or none of it.
 */

import { createHash, hash } from "node:crypto";
import { join } from "node:path";
import { walkTree } from "../../lib/tree.ts";
import type { Files, Within, World } from "../../lib/world.ts";
import type { Published } from "../../schema/node.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import { isDraft } from "./drafts.ts";

export interface Manifest {
  node: string;
  worker: string;
  model: string | null;
  files: Published[];
  inputs: { ref: string; sha256: string }[];
  tool_calls: number;
  cost: { usd: number; tokens: number };
  events: [from: number, to: number];
  published_at: string;
}

/** Returns what was published. `root` is the folder of the node or the run; `name` is what readers find in it. */
export async function publishFolder(
  world: World,
  root: string,
  name: string,
  about: Omit<Manifest, "files">,
  /** Names in scratch that are no output. */
  except: ReadonlySet<string> = new Set(),
): Promise<Published[]> {
  const draft = join(root, "publishing");
  try {
    return await publishFrom(world, root, draft, name, about, except);
  } catch (error) {
    await world.files.remove(draft).catch(() => undefined); // the next attempt would; there may be none
    throw error;
  }
}

async function publishFrom(
  world: World,
  root: string,
  draft: string,
  name: string,
  about: Omit<Manifest, "files">,
  except: ReadonlySet<string>,
): Promise<Published[]> {
  const { files } = world;
  const earlier = join(root, "publishing-before");
  const target = join(root, name);
  await files.remove(draft);
  await files.remove(earlier);
  await files.makeDir(draft);
  const published = await copyTree(world, files.within(root), draft, except).catch(refused);
  const manifest: Manifest = { ...about, files: published };
  await files.write(join(draft, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await world.point?.("publish.written");
  // An attempt that the log does not know of is taken away as a whole, as it came.
  if (await files.stat(target)) await files.move(target, earlier);
  await files.move(draft, target);
  await files.remove(earlier);
  await world.point?.("publish.renamed");
  await freezeTree(files, target);
  return published;
}

/** Copies scratch, which whoever works there may be changing just now, link by link: no step of it is followed out (Within). */
async function copyTree(world: World, from: Within, to: string, except: ReadonlySet<string>): Promise<Published[]> {
  const { files } = world;
  const copied: Published[] = [];
  let bytes = 0;
  const list = async (path: string) => {
    const entries = await from.list(path ? `scratch/${path}` : "scratch", mostFiles + 1);
    if (entries.length > mostFiles) throw tooMuch();
    return entries;
  };
  const skip = ({ name, path }: { name: string; path: string }) => isDraft(name) || except.has(path);
  for await (const { path, kind } of walkTree(list, { skip })) {
    if (kind === "folder") {
      await files.makeDir(join(to, path));
    } else if (kind === "file") {
      if (path === "manifest.json")
        throw new Problem("invalid", "scratch must not contain a manifest.json: publishing creates it");
      const content = await from.read(`scratch/${path}`, mostBytes);
      if (!content) continue;
      bytes += content.length;
      if (copied.length >= mostFiles || bytes > mostBytes) throw tooMuch();
      await files.write(join(to, path), content);
      copied.push({ path, size: content.length, sha256: await digest(world, content) });
    } else {
      throw new Problem(
        "invalid",
        `scratch/${path} is a link, a pipe or similar, and only files and folders can be published; remove it, or replace it with a copy of the file`,
      );
    }
  }
  return copied;
}

/** What a folder that nobody is led out of refuses, in words for whoever publishes. Failures of the disk stay what they are. */
function refused(error: NodeJS.ErrnoException): never {
  const codes: Record<string, ProblemCode> = {
    ELOOP: "path_escapes",
    EINVAL: "invalid",
    EMLINK: "invalid",
    EFTYPE: "invalid",
    EFBIG: "too_large",
  };
  const code = codes[error.code ?? ""];
  throw code
    ? new Problem(code, `${error.message}; so scratch cannot be published as it is`, {}, { cause: error })
    : error;
}

const mostFiles = 5_000;
const mostBytes = 512 * 1024 * 1024;
const tooMuch = () =>
  new Problem(
    "too_large",
    `scratch has more than ${mostFiles} files or ${mostBytes} bytes; remove what is not output (such as installed packages) and publish again`,
  );

/** What is in a folder before the folder itself. */
async function freezeTree(files: Files, folder: string): Promise<void> {
  const paths = [folder];
  for await (const { path, kind } of walkTree((path) => files.list(path), { from: folder }))
    if (kind !== "other") paths.push(path);
  for (const path of paths.reverse()) await files.freeze(path);
}

/** Of a large one in steps: a gigabyte takes a second, and others have their turn meanwhile. */
export async function digest({ clock }: Pick<World, "clock">, content: Uint8Array): Promise<string> {
  if (content.length <= hashedAtOnce) return sha256(content);
  const sum = createHash("sha256");
  for (let at = 0; at < content.length; at += hashedAtOnce) {
    sum.update(content.subarray(at, at + hashedAtOnce));
    await new Promise<void>((go) => clock.after(0, go));
  }
  return sum.digest("hex");
}

const hashedAtOnce = 4 * 1024 * 1024;

export const sha256 = (content: Uint8Array | string): string => hash("sha256", content);
