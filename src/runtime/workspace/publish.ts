/**
 * scratch becomes published.
 *
 * The files are copied aside, hashed, listed in a manifest and made durable; then one rename makes them visible, and only then the log says
 * that the node is completed. A crash before the log said so leaves at most a copy that the next attempt replaces; after it, nothing here
 * touches the folder again. Readers see all of it or none of it.
 */

import { createHash, hash } from "node:crypto";
import { join } from "node:path";
import { isDraft } from "../../lib/files/draft-name.ts";
import { walkTree } from "../../lib/files/tree.ts";
import type { FileStat, Files, Within, World } from "../../lib/world.ts";
import type { Change } from "../../schema/diff.ts";
import { storageFailed } from "../../schema/disk-error.ts";
import type { CheckResult, Evidence } from "../../schema/evidence.ts";
import type { Published } from "../../schema/node.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";

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
  /** What it changed in the user's repository or folder. */
  change?: Change;
  /** What stands behind it: the results of its checks on exactly these files, whose list has the hash `on`. */
  evidence: Evidence;
  checks: CheckResult[];
}

/** What is known before there are files. */
export type About = Omit<Manifest, "files" | "evidence" | "checks">;

/** What is about to be published, complete and hashed; nobody sees it yet. */
export interface Draft {
  files: Published[];
  /** A file or folder of what is examined: of these, or of the whole that they change. Null if there is none. */
  stat(path: string): Promise<Pick<FileStat, "kind" | "size"> | null>;
  /** The content of a file that is there. */
  read(path: string): Promise<Buffer>;
  /** Puts exactly this content into a folder, which is created and must not be there yet. What is done to it there changes nothing here. */
  lay(folder: string): Promise<void>;
}

export interface Content {
  /** Puts what is published into a folder that exists. */
  copy(folder: string): Promise<void>;
  /** Puts what it is to be examined in into a folder that must not exist yet. */
  lay(folder: string): Promise<void>;
}

type Except = Pick<ReadonlySet<string>, "has">;

export interface PublishOptions {
  /** Paths in scratch that are no output. */
  except?: Except | undefined;
  /** What is published instead of the files in scratch. */
  content?: Content | undefined;
  /** Looks at the draft before anyone sees it, and says what stands behind it. If it throws, nothing is published. */
  examine?(draft: Draft): Promise<Pick<Manifest, "evidence" | "checks">>;
}

/** Returns what was published. `root` is the folder of the node or the run; `name` is what readers find in it. */
export async function publishFolder(
  world: World,
  root: string,
  name: string,
  about: About,
  options: PublishOptions = {},
): Promise<Published[]> {
  const draft = join(root, "publishing");
  try {
    return await publishFrom(world, root, draft, name, about, options);
  } catch (error) {
    await world.files.remove(draft).catch(() => undefined); // the next attempt would; there may be none
    const isOfDisk = !(error instanceof Problem) && typeof (error as NodeJS.ErrnoException).code === "string";
    throw isOfDisk ? storageFailed("publish to", root, error) : error;
  }
}

async function publishFrom(
  world: World,
  root: string,
  draft: string,
  name: string,
  about: About,
  { except = new Set(), content, examine }: PublishOptions,
): Promise<Published[]> {
  const { files } = world;
  const earlier = join(root, "publishing-before");
  const target = join(root, name);
  await files.remove(draft);
  await files.remove(earlier);
  await files.makeDir(draft);
  await content?.copy(draft);
  const published = content
    ? await listTree(world, files.within(draft))
    : await copyTree(world, files.within(root), draft, except).catch(refused);
  const proof = await examineDraft(world, root, draft, published, { content, examine });
  const manifest: Manifest = { ...about, files: published, ...(proof ?? { evidence: "claimed", checks: [] }) };
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

/** What is examined is laid out only when somebody asks for a file of it that is not published itself. */
async function examineDraft(
  { files }: World,
  root: string,
  draft: string,
  published: Published[],
  { content, examine }: Pick<PublishOptions, "content" | "examine">,
): Promise<Pick<Manifest, "evidence" | "checks"> | undefined> {
  if (!examine) return undefined;
  const tree = join(root, "examining");
  let laid: Promise<void> | undefined;
  const whole = async () => {
    laid ??= content!.lay(tree);
    await laid;
    return files.within(tree);
  };
  const listed = (path: string) => published.find((file) => file.path === path);
  const isFolder = (path: string) => path === "" || published.some((file) => file.path.startsWith(`${path}/`));
  try {
    await files.remove(tree); // of an attempt that a crash interrupted
    return await examine({
      files: published,
      async stat(path) {
        const file = listed(path);
        if (file) return { kind: "file", size: file.size };
        if (isFolder(path)) return { kind: "folder", size: 0 };
        return content ? await (await whole()).stat(path) : null;
      },
      async read(path) {
        const found = content && !listed(path) ? await (await whole()).read(path) : await files.read(join(draft, path));
        if (!found) throw new Error(`${path} is gone from what is examined`);
        return found;
      },
      lay: content?.lay ?? ((folder) => layTree(files, draft, published, folder)),
    });
  } finally {
    if (laid) await files.remove(tree).catch(() => undefined); // the next attempt would; there may be none
  }
}

/** Copies scratch, which whoever works there may be changing just now, link by link: no step of it is followed out (Within). */
async function copyTree(world: World, from: Within, to: string, except: Except): Promise<Published[]> {
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

async function listTree(world: World, from: Within): Promise<Published[]> {
  const listed: Published[] = [];
  for await (const { path, kind } of walkTree((path) => from.list(path, mostFiles + 1))) {
    const content = kind === "file" ? await from.read(path, mostBytes) : null;
    if (content) listed.push({ path, size: content.length, sha256: await digest(world, content) });
  }
  return listed;
}

/** The copy is thrown away, so it need not survive a power cut. */
async function layTree(files: Files, draft: string, list: readonly Published[], folder: string): Promise<void> {
  await files.makeDir(folder);
  for (const { path } of list) {
    await files.within(folder).write(path, await readDraft(files, draft, path), { durable: false });
  }
}

async function readDraft(files: Files, draft: string, path: string): Promise<Buffer> {
  const content = await files.read(join(draft, path));
  if (!content) throw new Error(`${join(draft, path)} is gone`);
  return content;
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
