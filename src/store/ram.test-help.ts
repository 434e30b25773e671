/** Files in memory: fast enough for thousands of openings; a killed process and a power cut can be simulated. */
import { dirname, posix } from "node:path";
import type { Files } from "../lib/world.ts";

export interface RamFiles extends Files {
  /** The content of every file, by path. */
  content: Map<string, Buffer>;
  /** What the next process finds after a power cut: of what was not synced, the first `share` (0 to 1), maybe cut in the middle. */
  afterPowerCut(share: number): RamFiles;
  /** What the next process finds after this one was killed: everything, but what was not synced still is not. */
  afterKill(): RamFiles;
}

export function createRam(given: Iterable<[string, Uint8Array]> = [], synced?: Map<string, number>): RamFiles {
  const content = new Map([...given].map(([path, bytes]) => [path, Buffer.from(bytes)]));
  const durable = new Map(synced ?? [...content].map(([path, { length }]) => [path, length]));
  const refuse = async (): Promise<never> => {
    throw new Error("not in this test's files");
  };

  return {
    content,
    afterPowerCut(share) {
      const left = [...content].map(([path, bytes]): [string, Buffer] => {
        const safe = Math.min(durable.get(path) ?? 0, bytes.length);
        return [path, bytes.subarray(0, safe + Math.round((bytes.length - safe) * share))];
      });
      return createRam(left);
    },
    afterKill: () => createRam(content, durable),

    async open(path) {
      if (!content.has(path)) content.set(path, Buffer.alloc(0));
      const now = () => content.get(path)!;
      return {
        size: async () => now().length,
        append: async (bytes) => void content.set(path, Buffer.concat([now(), bytes])),
        sync: async () => void durable.set(path, now().length),
        truncate: async (size) => void content.set(path, now().subarray(0, size)),
        read: async (offset, length) => Buffer.from(now().subarray(offset, offset + length)),
        close: async () => undefined,
      };
    },
    async read(path) {
      const found = content.get(path);
      return found ? Buffer.from(found) : null;
    },
    async write(path, bytes) {
      content.set(path, Buffer.from(bytes as Uint8Array));
      durable.set(path, content.get(path)!.length);
    },
    async remove(path) {
      content.delete(path);
    },
    async settle() {
      // File names are durable here at once.
    },
    async makeDir() {
      // Folders exist where files do.
    },
    async list(path) {
      const names = [...content.keys()].flatMap((file) => {
        const [name, ...below] = posix.relative(path, file).split("/");
        return name && name !== ".." ? [[name, below.length > 0 ? "folder" : "file"] as const] : [];
      });
      return [...new Map(names)].map(([name, kind]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async stat(path) {
      const found = content.get(path);
      if (found) return { kind: "file", size: found.length, changed: 0 };
      const isFolder = [...content.keys()].some((file) => dirname(file).startsWith(path));
      return isFolder ? { kind: "folder", size: 0, changed: 0 } : null;
    },
    move: refuse,
    freeze: refuse,
    lock: refuse,
    within() {
      throw new Error("not in this test's files");
    },
  };
}
