/**
 * The changed files of a checkout, copied to a folder of ours before git reads them.
 *
 * Whoever works in the checkout may be changing it just now, and git would follow a folder that is swapped for a link. Within does not.
 */
import type { Files } from "../../lib/world.ts";
import { bounds, type LeftOut } from "../workspaces.ts";
import type { StatusEntry } from "./status.ts";

export interface CopiedFiles {
  /** Paths that git reads, or finds missing, in the draft. */
  paths: string[];
  links: { path: string; target: string }[];
  leftOut: LeftOut[];
}

export async function copyDraft(
  files: Files,
  from: string,
  draft: string,
  entries: readonly StatusEntry[],
): Promise<CopiedFiles> {
  const within = files.within(from);
  const to = files.within(draft);
  const made: CopiedFiles = { paths: [], links: [], leftOut: [] };
  let bytes = 0;
  let count = 0;

  async function copy(path: string): Promise<string | undefined> {
    const stat = await within.stat(path);
    if (stat?.kind === "other") {
      const target = await within.readLink(path);
      if (target === null || ++count > bounds.files) return "it is neither a file nor a link";
      made.links.push({ path, target });
      return undefined;
    }
    if (stat?.kind === "folder") return "it is a folder now";
    if (stat && stat.size > bounds.file) return `it has ${stat.size} bytes; at most ${bounds.file} are saved`;
    const content = stat && (await within.read(path, bounds.file));
    if (content) {
      bytes += content.length;
      if (++count > bounds.files || bytes > bounds.bytes)
        return `more than ${bounds.files} files or ${bounds.bytes} bytes have changed; name what is not yours in .gitignore`;
      await to.write(path, content, { durable: false, executable: stat.executable === true });
    }
    made.paths.push(path);
    return undefined;
  }

  for (const { path, kind } of entries) {
    const why =
      kind === "deleted"
        ? void made.paths.push(path)
        : kind === "repository"
          ? "it is a repository of its own"
          : kind === "unreadable"
            ? "its name is not valid text"
            : await copy(path).catch(refused);
    if (why) made.leftOut.push({ path, why });
  }
  return made;
}

/** Of the file itself; failures of the disk stay what they are. */
function refused(error: NodeJS.ErrnoException): string {
  const why: Record<string, string> = {
    ELOOP: "a folder on its way is a link",
    EMLINK: "it is a hard link",
    EFTYPE: "it is neither a file nor a folder",
    EINVAL: "its name has characters that are not allowed",
    EFBIG: `it has more than ${bounds.file} bytes`,
    ENOTDIR: "a folder on its way is a file",
    EISDIR: "it is a folder now",
  };
  const known = why[error.code ?? ""];
  if (known === undefined) throw error;
  return known;
}
