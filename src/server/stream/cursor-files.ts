/** Small text files in a folder of the home (cursor.ts). A torn or deleted one is merely forgotten. */
import { join } from "node:path";
import type { Files } from "../../lib/world.ts";
import type { Keep } from "./cursor.ts";

export function createKeep(files: Files, folder: string): Keep {
  let isMade = false;
  return {
    list: async () => (await files.list(folder)).map(({ name }) => name),
    read: async (name) => (await files.read(join(folder, name)))?.toString("utf8") ?? null,
    async write(name, text) {
      if (!isMade) await files.makeDir(folder);
      isMade = true;
      await files.write(join(folder, name), text, { durable: false });
    },
    remove: (name) => files.remove(join(folder, name)),
  };
}
