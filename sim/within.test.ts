import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { files } from "../src/lib/machine/files.ts";
import { holdByHandle, holdByPath } from "../src/lib/machine/hold.ts";
import { createWithin } from "../src/lib/machine/within.ts";
import { simulated } from "./files.test-help.ts";
import { withinContract } from "./within.contract.ts";

const roots: string[] = [];
afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true });
});

for (const [way, hold] of Object.entries({ holdByHandle, holdByPath })) {
  if (hold === holdByHandle && process.platform !== "linux") continue;
  withinContract(`a folder of the machine, ${way}`, async () => {
    const root = await mkdtemp(join(tmpdir(), "agiraph-within-"));
    roots.push(root);
    await mkdir(join(root, "in"));
    const within = createWithin(join(root, "in"), hold);
    return { root, files, other: files, play: (act) => act(), modes: process.getuid?.() !== 0, within };
  });
}

withinContract("a folder of the simulation", async () => {
  const place = simulated(1);
  return { ...place, within: place.files.within(`${place.root}/in`) };
});
