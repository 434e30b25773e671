/**
 * The memory of a run that has read what strangers or other agents wrote, where such notes are marked (`taint: { memory: mark }`).
 *
 * Always holds: a new note, or one that has an origin already, is kept at once with its origin in its head; it is never of the core tier and for nobody
 * else. A note without an origin is not changed: the run's version of it is held until the human accepts it (memory-held.ts). So nothing that a
 * stranger talked the run into is taken for the agent's own knowledge, and nothing that it found out is lost.
 */
import type { Memory, Written } from "../toolkit/memory.ts";
import type { OwnMemory } from "./memory.ts";
import { isLog } from "./memory-log.ts";
import { markNote, readNote } from "./note-head.ts";

export interface MarkOptions {
  own: OwnMemory;
  /** The same memory, where writes of notes that have no origin are held. */
  held: Memory;
  origin: string;
  tell(written: Written): Promise<Written>;
  nameOf(path: string): string;
}

export function markMemory({ own, held, origin, tell, nameOf }: MarkOptions): Memory {
  async function isGuarded(path: string): Promise<boolean> {
    const text = await own.peek(path);
    return text !== null && text.trim() !== "" && readNote(text).head.origin === undefined;
  }
  const marked = (text: string) => (text.trim() ? markNote(text, origin) : text);

  return {
    ...held,
    isGuarded,
    async write(path, content) {
      if (await isGuarded(path)) return await held.write(path, content);
      if (!isLog(nameOf(path))) return await tell(await own.write(path, marked(content)));
      // The head is there before the first entry, so that no crash leaves an entry without it.
      await own.edit(path, (text) => text || marked(`# ${nameOf(path).slice(-13, -3)}\n`));
      return await tell(await own.write(path, content));
    },
    async edit(path, change) {
      if (await isGuarded(path)) return await held.edit(path, change);
      return await tell(
        await own.edit(path, (text) => {
          const next = change(text);
          return next === text ? text : marked(next);
        }),
      );
    },
  };
}
