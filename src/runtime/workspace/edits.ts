/**
 * Files that people may edit by hand: soul, goal, memory, todo, specs, documents. The log knows the hash of each as last written or seen.
 *
 * A file that differs from it was edited: that is recorded as an event of the human, with the content kept as a blob, and the new content is
 * what counts. We write such a file only when it still is what we know; otherwise the edit is noticed first.
 *
 * Whatever is done about one file happens in order: two looks at the same time would take what the other one wrote for an edit.
 */
import { join } from "node:path";
import { agentRoot } from "../../home/layout.ts";
import { createQueues } from "../../lib/queues.ts";
import type { World } from "../../lib/world.ts";
import type { CommandInput } from "../../schema/command.ts";
import { documentCommands } from "../../schema/document.ts";
import type { Log, Store } from "../../store/store.ts";
import type { Live } from "../live.ts";
import { createDocuments } from "./documents.ts";
import { sha256 } from "./publish.ts";

export interface Edits {
  /** Compares every known file with the disk and records what people changed. Cheap when nothing changed. With a node: not the other nodes' specs. */
  notice(node?: string): Promise<void>;
  /** Writes a file people may edit, after noticing what they did to it. Returns false if their edit won. */
  write(path: string, content: string, options?: { unless: "there" }): Promise<boolean>;
  /**
   * The human has written this through us. It is recorded, whatever is there by now: also where the log never heard of the file because our
   * own first write of it failed, and where somebody has written over it since.
   */
  adopt(path: string, content: Buffer): Promise<void>;
  /** A document has a new version, or is no more: its file follows. */
  follow(path: string): Promise<void>;
  /**
   * The human writes a document of the current run through us: the log has it first, then its file. `admit` is given the hash of what it
   * would replace, after edits by hand were noticed, and throws to refuse; nothing can come between its word and the new version.
   */
  writeDocument(document: string, content: Buffer, admit: (found: string | null) => void): Promise<void>;
}

export function createEdits({
  home,
  world,
  store,
  live,
  log,
}: {
  home: string;
  world: World;
  store: Store;
  live: Live;
  log: Log;
}): Edits {
  const root = agentRoot(home, live.agent);
  const documents = createDocuments({ home, world, store, live, log });
  /** Size and time of each file when it was last found to be what the log knows: spares the reading. */
  const seen = new Map<string, string>();
  /** Files that people deleted; one that takes the place of such a file is an edit, too. */
  const gone = new Set<string>();

  const queues = createQueues();

  const look = (path: string): Promise<void> => queues.inOrder(path, () => compare(path));

  async function compare(path: string): Promise<void> {
    const stat = await world.files.stat(join(root, path));
    const known = live.state().files.get(path) ?? (gone.has(path) ? null : undefined);
    const stamp = `${known} ${stat ? `${stat.size} ${stat.changed}` : "none"}`;
    if (seen.get(path) === stamp) return;
    const content = stat?.kind === "file" ? await world.files.read(join(root, path)) : null;
    const found = content ? sha256(content) : null;
    if (known !== undefined && found === known) documents.agrees(path, known!);
    else if (await documents.renew(path, found, stat?.changed ?? 0)) return;
    if (known !== undefined && found !== known && (live.state().files.get(path) ?? null) === known) {
      await record(path, content);
      if (found === null) gone.add(path);
    }
    seen.set(path, stamp);
  }

  /** What the human made of it; nothing, if they removed it. */
  async function record(path: string, content: Uint8Array | null): Promise<void> {
    if (content) await store.putBlob(live.agent, content);
    const edit = { type: "file.edit" as const, path, sha256: content && sha256(content) };
    await live.dispatch((content && versionOf(path, content)) ?? edit, { actor: "human" });
  }

  /** An edited document is its next version: one event, so that a crash leaves no file that is noticed and no version of it. */
  function versionOf(path: string, content: Uint8Array): CommandInput | undefined {
    const [, run, document] = /^runs\/([^/]+)\/documents\/([^/]+)$/.exec(path) ?? [];
    if (!run || live.state().run?.id !== run || live.state().run?.status !== "open") return undefined;
    const given = { type: "document.write", document, sha256: sha256(content), size: content.length };
    return documentCommands["document.write"].safeParse(given).success ? (given as CommandInput) : undefined;
  }

  async function adopt(path: string, content: Buffer): Promise<void> {
    // Its size and, within a tick of the disk's clock, its time may be those of what was there before.
    seen.delete(path);
    if (live.state().files.get(path) !== sha256(content)) await record(path, content);
    await compare(path);
  }

  async function follow(path: string): Promise<void> {
    if (live.state().files.has(path)) return await compare(path);
    const there = await world.files.read(join(root, path));
    await documents.remove(path, there && sha256(there));
  }

  async function writeDocument(
    path: string,
    { document, content, admit }: { document: string; content: Buffer; admit: (found: string | null) => void },
  ): Promise<void> {
    const known = live.state().files.has(path);
    if (known) await compare(path);
    // A file that is no document yet; whatever is written over can be looked up.
    const there = known ? null : await world.files.read(join(root, path));
    if (there) await store.putBlob(live.agent, there);
    const hash = await store.putBlob(live.agent, content);
    const before = live.state().documents.get(document);
    admit(before?.sha256 ?? (there && sha256(there)));
    const given = { type: "document.write" as const, document, sha256: hash, size: content.length };
    await live.dispatch({ ...given, expected_version: before?.version ?? 0 }, { actor: "human" });
    if (there) documents.agrees(path, sha256(there));
    await compare(path);
  }

  async function write(path: string, content: string, options?: { unless: "there" }): Promise<boolean> {
    const hash = sha256(content);
    const file = join(root, path);
    const there = await world.files.read(file);
    const found = there ? sha256(there) : undefined;
    const known = live.state().files.get(path);
    if (
      found !== undefined &&
      found !== hash &&
      (options?.unless === "there" || (known !== undefined && found !== known))
    ) {
      if (known !== undefined) await compare(path);
      else {
        // Somebody wrote it before us: it is theirs, so its text is kept like any of theirs.
        await store.putBlob(live.agent, there!);
        await live.dispatch({ type: "file.write", path, sha256: found });
      }
      return false;
    }
    if (found !== hash) {
      await world.files.makeDir(join(file, ".."));
      await world.files.write(file, content);
    }
    await live.dispatch({ type: "file.write", path, sha256: hash });
    return true;
  }

  return {
    async notice(node) {
      for (const path of new Set([...live.state().files.keys(), ...gone])) {
        const spec = /\/nodes\/([^/]+)\/_spec\.md$/.exec(path);
        if (!node || !spec || spec[1] === node) await look(path);
      }
    },
    write: (path, content, options) => queues.inOrder(path, () => write(path, content, options)),
    adopt: (path, content) => queues.inOrder(path, () => adopt(path, content)),
    follow: (path) => queues.inOrder(path, () => follow(path)),
    writeDocument(document, content, admit) {
      const path = `runs/${live.state().run!.id}/documents/${document}`;
      return queues.inOrder(path, () => writeDocument(path, { document, content, admit }));
    },
  };
}
