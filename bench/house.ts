/** The real runtime on the real disk, as src/main.ts builds it, in a home of the bench's own. */
import type { Backend } from "../src/backend/backend.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { createEmbedded } from "../src/engine/embedded.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { World } from "../src/lib/world.ts";
import type { RuntimeOptions } from "../src/runtime/options.ts";
import { createFilesStore } from "../src/store/file-store.ts";
import { tools } from "../src/tool/index.ts";

export interface HouseOptions {
  home: string;
  backend(model: string): Backend;
  world?: World;
  snapshotEvery?: number;
  restAfterMs?: number;
}

/** What goes wrong for an agent ends the bench: nothing it measured would mean anything. */
export function createHouse({
  home,
  backend,
  world = machine,
  snapshotEvery = 1000,
  restAfterMs,
}: HouseOptions): RuntimeOptions {
  return {
    home,
    world,
    store: createFilesStore({ home, files: world.files }),
    engine: createEmbedded({ clock: world.clock }),
    limits: defaultLimits,
    tools,
    backend,
    snapshotEvery,
    restAfterMs,
    notice(agent, problem) {
      throw new Error(`${agent}: ${problem.message}`, { cause: problem });
    },
  };
}
