/**
 * What was saved of workspaces, judged by the raw log, the blobs and the disk: versions that the log names are complete, and at rest the last one of each
 * workspace is what lies in its folder. The form of a version is known here a second time, so that a mistake in the product cannot hide itself.
 */
import { createHash } from "node:crypto";
import type { SimDisk } from "./disk.ts";
import type { Line } from "./history.ts";
import { home } from "./host.ts";
import { agentFiles } from "./processes.ts";

/** The hash of each file, by path. */
export type Tree = ReadonlyMap<string, string>;
export type Blob = (sha256: string) => Promise<Buffer | null>;
type Violated = (invariant: string, what: string) => void;

interface Delta {
  from: string;
  set: Entry[];
  gone: string[];
}
type Entry = [path: string, file: { sha256: string }];

/** Throws a text if something of it is missing or broken. */
export async function loadVersion(blob: Blob, version: string): Promise<Tree> {
  const read = async (sha256: string): Promise<Buffer> => {
    const content = await blob(sha256);
    if (!content) throw `its blob ${sha256.slice(0, 8)} is missing`;
    if (hashOf(content) !== sha256) throw `its blob ${sha256.slice(0, 8)} is broken`;
    return content;
  };
  const list = JSON.parse(String(await read(version))) as Entry[] | Delta;
  const tree = new Map(Array.isArray(list) ? [] : await loadVersion(blob, list.from));
  for (const path of Array.isArray(list) ? [] : list.gone) tree.delete(path);
  for (const [path, { sha256 }] of Array.isArray(list) ? list : list.set) tree.set(path, sha256);
  for (const sha256 of tree.values()) await read(sha256);
  return tree;
}

const names = {
  "workspace.based": ["base"],
  "workspace.opened": ["from"],
  "workspace.kept": ["version"],
  "workspace.merged": ["commit", "integration"],
  "workspace.handed_over": ["commit"],
} as const;

/** Every version that the log names. */
export async function checkVersions(lines: readonly Line[], blob: Blob, violated: Violated): Promise<void> {
  const known = new Set<string>();
  for (const { type, data, seq } of lines) {
    for (const field of names[type as keyof typeof names] ?? []) {
      const version = String(data[field]);
      if (known.has(version)) continue;
      known.add(version);
      await loadVersion(blob, version).catch((why) =>
        violated("saved", `${type} (event ${seq}) names ${version.slice(0, 8)}, and ${String(why)}`),
      );
    }
  }
}

/** At rest, in the last run: each folder is as it was saved last; one that was never saved is empty, or as it was checked out. */
export async function checkFolders(
  disk: SimDisk,
  agent: string,
  lines: readonly Line[],
  blob: Blob,
  violated: Violated,
  /** Another host may have left something here that was never saved, and that nobody knows of. */
  isAlone: boolean,
): Promise<void> {
  const run = lines.findLast(({ type }) => type === "run.started")?.data.run;
  if (run === undefined) return;
  const root = `${home}/agents/${agent}/runs/${String(run)}`;
  const last = new Map<string, string>();
  for (const { type, data, run: of } of lines) {
    if (of !== run) continue;
    if (type === "workspace.opened") last.set(String(data.workspace), String(data.from));
    if (type === "workspace.kept") last.set(String(data.workspace), String(data.version));
  }
  const found = new Map<string, Map<string, string>>([...last.keys()].map((id) => [id, new Map()]));
  for (const path of disk.paths()) {
    const [, folder, owner, file] = path.startsWith(`${root}/`)
      ? (/^(?:(nodes|workers)\/([^/]+)\/)?scratch\/(.+)$/.exec(path.slice(root.length + 1)) ?? [])
      : [];
    if (file === undefined || isIgnored(file)) continue;
    const id = folder === "workers" ? `worker-${owner}` : (owner ?? String(run));
    const files = found.get(id) ?? new Map();
    found.set(id, files.set(file, hashOf(disk.peek(path)!)));
  }
  for (const [id, files] of found) {
    const version = last.get(id);
    if (version === undefined && !isAlone) continue;
    const tree = version === undefined ? new Map() : await loadVersion(blob, version).catch(() => undefined);
    const differing =
      tree && [...new Set([...tree.keys(), ...files.keys()])].filter((at) => tree.get(at) !== files.get(at));
    if (differing?.length)
      violated("saved", `${id} has ${differing.join(", ")} otherwise than it was saved (${version?.slice(0, 8)})`);
  }
}

/** Files that are still being written or were left so, and what we and programs tell each other. */
const isIgnored = (path: string): boolean => /(^|\/)\.[^/]+\.tmp$/.test(path) || agentFiles.has(path);

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");
