/**
 * Workspaces of a git repository, as commits in a private repository of ours beside the agent. It shares the user's objects (alternates), so
 * nothing is copied. Branches `agiraph/…` hold what was published and merged, and hidden refs (`refs/agiraph/kept/…`) what was saved.
 * Nothing here collects garbage: a version that an event names stays.
 */
import { join } from "node:path";
import type { World } from "../../lib/world.ts";
import { storageFailed } from "../../schema/disk-error.ts";
import { Problem } from "../../schema/problem.ts";
import { diffBounds } from "../diff-bounds.ts";
import { notesFolder } from "../notes-folder.ts";
import { refusedPath } from "../refused-path.ts";
import type { Sides, Workspaces } from "../workspaces.ts";
import { type Checkout, commitTree, createCheckout, type Saved } from "./checkout.ts";
import { type Git, gitFailed } from "./git.ts";
import { createHandOver } from "./hand-over.ts";
import { parseChanges, parsePatch } from "./parse-diff.ts";
import { unquote } from "./quote.ts";
import { headOf, type UserRepository } from "./source.ts";

export interface RepositoryOptions {
  world: World;
  git: Git;
  /** Where ours is. */
  repository: string;
  user: UserRepository;
  /** Names at the top of a checkout that are never part of it. */
  ignore: readonly string[];
}

