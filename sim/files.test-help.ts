/** A simulated disk without faults as a place for the contracts. */
import { createDisk } from "./disk.ts";
import type { Place } from "./files.contract.ts";
import { createRandom } from "./random.ts";
import { createTime } from "./time.ts";

export function simulated(seed: number): Place {
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
}
