/**
 * Which copy of a workspace a folder is. Where several hosts take over from each other, each has a folder of its own for the same workspace, and only
 * the one that was saved last counts. A mark on the same disk names all copies there for ever; the log has the mark of the copy that was saved
 * last. An imported agent has none: it continues with what was saved. Earlier versions marked each workspace by itself; such a mark still counts.
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
  /** Marks of earlier versions, by workspace. */
  const own = new Map<string, string | undefined>();
  let here: Promise<string> | undefined;
  const notes = join(repositoryRoot(home, live.agent), notesFolder);
  const mark = join(notes, "copy.json");
  const ownMark = (id: string): string => join(notes, `${places.nameOf(id)}.copy.json`);
  const hintOf = (id: string): string => join(notes, `${places.nameOf(id)}.unchanged.json`);

  async function read(path: string): Promise<Record<string, unknown>> {
    const content = await files.read(path);
    try {
      return JSON.parse(String(content)) ?? {};
    } catch {
      return {}; // torn by a power loss
    }
  }

  async function copyIn(path: string): Promise<string | undefined> {
    const { copy } = await read(path);
    return typeof copy === "string" ? copy : undefined;
  }

  async function ownOf(id: string): Promise<string | undefined> {
    const name = places.nameOf(id);
    if (!own.has(name)) own.set(name, await copyIn(ownMark(id)));
    return own.get(name);
  }

  /** Durable before the log names it. */
  async function readOrMake(): Promise<string> {
    const there = await copyIn(mark);
    if (there !== undefined) return there;
    const copy = random.hex(4);
    await files.makeDir(notes);
    await files.write(mark, `${JSON.stringify({ copy })}\n`);
    return copy;
  }

  function marked(): Promise<string> {
    here ??= readOrMake().catch((error) => {
      here = undefined;
      throw error;
    });
    return here;
  }

  return {
    of: async (id) => (await ownOf(id)) ?? (await marked()),
    // Older events do not name a copy; there was one host.
    isSource: async (id, { copy }) =>
      copy === undefined || copy === ((await ownOf(id)) ?? (await (here ?? copyIn(mark)))),
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
