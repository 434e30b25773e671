import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { files } from "../src/lib/machine/files.ts";
import { createDisk } from "./disk.ts";
import { filesContract } from "./files.contract.ts";
import { createRandom } from "./random.ts";
import { createTime } from "./time.ts";

const roots: string[] = [];
afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true });
});

filesContract("files of the machine", async () => {
  const root = await mkdtemp(join(tmpdir(), "agiraph-files-"));
  roots.push(root);
  return { root, files, other: files, play: (act) => act(), modes: process.getuid?.() !== 0 };
});

for (const seed of [1, 2, 3]) {
  filesContract(`files of the simulation, seed ${seed}`, async () => {
    const random = createRandom(seed);
    const time = createTime({ random: random.fork("time") });
    const disk = createDisk({ random: random.fork("disk"), time });
    disk.edit("/home/agents/.keep", null);
    return {
      root: "/home/agents",
      files: disk.mount(time.live()),
      other: disk.mount(time.live()),
      modes: true,
      async play(act) {
        let over = false;
        const done = act().finally(() => {
          over = true;
        });
        done.catch(() => undefined);
        const why = await time.run({ until: () => over });
        if (why === "idle") throw new Error("the test waits for something that never comes");
        await done;
      },
    };
  });
}
