/** A folder that no path leads out of, on a disk that has no links: the rules for paths are all it takes (contract: within.contract.ts). */
import { refusal, stepsOf } from "../src/lib/files/steps.ts";
import type { FileStat, Files, Within } from "../src/lib/world.ts";

export function createWithin(files: Files, root: string): Within {
  const at = (path: string): string => [root, ...stepsOf(path)].join("/");
  const named = (path: string): string => {
    if (stepsOf(path).length === 0) throw refusal("EISDIR", "the folder itself is not a file");
    return at(path);
  };
  return {
    async read(path, most = 64 * 1024 * 1024) {
      const content = await files.read(named(path));
      if (content && content.length > most) throw refusal("EFBIG", `${path} has ${content.length} bytes`);
      return content;
    },
    async write(path, content, options) {
      const file = named(path);
      const folder = file.slice(0, file.lastIndexOf("/"));
      if ((await files.stat(folder))?.kind !== "folder") await files.makeDir(folder).catch(noFolder);
      await files.write(file, content, options);
    },
    makeDir: async (path) => files.makeDir(at(path)),
    async list(path, most = 12_000) {
      const folder = at(path);
      const entries = await files.list(folder, most);
      const stats = await Promise.all(entries.map(({ name }) => files.stat(`${folder}/${name}`)));
      return entries.flatMap((entry, index) => (stats[index] ? [{ ...entry, ...(stats[index] as FileStat) }] : []));
    },
    stat: async (path) => files.stat(at(path)),
    readLink: async (path) => {
      named(path);
      return null;
    },
    remove: async (path) => files.remove(named(path)),
  };
}

function noFolder(error: NodeJS.ErrnoException): never {
  throw error.code === "EEXIST" ? refusal("ENOTDIR", error.message) : error;
}
