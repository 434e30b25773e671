/**
 * Whether what a node published is still what it published: every file is read and hashed, and compared with what the log says.
 *
 * The log is the measure, not the manifest beside the files: whoever could change a file could change that, too.
 */
import { walkTree } from "../../lib/files/tree.ts";
import type { Event } from "../../schema/event.ts";
import type { Published } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { ShownFiles } from "./file-reader.ts";
import { sha256 } from "./publish.ts";

export interface SealedFile extends Published {
  /** `unread`: too large, or too much altogether, to be read for this. */
  found: "same" | "changed" | "missing" | "unread";
}
export interface Sealed {
  node: string;
  sealed_at: string;
  seq: number;
  files: SealedFile[];
  /** Files in the folder that were not published. */
  added: string[];
  /** Every file is the same, and none was added. */
  whole: boolean;
}

const mostBytes = 256_000_000;

export async function checkSealed(
  files: ShownFiles,
  events: AsyncGenerator<Event[], void, void>,
  run: string,
  given: string,
): Promise<Sealed> {
  const ended = await completionOf(events, run, given);
  if (!ended) throw new Problem("not_found", `${given} of ${run} has published nothing`);
  const { node } = ended.data;
  const folder = `nodes/${node}/published`;
  let bytes = 0;
  const found: SealedFile[] = [];
  for (const file of ended.data.files) {
    bytes += file.size;
    const is = bytes > mostBytes ? "unread" : await compare(files, run, `${folder}/${file.path}`, file.sha256);
    found.push({ ...file, found: is });
  }
  const known = new Set(["manifest.json", ...found.map(({ path }) => path)]);
  const added = (await namesIn(files, run, folder)).filter((path) => !known.has(path));
  const whole = added.length === 0 && found.every((one) => one.found === "same");
  return { node, sealed_at: ended.ts, seq: ended.seq, files: found, added, whole };
}

async function completionOf(events: AsyncGenerator<Event[], void, void>, run: string, node: string) {
  for await (const some of events)
    for (const event of some)
      if (event.type === "node.completed" && event.run === run && isSaid(event.data.node, node)) return event;
  return undefined;
}

/** By its id, or by its number alone. */
const isSaid = (id: string, said: string): boolean => id === said || (/^n\d+$/.test(said) && id.startsWith(`${said}-`));

async function compare(files: ShownFiles, run: string, path: string, wanted: string): Promise<SealedFile["found"]> {
  try {
    const { within, path: at } = files.locate({ of: "workspace", run }, path);
    const content = await within.read(at);
    if (!content) return "missing";
    return sha256(content) === wanted ? "same" : "changed";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EFBIG" ? "unread" : "changed";
  }
}

async function namesIn(files: ShownFiles, run: string, folder: string): Promise<string[]> {
  const list = async (path: string) => {
    const there = await files
      .look({ of: "workspace", run }, path ? `${folder}/${path}` : folder)
      .catch(() => undefined);
    return there?.kind === "folder" ? there.entries : [];
  };
  const names: string[] = [];
  for await (const { path, kind } of walkTree(list)) if (kind !== "folder") names.push(path);
  return names;
}
