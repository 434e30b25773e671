/** What goes wrong in a seed, and when. */
import type { Fleet } from "./fleet.ts";
import { home } from "./host.ts";
import type { Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";
import type { SimWorld } from "./world.ts";

/** Plans everything for the next `ms`. */
export function planChaos(sim: SimWorld, setup: Setup, fleet: Fleet, { count }: Witness, ms: number): void {
  const { time, random } = sim;
  const often = (times: number, what: (n: number) => void) => {
    for (let n = 0; n < times; n++) time.after(random.int(ms), () => what(n));
  };

  often(setup.crashes, () => {
    count("crash");
    fleet.crash();
  });
  often(setup.stops, () => {
    count("stop");
    fleet.stop();
  });
  often(setup.pauses, fleet.pause);
  often(setup.edits, (n) => {
    const { disk } = random.pick(fleet.hosts);
    const editable = disk
      .paths()
      .filter((path) => /(GOAL|SOUL|_spec|_status|notes)\.md$|triggers\.json$/.test(path))
      .concat(`${home}/agents/a1/GOAL.md`);
    disk.edit(random.pick(editable), random.chance(0.2) ? null : `edited ${n}\n`);
  });
  often(setup.clockJumps, () => {
    count("clock_jump");
    time.jump(random.pick([-3_600_000, 3_600_000, 36_000_000]));
  });

  const { poison } = setup;
  let left = 8;
  function poisoned(point: string): void {
    if (left-- === 0) return;
    sim.crashAt(point, 1, {
      crashed(dead) {
        count("poisoned");
        fleet.crash(dead);
        poisoned(point);
      },
    });
  }
  if (poison) time.after(random.int(ms / 2), () => poisoned(poison));
}
