import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { files } from "../src/lib/machine/files.ts";
import { filesContract } from "./files.contract.ts";
import { simulated } from "./files.test-help.ts";

const roots: string[] = [];
afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true });
});

filesContract("files of the machine", async () => {
  const root = await mkdtemp(join(tmpdir(), "agiraph-files-"));
  roots.push(root);
  return { root, files, other: files, play: (act) => act(), modes: process.getuid?.() !== 0 };
});

for (const seed of [1, 2, 3]) filesContract(`files of the simulation, seed ${seed}`, async () => simulated(seed));