export function createRepository({ world, git, repository, user, ignore }: RepositoryOptions): Workspaces {
  const { files } = world;
  const dir = repository;
  const { objects, shallow } = user;
  const saved = new Map<string, Saved>();
  const checkout = (name: string): Checkout =>
    createCheckout(name, { files, git, repository, objects, shallow, saved });
  const keptRef = (name: string): string => `refs/agiraph/kept/${name.replace(".", "/")}`;
  let ready: Promise<void> | undefined;
  let drafts = 0;
  /** A place for a file of ours that nobody else uses; what is left of it when we are killed is removed with the next start. */
  const draftOf = (name: string): string => join(dir, "drafts", `${name}-${++drafts}`);

  /** Made on first use in this process; a half-made one is completed. */
  function prepare(): Promise<void> {
    ready ??= init().catch((error) => {
      ready = undefined;
      throw error;
    });
    return ready;
  }

  async function init(): Promise<void> {
    if (!(await files.stat(join(dir, "ready")))) {
      await files.makeDir(dir);
      // Notes about plain scratches may be written at the same time.
      for (const { name } of await files.list(dir)) if (name !== notesFolder) await files.remove(join(dir, name));
      const format = await git.attempt(["rev-parse", "--show-object-format"], { dir: user.dir });
      const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${format.output.trim() || "sha1"}`];
      await git.run(init, { dir });
      await files.write(join(dir, "ready"), "");
    }
    await files.remove(join(dir, "drafts"));
    await files.makeDir(join(dir, "drafts"));
    // Each time: the user may have moved the repository or made it deeper.
    await files.makeDir(join(dir, "objects", "info"));
    await files.write(join(dir, "objects", "info", "alternates"), `${objects}\n`);
    await files.makeDir(join(dir, "info"));
    await files.write(join(dir, "info", "exclude"), ignore.map((name) => `/${name}\n`).join(""));
    if (shallow) await files.write(join(dir, "shallow"), shallow);
    else await files.remove(join(dir, "shallow"));
  }

  async function setRef(ref: string, version: string): Promise<void> {
    await files.remove(join(dir, `${ref}.lock`)); // of a process that was killed
    await git.run(["update-ref", ref, version], { dir });
  }

  const changes = async (from: string, to: string) =>
    parseChanges(await git.run(["diff-tree", "-r", "-M", "-z", "--raw", "--numstat", from, to], { dir }));

  const treeOf = async (version: string): Promise<string> =>
    (await git.run(["rev-parse", "--verify", `${version}^{tree}`], { dir })).trim();

  /** The merged tree, with marks where it conflicts. */
  async function mergeTree({ ours, theirs }: Omit<Sides, "base">): Promise<{ tree: string; conflicts: string[] }> {
    const { code, output, errors } = await git.attempt(
      ["merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs],
      { dir },
    );
    const [tree = "", ...names] = output.trimEnd().split("\n");
    if ((code !== 0 && code !== 1) || !/^[0-9a-f]{40,64}$/.test(tree)) throw gitFailed("merge-tree", { code, errors });
    return { tree, conflicts: code === 0 ? [] : [...new Set(names.map((name) => unquote(name) ?? name))] };
  }

  /** Writes these files of a version into a folder. */
  async function extract(version: string, paths: readonly string[], folder: string): Promise<void> {
    const index = draftOf("index");
    await files.makeDir(folder);
    await git.run(["read-tree", version], { dir, index });
    try {
      await git.run(["checkout-index", "--force", "--quiet", "-z", "--stdin"], {
        dir,
        index,
        tree: folder,
        input: paths.map((path) => `${path}\0`).join(""),
      });
    } finally {
      await files.remove(index);
    }
  }

  const isAncestor = async (older: string, newer: string): Promise<boolean> =>
    (await git.attempt(["merge-base", "--is-ancestor", older, newer], { dir })).code === 0;

  const merge: Workspaces["merge"] = async ({ ours, theirs }, commit) => {
    if (await isAncestor(ours, theirs)) return { version: theirs };
    if (await isAncestor(theirs, ours)) return { version: ours };
    const { tree, conflicts } = await mergeTree({ ours, theirs });
    if (conflicts.length) return { conflicts };
    return { version: await commitTree(git, dir, tree, { ...commit, parents: [ours, theirs] }) };
  };

  const workspaces: Workspaces = {
    kind: "repository",
    alsoRead: objects.startsWith(`${user.folder}/`) ? [] : [objects],
    base: () => headOf(git, user),
    async checkOut(name, { version, merging, branch }, folder) {
      const tree = merging ? (await mergeTree({ ours: version, theirs: merging.theirs })).tree : version;
      await checkout(name).make({ version, tree, branch, folder });
    },
    keep: (name, folder, commit) => checkout(name).keep(folder, commit, keptRef(name)),
    describe: async (version, commit) => commitTree(git, dir, `${version}^{tree}`, commit),
    contentOf: treeOf,
    setBranch: (branch, version) => setRef(`refs/heads/${branch}`, version),
    async compare(from, to) {
      return (await changes(from, to)).map(({ mode: _mode, typeChanged: _type, ...file }) => file);
    },
    async diff(from, to) {
      const listed = await changes(from, to);
      const args = ["diff-tree", "-r", "-M", "-p", "--no-ext-diff", "--no-textconv", "--no-color", from, to];
      const { output, cut, code, errors } = await git.attempt(args, { dir, most: diffBounds.bytes, cut: true });
      if (code !== 0 && !cut) throw gitFailed("diff-tree", { code, errors });
      const sum = (of: "added" | "removed") => listed.reduce((total, file) => total + file[of], 0);
      return {
        base: from,
        commit: to,
        ...parsePatch(output, listed, !cut),
        added: sum("added"),
        removed: sum("removed"),
      };
    },
    async patch(from, to) {
      const file = draftOf("patch");
      await git.run(["diff-tree", "-r", "-M", "-p", "--binary", "--full-index", from, to], { dir, into: file });
      const content = await files.read(file);
      await files.remove(file);
      return content ?? Buffer.alloc(0);
    },
    async copyChanged(from, to, folder) {
      const wanted = (await changes(from, to)).filter(
        ({ status, mode }) => status !== "deleted" && mode.startsWith("100"),
      );
      const paths = wanted.map(({ path }) => path);
      await extract(to, paths, folder);
      return paths;
    },
    differences: (name, folder, version) => checkout(name).differences(folder, version, keptRef(name)),
    async putBack(version, paths, folder) {
      const draft = draftOf("files");
      await extract(version, paths, draft);
      const [from, to] = [files.within(draft), files.within(folder)];
      const done: string[] = [];
      for (const path of paths) {
        const stat = await from.stat(path);
        const content = stat?.kind === "file" ? await from.read(path) : null;
        const how = { durable: false, executable: stat?.executable === true };
        // Something else may be in its place by now, or on the way.
        const isDone = content && (await to.write(path, content, how).then(() => true, refusedPath));
        if (isDone) done.push(path);
      }
      await files.remove(draft);
      return done;
    },
    async restore(version, folder) {
      const index = draftOf("index");
      await files.makeDir(folder);
      await git.run(["read-tree", "--reset", "-u", version], { dir, index, tree: folder });
      await files.remove(index);
    },
    merge,
    handOver: createHandOver({ world, git, repository, user, merge }),
  };
  return prepared(workspaces, prepare, (error) => diskFailed(error, repository));
}

/** Each method once our repository is there. */
function prepared(
  workspaces: Workspaces,
  prepare: () => Promise<void>,
  failure: (error: unknown) => unknown,
): Workspaces {
  const methods = Object.entries(workspaces).map(([name, method]) => [
    name,
    typeof method === "function"
      ? async (...given: never[]) => {
          try {
            await prepare();
            return await (method as (...args: never[]) => unknown)(...given);
          } catch (error) {
            throw failure(error);
          }
        }
      : method,
  ]);
  return Object.fromEntries(methods) as Workspaces;
}

/** Failures of the disk as a Problem; everything else is what it is. */
function diskFailed(error: unknown, folder: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException;
  if (error instanceof Problem || typeof code !== "string") return error;
  return storageFailed("write to", path ?? folder, error);
}
