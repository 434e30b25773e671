/** A folder of a user with a few files, as a git repository or not, and the workspaces of it. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { machine } from "../lib/machine/index.ts";
import type { World } from "../lib/world.ts";
import type { Place } from "./contract.ts";
import type { Blobs } from "./folder/tree.ts";
import { openWorkspaces } from "./open.ts";

const run = promisify(execFile);

/** As the user runs it: with a name, and with whatever the repository says. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const who = ["-c", "user.name=user", "-c", "user.email=user@example.com", "-c", "init.defaultBranch=main"];
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  return (await run("git", ["-C", folder, "-c", "safe.directory=*", ...who, ...args], { env, maxBuffer: 2 ** 28 }))
    .stdout;
}

export async function emptyRoom(): Promise<string> {
  const room = await realpath(await mkdtemp(join(tmpdir(), "workspaces-")));
  onTestFinished(() => rm(room, { recursive: true, force: true }));
  return room;
}

export async function writeFiles(folder: string): Promise<void> {
  await mkdir(join(folder, "b"), { recursive: true });
  await writeFile(join(folder, "a.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  await writeFile(join(folder, "b/c.txt"), "see\n");
  await writeFile(join(folder, "run.sh"), "#!/bin/sh\n");
  await chmod(join(folder, "run.sh"), 0o755);
}

export async function createRepositoryFolder(folder: string): Promise<void> {
  await writeFiles(folder);
  await git(folder, "init", "-q");
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "first");
}

/** Every file below it with its content, links as they are; what git may refresh without changing anything is left out. */
export async function photograph(folder: string, path = ""): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
    const at = join(path, entry.name);
    if (entry.isDirectory()) Object.assign(seen, await photograph(folder, at));
    else if (entry.isSymbolicLink()) seen[at] = `-> ${await readlink(join(folder, at))}`;
    else if (entry.isFile())
      seen[at] = createHash("sha256")
        .update(await readFile(join(folder, at)))
        .digest("hex");
  }
  return seen;
}

export async function placeOf(kind: "repository" | "folder", world: World = machine): Promise<Place> {
  const room = await emptyRoom();
  const folder = join(room, "user");
  await (kind === "repository" ? createRepositoryFolder(folder) : writeFiles(folder));
  return { folder, room, look: () => photograph(folder), workspaces: await workspacesOf(room, folder, world) };
}

export function workspacesOf(room: string, folder: string, world: World = machine, blobs: Blobs = memoryBlobs()) {
  return openWorkspaces({
    world,
    folder,
    ignore: ["_outbox.md"],
    root: join(room, "repository"),
    blobs,
    tag: `test-${process.pid}`,
    signal: new AbortController().signal,
  });
}

export interface MemoryBlobs extends Blobs {
  all: Map<string, Buffer>;
}

export function memoryBlobs(): MemoryBlobs {
  const all = new Map<string, Buffer>();
  return {
    all,
    async put(content) {
      const sha256 = createHash("sha256").update(content).digest("hex");
      all.set(sha256, Buffer.from(content));
      return sha256;
    },
    get: async (sha256) => all.get(sha256) ?? null,
  };
}
