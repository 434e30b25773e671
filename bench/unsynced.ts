/** The real disk without syncs: to set up many agents quickly, through the same code. Never to measure with. */
import * as fs from "node:fs/promises";
import { machine } from "../src/lib/machine/index.ts";
import type { OpenFile, World } from "../src/lib/world.ts";

const { files } = machine;

export const unsynced: World = {
  ...machine,
  files: {
    ...files,
    async open(path): Promise<OpenFile> {
      const handle = await fs.open(path, "a+", 0o600);
      return {
        size: async () => (await handle.stat()).size,
        append: async (bytes) => void (await handle.appendFile(bytes)),
        sync: async () => undefined,
        truncate: (size) => handle.truncate(size),
        async read(offset, length) {
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
          return buffer.subarray(0, bytesRead);
        },
        close: () => handle.close(),
      };
    },
    write: (path, content, options) => files.write(path, content, { ...options, durable: false }),
    move: (from, to) => fs.rename(from, to),
    async makeDir(path) {
      await fs.mkdir(path, { recursive: true, mode: 0o700 });
    },
  },
};
