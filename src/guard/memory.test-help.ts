/** A memory on a real disk, with a clock that stands still, and a person who edits its files. */
import { mkdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { tempFolder } from "../store/temp.test-help.ts";
import { createMemory, type MemoryOptions } from "./memory.ts";
import { agentPlace } from "./memory-place.ts";

export const noon = Date.parse("2026-11-15T12:00:00.000Z");

export async function start(options: Partial<MemoryOptions> = {}) {
  const home = await tempFolder();
  const place = agentPlace(home, "a1");
  mkdirSync(place.root, { recursive: true });
  let now = noon;
  // A look at the files takes no time: one that took long would not be followed by another for a while, and how long it takes is the machine's.
  const world = { ...machine, clock: { ...machine.clock, now: () => now, mono: () => 0 } };
  const build = (more: Partial<MemoryOptions> = {}) => createMemory({ world, lookMs: 60_000, ...options, ...more });
  const memories = build();
  onTestFinished(() => memories.close());
  return {
    home,
    root: place.root,
    memory: memories.of(place),
    of: memories.of,
    /** Another process with the same files. */
    again: (more: Partial<MemoryOptions> = {}) => build(more).of(place),
    at: (time: string) => {
      now = Date.parse(time);
    },
    /** What a person does with an editor. */
    async edit(path: string, text: string) {
      await mkdir(dirname(join(place.root, path)), { recursive: true });
      await writeFile(join(place.root, path), text);
    },
  };
}

export const pathsOf = (found: { found: { path: string }[] }) => found.found.map((one) => one.path);
