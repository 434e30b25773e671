/**
 * Which copy of a workspace a folder is. Where several hosts take over from each other, each has a folder of its own for the same workspace, and only
 * the one that was saved last counts. A mark on the same disk names the copy for ever; the log has the mark of the copy that was saved last. An
 * imported agent has none: it continues with what was saved.
 *
 * Beside it a hint, which may be lost: up to which event nothing had changed although somebody had worked there.
 */
import { join } from "node:path";
import { repositoryRoot } from "../../home/layout.ts";
import type { Saved } from "../../schema/workspace.ts";
import { notesFolder } from "../../workspace/notes-folder.ts";
import type { Shared } from "./shared.ts";

export interface Copies {
  /** The mark of the folder that is here; made if there is none. */
  of(id: string): Promise<string>;
  /** Whether what was saved last was saved from the folder that is here. */
  isSource(id: string, saved: Saved): Promise<boolean>;
  /** Somebody has looked: what had ended by `upto` did not change anything. May throw; nothing is lost then. */
  noteUnchanged(id: string, version: string, upto: number): Promise<void>;
  /** Up to which event the log and the hint say that everything is saved. */
  savedUpto(id: string, saved: Saved): Promise<number | undefined>;
}

export function createCopies({ home, world, live, places }: Shared): Copies {
  const { files, random } = world;
  const known = new Map<string, string>();
  const notes = join(repositoryRoot(home, live.agent), notesFolder);
  const markOf = (id: string): string => join(notes, `${places.nameOf(id)}.copy.json`);
  const hintOf = (id: string): string => join(notes, `${places.nameOf(id)}.unchanged.json`);

  async function read(path: string): Promise<Record<string, unknown>> {
    const content = await files.read(path);
    try {
      return JSON.parse(String(content)) ?? {};
    } catch {
      return {}; // torn by a power loss
    }
  }

  async function find(id: string): Promise<string | undefined> {
    const mark = known.get(places.nameOf(id)) ?? (await read(markOf(id))).copy;
    if (typeof mark !== "string") return undefined;
    known.set(places.nameOf(id), mark);
    return mark;
  }

  return {
    async of(id) {
      const there = await find(id);
      if (there !== undefined) return there;
      const copy = random.hex(4);
      await files.makeDir(notes);
      await files.write(markOf(id), `${JSON.stringify({ copy })}\n`);
      known.set(places.nameOf(id), copy);
      return copy;
    },
    // Older events do not name a copy; there was one host.
    isSource: async (id, { copy }) => copy === undefined || copy === (await find(id)),
    async noteUnchanged(id, version, upto) {
      await files.makeDir(notes);
      await files.write(hintOf(id), JSON.stringify({ version, upto }), { durable: false });
    },
    async savedUpto(id, { version, upto }) {
      const hint = await read(hintOf(id));
      if (upto === undefined) return undefined;
      return hint.version === version ? Math.max(upto, Number(hint.upto)) : upto;
    },
  };
}
