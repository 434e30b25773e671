/** A process that works on a repository and is killed at a point: `child.ts {home, folder, point?}`. Exits with 0 when the run is finished. */
import { defaultLimits } from "../../src/core/limits.ts";
import { createEmbedded } from "../../src/engine/embedded.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { createModel } from "../../src/runtime/model.test-help.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { createFilesStore } from "../../src/store/file-store.ts";
import { tools } from "../../src/tool/index.ts";
import { conflict } from "./play.ts";

interface Given {
  home: string;
  folder: string;
  point?: string;
}

const { home, folder, point }: Given = JSON.parse(process.argv[2]!);
const world = {
  ...machine,
  async point(name: string) {
    if (name === point) process.kill(process.pid, "SIGKILL");
  },
};
const runtime = createRuntime({
  home,
  world,
  store: createFilesStore({ home, files: world.files }),
  engine: createEmbedded({ clock: world.clock }),
  limits: defaultLimits,
  tools,
  backend: () => createModel(conflict, [], world.clock),
  snapshotEvery: 1_000,
  notice: (_agent, { message }) => console.error(message),
});
await runtime.start();
if (!runtime.has("a1"))
  await runtime.create({ goal: "change it", name: "a1", model: "scripted/test", folder, merge: "auto" });
for await (const _ of runtime.follow("a1", 0))
  if (runtime.opened("a1")?.live.state().run?.status === "completed") break;
await runtime.stop();
process.exit(0);
