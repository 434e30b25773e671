/** The workspaces of an agent: of a git repository if its folder is one, else of a plain folder. */
import { join } from "node:path";
import type { World } from "../lib/world.ts";
import { createTreeArchive, type TreeArchive } from "./folder/archive.ts";
import { createFolder } from "./folder/folder.ts";
import type { Blobs } from "./folder/tree.ts";
import { createGit } from "./git/git.ts";
import { createRepository } from "./git/repository.ts";
import { findRepository } from "./git/source.ts";
import { notesFolder } from "./notes-folder.ts";
import type { Workspaces } from "./workspaces.ts";

export interface WorkspacesOptions {
  world: World;
  /** The user's. */
  folder: string;
  /** Where ours is kept. */
  root: string;
  blobs: Blobs;
  /** Names at the top of a checkout that are never part of it. */
  ignore: readonly string[];
  /** Of the processes. */
  tag: string;
  /** Ends what is under way. */
  signal: AbortSignal;
}

/** Throws `wrong_state` for a repository that cannot be worked on, with the reason. */
export async function openWorkspaces(options: WorkspacesOptions): Promise<Workspaces> {
  const { world, folder, root, blobs, ignore, tag, signal } = options;
  const user = await findRepository(world.files, folder);
  if (!user) return createFolder({ world, blobs, folder, archive: openArchive({ world, blobs, root, ignore }) });
  return createRepository({ world, git: createGit(world, tag, signal), repository: root, user, ignore });
}

/** Of folders that are nobody's but the agent's. `leave`: names at the top that are left out, and told of. */
export function openArchive(
  options: Pick<WorkspacesOptions, "world" | "blobs" | "root" | "ignore"> & { leave?: readonly string[] },
): TreeArchive {
  const { root, ...given } = options;
  return createTreeArchive({ ...given, notes: join(root, notesFolder) });
}
