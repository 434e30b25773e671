/**
 * An agent as one file: everything it is (its log first, then blobs, files, memory), as a tar that is compressed. Whoever takes it in has the
 * same agent with the same history; it is paused, so that nothing is spent before a person has looked.
 *
 * Always holds: what is packed is a whole prefix of the log and at least everything that prefix needs, also while the agent works. What is
 * unpacked is verified line by line before it is part of the home; until then it lies beside the agents, and a crash leaves none of it there.
 * An import that was acknowledged is on the disk, all of it.
 * Nothing in a bundle is believed: not its files (unpack.ts), not what its log says was allowed (import.ts).
 */

import { join } from "node:path";
import { createTarPacker } from "modern-tar";
import { agentRoot } from "../../home/layout.ts";
import { walkTree } from "../../lib/files/tree.ts";
import type { FileEntry, World } from "../../lib/world.ts";
import { onDisk } from "../../schema/disk-error.ts";
import { Problem } from "../../schema/problem.ts";
import { type ArrivalOptions, type Brings, receive } from "./import.ts";
import { bundledLog, bundleVersion, derivedFile, manifestName, mostBytes, mostFiles, unpackBundle } from "./unpack.ts";

export interface BundleOptions {
  home: string;
  world: World;
}

/** Of imports that a crash cut short; whoever holds the home removes them at its start. */
export async function sweepImports({ home, world }: BundleOptions, names: readonly FileEntry[]): Promise<void> {
  for (const { name } of names) if (/^import-[0-9a-f]+$/.test(name)) await world.files.remove(join(home, name));
}

/** The compressed bundle as it is made. */
export function pack({ home, world }: BundleOptions, agent: string): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const within = world.files.within(agentRoot(home, agent));
  const add = async (name: string, content: Uint8Array): Promise<void> => {
    const writer = controller.add({ name, size: content.length, mode: 0o600 }).getWriter();
    await writer.write(content);
    await writer.close();
  };

  /** The user's files and what was made of them stay: the agent has no folder where it arrives. */
  function isOfUser({ name, path }: { name: string; path: string }): boolean {
    const folder = path.slice(0, -name.length);
    if (name === "checkout.json") checkouts.add(folder); // listed before its scratch
    return path === "repository" || (checkouts.has(folder) && (name === "scratch" || name === "home"));
  }
  const checkouts = new Set<string>();

  async function addFiles(): Promise<void> {
    let count = 0;
    const list = (folder: string) => within.list(folder, mostFiles + 1);
    for await (const { name, path, kind } of walkTree(list, { skip: isOfUser })) {
      if (++count > mostFiles)
        throw new Problem("too_large", `${agent} has more than ${mostFiles} files, and a bundle cannot have more`);
      if (kind !== "file" || path === bundledLog || derivedFile.test(name)) continue;
      const content = await within.read(path, mostBytes).catch(() => null); // it may be gone or replaced by now
      if (content) await add(path, content);
    }
  }

  async function all(): Promise<void> {
    await add(manifestName, Buffer.from(`${JSON.stringify({ version: bundleVersion, agent })}\n`));
    // First: whatever it names is on the disk by now.
    const lines = (await within.read(bundledLog, mostBytes)) ?? Buffer.alloc(0);
    await add(bundledLog, lines.subarray(0, lines.lastIndexOf(10) + 1));
    await addFiles();
    controller.finalize();
  }
  all().catch((error) => controller.error(error));
  return readable.pipeThrough(new CompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>);
}

/** Returns the agent's id and what came with it. `taken` says whether the home has one of that name. */
export async function unpack(
  { home, ...options }: ArrivalOptions,
  bundle: ReadableStream<Uint8Array>,
  taken: (agent: string) => boolean,
): Promise<{ agent: string; brings: Brings }> {
  const { world } = options;
  const staging = join(home, `import-${world.random.hex(8)}`);
  try {
    const agent = await unpackBundle(world, staging, bundle);
    if (taken(agent))
      throw new Problem(
        "name_taken",
        `this home already has an agent ${agent}; archive or move it, or use another home`,
      );
    const brings = await receive({ ...options, home: staging }, agent);
    const root = agentRoot(home, agent);
    await onDisk("store", root, async () => {
      await world.files.makeDir(join(home, "agents"));
      if (await world.files.stat(root)) {
        // It may be an import of before that could not be synced. Whoever is told that it is here may remove the original.
        await world.files.settle(root, home);
        throw new Problem("name_taken", `this home already has a folder for an agent ${agent}`);
      }
      try {
        await world.files.move(agentRoot(staging, agent), root);
      } catch (error) {
        // Renamed and not synced, it would be refused as taken at the next attempt.
        await world.files.move(root, agentRoot(staging, agent)).catch(() => undefined);
        throw error;
      }
    });
    return { agent, brings };
  } finally {
    // What cannot be removed now is at the next start; the agent is here all the same.
    await world.files.remove(staging).catch(() => undefined);
  }
}
