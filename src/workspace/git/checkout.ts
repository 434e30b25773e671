/**
 * One checkout of our repository: its files in a folder that a worker may do anything to, and beside our repository what we know of it
 * (`worktrees/NAME`: HEAD is the version that was saved last, and an index of our own).
 *
 * The folder has a `.git` of its own as well, for the worker: it shares our objects and the user's, and nothing of it is ever read by us.
 */
import { basename, join } from "node:path";
import { isDraft } from "../../lib/files/draft-name.ts";
import type { Files } from "../../lib/world.ts";
import { type Commit, type Difference, inBounds, type Kept } from "../workspaces.ts";
import { copyFile } from "./copy-file.ts";
import { copyDraft } from "./draft.ts";
import type { Git } from "./git.ts";
import { quote } from "./quote.ts";
import { parseStatus } from "./status.ts";

export interface Checkout {
  /** The files of a commit or tree into a folder that is new; HEAD names `version`. */
  make(options: { version: string; tree: string; branch: string; folder: string }): Promise<void>;
  /** The version that was kept last, if nothing has changed since. */
  keep(folder: string, commit: Commit, ref: string): Promise<Kept>;
  differences(folder: string, version: string, ref: string): Promise<Difference[]>;
}

export interface CheckoutOptions {
  files: Files;
  git: Git;
  /** Our repository. */
  repository: string;
  /** Of the user. */
  objects: string;
  shallow: string;
  /** What was saved last of each checkout, as far as we have looked: nobody else changes that. */
  saved: Map<string, Saved>;
}

export interface Saved {
  version: string;
  tree: string;
}

