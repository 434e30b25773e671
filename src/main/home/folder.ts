/**
 * Which folder of this machine an agent may be given to read. It is looked at as it really lies on the disk, so no link on the way hides where
 * it leads; what is refused is what would show more than a project: the whole disk, the system's own folders, a user's home with all in it, what
 * programs keep hidden there (keys, logins), and the home of the agents. Links inside it are not followed by anyone who reads (lib/world.ts Within).
 */
import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Problem } from "../../schema/problem.ts";

const system = ["/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/private/etc"];

export interface FolderOptions {
  /** Of the agents. */
  home: string;
  /** The home of the user. */
  user: string;
}

/** As people write it: ~ is their own home. */
export const fromHome = (path: string, user: string): string => path.trim().replace(/^~(?=\/|$)/, user);

/** The folder's real path. Throws `invalid`, and says why and what would do. */
export async function checkFolder(given: string, options: FolderOptions): Promise<string> {
  const refuse = (why: string) =>
    refusal(`${JSON.stringify(given)} ${why}. Name one folder that the agent may read, such as a repository.`);
  // Models are told the path, a line of its own and as it is.
  if (/\p{Cc}/u.test(given)) throw refuse("contains a control character");
  if (!isAbsolute(given)) throw refuse("is not an absolute path");
  const path = resolve(given);
  const there = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    throw refuse(error.code === "EACCES" ? "is not readable" : "does not exist");
  });
  if (there.isSymbolicLink()) throw refuse("is a link; name the folder it points to");
  if (!there.isDirectory()) throw refuse("is not a folder");
  const real = await realpath(path);
  if (/\p{Cc}/u.test(real)) throw refuse("contains a control character");
  const [home, user] = await Promise.all([realOr(options.home), realOr(options.user)]);
  if (dirname(real) === real) throw refuse("is the whole disk");
  if (holds(real, home)) throw refuse(`contains the home of the agents (${home})`);
  if (holds(home, real)) throw refuse(`is in the home of the agents (${home})`);
  if (holds(real, user)) throw refuse(`contains your home directory, with its keys and logins (${user})`);
  if (holds(user, real)) {
    const first = relative(user, real).split(sep)[0]!;
    if (first.startsWith(".") || first === "Library")
      throw refuse(`is in ${join(user, first)}, where programs keep keys and logins`);
  }
  const theirs = system.find((one) => holds(one, real));
  if (theirs) throw refuse(`is in ${theirs}, which belongs to the system`);
  return real;
}

/** Of a folder that was checked before: it may still be read, and still lies where it lay. */
export async function checkSame(path: string, options: FolderOptions): Promise<void> {
  const real = await checkFolder(path, options);
  if (real !== path)
    throw refusal(`${JSON.stringify(path)} now leads to ${JSON.stringify(real)}, which was not granted.`);
}

/** Names the field as the check of a request's body does, so that a form can show it there. */
const refusal = (message: string): Problem =>
  new Problem("invalid", `folder: ${message}`, { issues: [{ field: "folder", message }] });

/** One that is not there yet is what it says. */
const realOr = (path: string): Promise<string> => realpath(path).catch(() => resolve(path));

/** Whether `inner` is `outer` or lies in it. */
const holds = (outer: string, inner: string): boolean => {
  const way = relative(outer, inner);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
};
