/**
 * Where a bench works: a folder of its own on a real disk, removed at the end, and what there is to say about the machine.
 * A folder in memory would make every sync free, so the system's temporary folder is not used when it is one.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { files } from "../src/lib/machine/files.ts";

export interface Place {
  /** A new empty folder. */
  folder(name: string): string;
  /** Given sizes (a million events, ten thousand agents) times this. Below 1 only to try things: the goals are meant for 1. */
  size: number;
}

export interface OwnPlace extends Place {
  root: string;
  remove(): Promise<void>;
}

export const repository = fileURLToPath(new URL("..", import.meta.url));

export function openPlace(size: number, wanted?: string): OwnPlace {
  const cache = join(repository, "node_modules", ".cache");
  const above = wanted ?? (inMemory(diskOf(tmpdir()).type) ? cache : tmpdir());
  mkdirSync(above, { recursive: true });
  const root = mkdtempSync(join(realpathSync(above), "agiraph-bench-"));
  let made = 0;
  return {
    root,
    size,
    folder(name) {
      const path = join(root, `${++made}-${name}`);
      mkdirSync(path);
      return path;
    },
    remove: () => files.remove(root),
  };
}

export function describe(root: string): string[] {
  const disk = diskOf(root);
  const model = cpus()[0]?.model.trim() || arch();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const [load] = loadavg();
  const cores = availableParallelism();
  const busy = load! > cores / 2 ? ": others are at work, trust the ratios more than the values" : "";
  return [
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
    `${model}, ${cores} cores, ${memory} · ${type()} ${release()} · Node ${process.versions.node}`,
    `${disk.type} on ${disk.device} (${root})${inMemory(disk.type) ? ": IN MEMORY, syncs cost nothing here" : ""}`,
    `load ${load!.toFixed(1)} before we began${busy}`,
  ];
}

const inMemory = (type: string): boolean => type === "tmpfs" || type === "ramfs";

/** The file system a path lies on: the mount with the longest matching path. Unknown where there is no /proc. */
function diskOf(path: string): { type: string; device: string } {
  const mounts = "/proc/self/mounts";
  if (!existsSync(mounts)) return { type: "an unknown file system", device: "this machine" };
  const real = realpathSync(path);
  const found = readFileSync(mounts, "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, at]) => at && (at === "/" || real === at || real.startsWith(`${at}/`)))
    .sort((a, b) => a[1]!.length - b[1]!.length)
    .at(-1);
  return { device: found?.[0] ?? "?", type: found?.[2] ?? "?" };
}
