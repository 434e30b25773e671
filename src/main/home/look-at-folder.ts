/**
 * What somebody sees who looks for a folder to give to an agent: names of folders, and which of them are git repositories. No files, nothing that
 * is hidden, nothing that is a link, and never more than a page. Whether one may be given is folder.ts's to say.
 */
import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { FolderView } from "../../api/folders.ts";
import { entriesIn } from "../../lib/machine/entries.ts";
import { openRegular } from "../../lib/machine/regular.ts";
import { Problem } from "../../schema/problem.ts";
import { checkFolder, type FolderOptions, fromHome } from "./folder.ts";

const most = 50;
/** A folder with more entries than this is not sorted through. */
const mostEntries = 5_000;

export async function lookAtFolder(given: string, options: FolderOptions): Promise<FolderView> {
  const typed = fromHome(given, options.user);
  const path = typed.startsWith("/") || /^[A-Za-z]:/.test(typed) ? resolve(typed) : typed;
  const problem = await checkFolder(path, options).then(() => null, said);
  if (path !== resolve(path) || /\p{Cc}|[/\\]\./u.test(path)) return { path, problem, repository: null, items: [] };
  const inside = await foldersIn(path, "");
  const items = inside ?? (await foldersIn(dirname(path), basename(path).toLowerCase())) ?? [];
  return { path, problem, repository: inside ? await repositoryAt(path) : null, items };
}

const said = (problem: unknown): string => {
  if (problem instanceof Problem) return problem.message;
  throw problem;
};

/** Nothing if it is no folder, or may not be looked at. */
async function foldersIn(path: string, begins: string): Promise<FolderView["items"] | undefined> {
  if ((await lstat(path).catch(() => undefined))?.isDirectory() !== true) return undefined;
  const entries = await entriesIn(path, mostEntries).catch(() => undefined);
  if (!entries) return undefined;
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !/\p{Cc}/u.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase().startsWith(begins) && name !== "node_modules")
    .sort((a, b) => a.localeCompare(b))
    .slice(0, most);
  return Promise.all(
    names.map(async (name) => ({
      name,
      path: join(path, name),
      repository: await stat(join(path, name, ".git")).then(
        () => true,
        () => false,
      ),
    })),
  );
}

async function repositoryAt(path: string): Promise<FolderView["repository"]> {
  const git = await stat(join(path, ".git")).catch(() => undefined);
  if (!git) return null;
  if (!git.isDirectory()) return { branch: null };
  const head = await beginning(join(path, ".git", "HEAD")).catch(() => "");
  const [, branch] = /^ref: refs\/heads\/([^\p{Cc}]{1,200})\s*$/u.exec(head) ?? [];
  return { branch: branch ?? null };
}

async function beginning(path: string): Promise<string> {
  const file = await openRegular(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(300), 0, 300, 0);
    return buffer.toString("utf8", 0, bytesRead).trimEnd();
  } finally {
    await file.close();
  }
}