export function createCheckout(
  name: string,
  { files, git, repository, objects, shallow, saved }: CheckoutOptions,
): Checkout {
  const dir = join(repository, "worktrees", name);
  const draft = join(repository, "drafts", name);

  /** Of a process that was killed; nobody else works on this checkout. */
  async function clearLocks(ref: string): Promise<void> {
    const locks = [join(dir, "index.lock"), join(dir, "HEAD.lock"), join(repository, `${ref}.lock`)];
    for (const lock of locks) await files.remove(lock);
  }

  async function make({ version, tree, branch, folder }: Parameters<Checkout["make"]>[0]): Promise<void> {
    saved.delete(name);
    await files.remove(dir);
    await files.makeDir(dir);
    const plain = { durable: false };
    await files.write(join(dir, "HEAD"), `${version}\n`, plain);
    await files.write(join(dir, "commondir"), "../..\n", plain);
    await files.write(join(dir, "gitdir"), `${join(folder, ".git")}\n`);
    await files.makeDir(folder);
    // In the folder, so that as root the sandbox is given its files (lib/machine/sandbox-user.ts).
    await git.run(["read-tree", "--reset", "-u", tree], { dir, tree: folder, folder });
    await giveGit(version, branch, folder);
  }

  /** The worker's own: it may commit, look at the history and do harm there, to nobody else. */
  async function giveGit(version: string, branch: string, folder: string): Promise<void> {
    const own = files.within(folder);
    await own.remove(".git"); // a tree of git cannot have it
    const write = (path: string, content: string) => own.write(`.git/${path}`, content, { durable: false });
    const format =
      version.length === 64
        ? "\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
        : "\trepositoryformatversion = 0\n";
    await write(
      "config",
      `[core]\n\tbare = false\n${format}[user]\n\tname = ${name}\n\temail = ${name}@agiraph.invalid\n`,
    );
    await write("HEAD", `ref: refs/heads/${branch}\n`);
    await write(`refs/heads/${branch}`, `${version}\n`);
    await write("objects/info/alternates", `${join(repository, "objects")}\n${objects}\n`);
    if (shallow) await write("shallow", shallow);
    await copyFile(files, join(dir, "index"), join(folder, ".git/index"));
  }

  async function keep(folder: string, commit: Commit, ref: string): Promise<Kept> {
    await clearLocks(ref);
    const status = ["status", "--porcelain=v2", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"];
    const found = parseStatus(await git.run(status, { dir, tree: folder }));
    const entries = found.filter(({ path }) => !isDraft(basename(path)));
    const { version, tree } = saved.get(name) ?? (await lastSaved());
    if (!entries.length) return { version, left_out: [], more_left_out: 0 };
    await files.remove(draft);
    await files.makeDir(draft);
    const { paths, links, leftOut } = await copyDraft(files, folder, join(draft, "files"), entries);
    const at = { dir, tree: join(draft, "files") };
    await files.makeDir(at.tree);
    if (paths.length)
      await git.run(["update-index", "--add", "--remove", "--replace", "--stdin"], {
        ...at,
        input: lines(paths.map(quote)),
      });
    if (links.length) await addLinks(links);
    const next = (await git.run(["write-tree"], { dir })).trim();
    await files.remove(draft);
    const kept = next === tree ? version : await commitTree(git, dir, next, commit);
    if (kept !== version)
      await git.run(["update-ref", "--no-deref", "--stdin"], {
        dir,
        input: `update HEAD ${kept}\nupdate ${ref} ${kept}\n`,
      });
    saved.set(name, { version: kept, tree: next });
    return { version: kept, ...inBounds(leftOut) };
  }

  /** Of a version that is not the one that was saved last nothing is known. */
  async function differences(folder: string, version: string, ref: string): Promise<Difference[]> {
    await clearLocks(ref);
    if ((saved.get(name) ?? (await lastSaved())).version !== version) return [];
    const tracked = ["status", "--porcelain=v2", "--untracked-files=no", "--ignore-submodules=all", "--no-renames"];
    const entries = parseStatus(await git.run(tracked, { dir, tree: folder }));
    const within = files.within(folder);
    const found: Difference[] = [];
    for (const { path, kind } of entries) {
      const stat = kind === "changed" ? await within.stat(path).catch(() => null) : null;
      if (stat || kind === "deleted") found.push({ path, changed: stat && Math.max(stat.changed, stat.ctime ?? 0) });
    }
    return found;
  }

  async function lastSaved(): Promise<Saved> {
    const [version = "", tree = ""] = (await git.run(["rev-parse", "HEAD", "HEAD^{tree}"], { dir })).trim().split("\n");
    return { version, tree };
  }

  async function addLinks(links: readonly { path: string; target: string }[]): Promise<void> {
    const folder = files.within(join(draft, "links"));
    for (const [at, { target }] of links.entries()) await folder.write(String(at), target, { durable: false });
    const names = links.map((_, at) => join(draft, "links", String(at)));
    const hashes = await git.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], { dir, input: lines(names) });
    const info = hashes
      .trim()
      .split("\n")
      .map((hash, at) => `120000 ${hash}\t${quote(links[at]!.path)}`);
    await git.run(["update-index", "--add", "--replace", "--index-info"], { dir, input: lines(info) });
  }

  return { make, keep, differences };
}

const lines = (some: readonly string[]): string => some.map((line) => `${line}\n`).join("");

export async function commitTree(
  git: Git,
  dir: string,
  tree: string,
  { message, author, at, parents }: Commit,
): Promise<string> {
  const who = (role: string) => ({
    [`GIT_${role}_NAME`]: author,
    [`GIT_${role}_EMAIL`]: `${author.replace(/[^a-zA-Z0-9.-]+/g, "-")}@agiraph.invalid`,
    [`GIT_${role}_DATE`]: `@${Math.floor(at / 1000)} +0000`,
  });
  const from = parents.flatMap((parent) => ["-p", parent]);
  const input = `${message.trimEnd()}\n`;
  const env = { ...who("AUTHOR"), ...who("COMMITTER") };
  return (await git.run(["commit-tree", tree, ...from, "-F", "-"], { dir, input, env })).trim();
}
