/**
 * The user that a sandbox runs as when we are root: nobody. Otherwise it is our own user, and none of this is needed.
 *
 * Folders that a sandbox may write, and ours that it may read, are chowned to nobody before it starts; what is created in a folder of nobody's is
 * nobody's (files.ts, within.ts). Root reads and removes it all the same. The user's folder keeps its owner: a sandbox reads what is
 * world-readable. No link is followed, and no hard-linked file is chowned: its other name may be anywhere.
 */
import { execFileSync } from "node:child_process";
import { constants, readFileSync, writeFileSync } from "node:fs";
import * as fs from "node:fs/promises";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

const nobody = { uid: 65534, gid: 65534 };

export const sandboxUser = () => (process.platform === "linux" && process.getuid?.() === 0 ? nobody : undefined);

/**
 * During setup, a sandbox's first process may reach what root may, so that a folder below one that is closed to nobody can be mounted; bubblewrap
 * drops that before the command begins.
 */
export function mapIds(pid: number): void {
  const maps = ["uid", "gid"].map((kind) => {
    const ours = readFileSync(`/proc/self/${kind}_map`, "utf8").trim().split("\n");
    const same = ours.map((line) => line.trim().split(/\s+/)).map(([first, , count]) => `${first} ${first} ${count}\n`);
    return { path: `/proc/${pid}/${kind}_map`, text: same.join("") };
  });
  try {
    for (const { path, text } of maps) writeFileSync(path, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    // Root of a container has few capabilities over other users. Nobody has them in its own namespace.
    const caps = "+setuid,+setgid,+setfcap";
    const user = [
      `--reuid=${nobody.uid}`,
      `--regid=${nobody.gid}`,
      "--clear-groups",
      `--inh-caps=${caps}`,
      `--ambient-caps=${caps}`,
    ];
    const write = 'printf %s "$2" > "$1"; printf %s "$4" > "$3"';
    const args = maps.flatMap(({ path, text }) => [path, text]);
    execFileSync("/usr/bin/setpriv", [...user, "/bin/sh", "-ec", write, "sh", ...args], { stdio: "ignore", env: {} });
  }
}

/** Recursively; no effect if it is done already, or the folder is missing. Others may be writing there meanwhile, we too. */
export async function giveToSandbox(path: string): Promise<void> {
  const user = sandboxUser();
  const found = user && (await fs.lstat(path).catch(() => null));
  if (!found || found.uid === user.uid) return;
  if (!found.isDirectory()) return await giveOne(path, user);
  await giveFolder(path, user);
  // What was created in a folder before it was chowned, and after it was listed.
  await giveFolder(path, user);
}

async function giveFolder(path: string, user: typeof nobody): Promise<void> {
  const folder = await fs.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    // From the open folder: a process that works in it may put a link in its place meanwhile.
    const held = `/proc/self/fd/${folder.fd}`;
    for (const entry of await fs.readdir(held, { withFileTypes: true })) {
      const give = entry.isDirectory() ? giveFolder : giveOne;
      await give(`${held}/${entry.name}`, user).catch(gone);
    }
    await folder.chown(user.uid, user.gid); // last: until then all of it is checked again
  } finally {
    await folder.close();
  }
}

async function giveOne(path: string, { uid, gid }: typeof nobody): Promise<void> {
  const found = await fs.lstat(path);
  if (found.uid !== uid && found.nlink === 1) await fs.lchown(path, uid, gid);
}

/** It was removed, or replaced by something else, which belongs to its creator. */
function gone(error: NodeJS.ErrnoException): void {
  if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(error.code ?? "")) throw error;
}

/** Before root itself works in it: its files are chowned again with the rest. */
export async function takeFromSandbox(path: string): Promise<void> {
  const user = sandboxUser();
  if (user && (await fs.lstat(path).catch(() => null))?.uid === user.uid) await fs.lchown(path, 0, 0);
}

/**
 * For what was just created in this folder: it gets the folder's owner. False if the folder is not the sandbox's yet; it may become so before the
 * file has its name: ask again then.
 */
export async function shareOwner(folder: string, path: string): Promise<boolean> {
  const user = sandboxUser();
  if (!user) return true;
  if ((await fs.stat(folder)).uid !== user.uid) return false;
  await fs.lchown(path, user.uid, user.gid).catch(gone);
  return true;
}
