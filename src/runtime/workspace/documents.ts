/**
 * The texts of documents as files: `documents/NAME` of the run is written from its blob after the log has the version, and people may edit it.
 *
 * A file that differs from the newest version is either an older version of ours that was not replaced yet, then it is replaced, or what
 * somebody wrote by hand, then it becomes the next version (edits.ts). Which of the two is known from what this process last wrote or saw;
 * after a restart from the log and the file's time. A file that is missing is written again.
 */
import { join } from "node:path";
import { agentRoot } from "../../home/layout.ts";
import type { World } from "../../lib/world.ts";
import type { Log, Store } from "../../store/store.ts";
import type { Live } from "../live.ts";

export interface Documents {
  /** The file is what the log says: remembered. */
  agrees(path: string, sha256: string): void;
  /** Writes the newest version if what was found is not there or an older version. True if nobody but us has to do with it. */
  renew(path: string, found: string | null, changed: number): Promise<boolean>;
  /** It was removed from the run: so is its file, unless somebody has changed that. */
  remove(path: string, found: string | null): Promise<void>;
}

export interface DocumentsOptions {
  home: string;
  world: World;
  store: Pick<Store, "getBlob">;
  live: Live;
  log: Pick<Log, "read">;
}

/** A version may reach the disk when the log has the next one already: by so many milliseconds at most. */
const lateWrite = 10_000;

export function createDocuments({ home, world, store, live, log }: DocumentsOptions): Documents {
  const root = agentRoot(home, live.agent);
  /** The hash of each file when it was last what the log said. */
  const known = new Map<string, string>();

  function newest(path: string) {
    const { run, documents } = live.state();
    const [, of, name] = /^runs\/([^/]+)\/documents\/([^/]+)$/.exec(path) ?? [];
    return run?.id === of && name !== undefined ? documents.get(name) : undefined;
  }

  async function isOlder(path: string, found: string, changed: number): Promise<boolean> {
    const document = newest(path)!;
    if (known.has(path)) return known.get(path) === found;
    if (document.version === 1 || changed > Date.parse(document.at) + lateWrite) return false;
    for await (const events of log.read(live.state().run!.first_seq - 1))
      for (const { type, data } of events)
        if (type === "document.written" && data.document === document.name && data.sha256 === found) return true;
    return false;
  }

  return {
    agrees: (path, sha256) => void known.set(path, sha256),
    async renew(path, found, changed) {
      if (!newest(path)) return false;
      if (found !== null && !(await isOlder(path, found, changed))) return false;
      const document = newest(path);
      const content = document && (await store.getBlob(live.agent, document.sha256));
      if (!document || !content) return found === null; // whoever keeps its text elsewhere brings the file, too
      const file = join(root, path);
      await world.files.makeDir(join(file, ".."));
      await world.files.write(file, content, { durable: false });
      known.set(path, document.sha256);
      return true;
    },
    async remove(path, found) {
      if (newest(path) || found === null || known.get(path) !== found) return;
      known.delete(path);
      await world.files.remove(join(root, path));
    },
  };
}
