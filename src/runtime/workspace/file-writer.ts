/**
 * Files that belong to people, written by them through us: soul, goal, memory, specs of nodes, documents.
 *
 * Always holds: a write says which version it replaces (or that there is none yet); if another one is there it is refused as a `conflict` and
 * nothing is lost. Writing what is there already is no change. The log learns of it as of any edit by hand (edits.ts); a crash in between
 * leaves the new file, and the next look records it. Of a document the log has the new version before its file changes. Writes of one agent
 * happen one after the other.
 */

import type { OwnMemory } from "../../guard/memory.ts";
import { DocumentName } from "../../schema/document.ts";
import { Problem } from "../../schema/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Live } from "../live.ts";
import type { Edits } from "./edits.ts";
import { asProblems, type ShownFiles, type Tree } from "./file-reader.ts";
import { sha256 } from "./publish.ts";

export interface OwnedFiles {
  /** `replaces` is the hash of the version that was read, `*` for whatever is there, nothing for a new file. Resolves with the new hash. */
  write(tree: Tree, path: string, text: string, replaces?: string): Promise<string>;
}

export interface OwnedFilesOptions {
  store: Store;
  live: Live;
  edits: Edits;
  files: ShownFiles;
  memory: OwnMemory;
  /** The agent stays open until this is over. */
  track(job: Promise<void>): void;
}

const largest = 2_000_000;
const hashOf = (content: Buffer | null): string | null => content && sha256(content);

export function createOwnedFiles({ store, live, edits, files, memory, track }: OwnedFilesOptions): OwnedFiles {
  let last: Promise<void> = Promise.resolve();

  /** Throws unless the writer has seen what is there. */
  function admit(path: string, found: string | null, next: string, replaces: string | undefined): void {
    if (found === next || (replaces === "*" && found !== null) || (found ?? undefined) === replaces) return;
    if (found === null)
      throw new Problem("conflict", `${path} does not exist (any more); write it as a new file, without a version`);
    const why = replaces === undefined ? "already exists" : "has changed meanwhile";
    throw new Problem("conflict", `${path} ${why}; read it and name the version to replace`, { sha256: found });
  }

  /** A file that the log keeps the hash of; what is found there afterwards is recorded as the human's. */
  async function replace(tree: Tree, path: string, text: string, replaces: string | undefined): Promise<void> {
    const { within, path: at } = files.locate(tree, path);
    const known = tree.of === "memory" ? at : `runs/${tree.run ?? live.state().run!.id}/${at}`;
    await edits.notice();
    let there: Buffer | null;
    let now = await within.read(at);
    do {
      there = now;
      admit(path, hashOf(there), sha256(text), replaces);
      // Whatever it was that is written over, it can be looked up (versions.ts).
      if (there) await store.putBlob(live.agent, there);
      // Somebody may have written it by hand meanwhile.
      now = await within.read(at);
    } while (hashOf(now) !== hashOf(there));
    // The log may not know it: a file that was removed by hand comes back if the power fails before the removal is on the disk.
    if (there && live.state().files.get(known) !== sha256(there)) await edits.adopt(known, there);
    await within.write(at, text);
    await edits.adopt(known, Buffer.from(text));
  }

  async function writeDocument(run: string, name: string, text: string, replaces: string | undefined): Promise<void> {
    await edits.writeDocument(name, Buffer.from(text), (found) => {
      // While it waited the next run may have started, and this is no document of that one.
      if (live.state().run?.id !== run)
        throw new Problem("wrong_state", `${run} has ended; its documents cannot change`);
      admit(name, found, sha256(text), replaces);
    });
  }

  async function write(tree: Tree, path: string, text: string, replaces: string | undefined): Promise<void> {
    const { agent, run, nodes } = live.state();
    if (agent?.status === "archived")
      throw new Problem("wrong_state", `${agent.id} is archived; its files cannot change`);
    files.locate(tree, path);
    if (tree.of === "memory") {
      if (path === "SOUL.md" || path === "GOAL.md") return await replace(tree, path, text, replaces);
      return await memory.put(path, text, (there) =>
        admit(path, there === null ? null : sha256(there), sha256(text), replaces),
      );
    }
    const current = tree.run === undefined || tree.run === run?.id;
    const [, node] = /^nodes\/([^/]+)\/_spec\.md$/.exec(path) ?? [];
    if (current && node !== undefined && nodes.has(node)) return await replace(tree, path, text, replaces);
    const [, name] = /^documents\/([^/]+)$/.exec(path) ?? [];
    if (!current || name === undefined)
      throw new Problem(
        "forbidden",
        `${path} cannot be edited; in a workspace people may write nodes/NODE/_spec.md and documents/NAME of the current run`,
      );
    if (!DocumentName.safeParse(name).success)
      throw new Problem("invalid", `${name} is not a valid document name; it must end in .md .txt .json .yaml or .csv`);
    if (run?.status !== "open")
      throw new Problem("wrong_state", `${run?.id} is ${run?.status}; its documents cannot change`);
    await writeDocument(run.id, name, text, replaces);
  }

  return {
    write(tree, path, text, replaces) {
      if (text.length > largest)
        throw new Problem("too_large", `${path} would have ${text.length} characters; at most ${largest} are allowed`);
      if (!text.isWellFormed())
        throw new Problem("invalid", `${path}: the text is not valid Unicode (half a surrogate pair)`);
      const mine = last.then(() => asProblems(path, () => write(tree, path, text, replaces)));
      const over = mine.catch(() => undefined);
      last = over;
      track(over);
      return mine.then(() => sha256(text));
    },
  };
}
