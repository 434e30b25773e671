/**
 * Whose rights a sandbox has when we are root: nobody's. Otherwise it has ours, and none of this is needed.
 *
 * What a sandbox may write, and what of ours it may read, is given to nobody before it starts; what is made in a folder of nobody's is nobody's
 * (files.ts, within.ts). Root reads and removes it all the same. A folder of the user's stays whose it is: a sandbox reads of it what everyone may.
 * Nothing is given through a link, and no file with a second name: the other may lie anywhere.
 */
import { execFileSync } from "node:child_process";
import { constants, readFileSync, writeFileSync } from "node:fs";
import * as fs from "node:fs/promises";

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

const nobody = { uid: 65534, gid: 65534 };

export const sandboxUser = () => (process.platform === "linux" && process.getuid?.() === 0 ? nobody : undefined);

/**
 * While it is set up, a sandbox's first process may reach what root may, so that a folder below one that is closed to nobody can be shown; bubblewrap
 * gives that up before the command begins.
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
    // Root of a container may do little in the names of others. Nobody may: the namespace is its own.
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

/** With all that lies in it; nothing is done if it is given already, or not there. Others may be writing there meanwhile, we too. */
export async function giveToSandbox(path: string): Promise<void> {
  const user = sandboxUser();
  const found = user && (await fs.lstat(path).catch(() => null));
  if (!found || found.uid === user.uid) return;
  if (!found.isDirectory()) return await giveOne(path, user);
  await giveFolder(path, user);
  // What was made in a folder before it was given, and after it was looked at.
  await giveFolder(path, user);
}

async function giveFolder(path: string, user: typeof nobody): Promise<void> {
  const folder = await fs.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    // From the folder that is held open: who works in it may put a link in its place meanwhile.
    const held = `/proc/self/fd/${folder.fd}`;
    for (const entry of await fs.readdir(held, { withFileTypes: true })) {
      const give = entry.isDirectory() ? giveFolder : giveOne;
      await give(`${held}/${entry.name}`, user).catch(gone);
    }
    await folder.chown(user.uid, user.gid); // last: until then all of it is looked at again
  } finally {
    await folder.close();
  }
}

async function giveOne(path: string, { uid, gid }: typeof nobody): Promise<void> {
  const found = await fs.lstat(path);
  if (found.uid !== uid && found.nlink === 1) await fs.lchown(path, uid, gid);
}

/** It was removed, or replaced by something else, which is whoever's made it. */
function gone(error: NodeJS.ErrnoException): void {
  if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(error.code ?? "")) throw error;
}

/** Before root itself works in it: what it leaves there is given again with the rest. */
export async function takeFromSandbox(path: string): Promise<void> {
  const user = sandboxUser();
  if (user && (await fs.lstat(path).catch(() => null))?.uid === user.uid) await fs.lchown(path, 0, 0);
}

/**
 * For what was just made in this folder: it is given if the folder is. False if not, and then the folder may be given before what was made in it
 * has its name: ask again when it has.
 */
export async function shareOwner(folder: string, path: string): Promise<boolean> {
  const user = sandboxUser();
  if (!user) return true;
  if ((await fs.stat(folder)).uid !== user.uid) return false;
  await fs.lchown(path, user.uid, user.gid).catch(gone);
  return true;
}
