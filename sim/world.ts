/**
 * A whole simulated world from one seed: chance, time, a disk, and the incarnations of the processes that live on it.
 *
 * Always holds: same seed, same config, same program: same trace. An incarnation that has ended never comes back: its awaits stay pending.
 * Points: each `world.point` of the program sometimes takes a while (buggify), is counted, and can be where the process dies.
 * Not here: the program, its model, its clients and the invariants; and no ban of Date or setTimeout, which the trace would show.
 */
import type { World } from "../src/lib/world.ts";
import { createDisk, type SimDisk } from "./disk.ts";
import { type DiskFaults, noFaults } from "./faults.ts";
import { createNetwork, threads } from "./network.ts";
import { createProcesses, type OwnCall, type Running, type SimMachine, type Surroundings } from "./processes.ts";
import { createRandom, type SimRandom } from "./random.ts";
import { createTime, type Life, type Time } from "./time.ts";

export interface SimConfig {
  /** The chance that a point takes a while: mostly milliseconds, at most 2 s. */
  buggify: number;
  /** The chance that an end is a power loss of the whole machine, not a kill of the process. */
  power: number;
  /** The chance that a timer comes up to 20 ms late. */
  late: number;
  /** Wall time at the beginning. */
  start: number;
  disk: DiskFaults;
}

export type Ending = "kill" | "power";

/** One life of a process: the World it runs in. */
export interface Incarnation extends World {
  /** 1 for the first. */
  readonly number: number;
  readonly life: Life;
  /** Ends it, drawing how if not told. A power loss ends every incarnation on the same disk. Ending twice does nothing. */
  end(how?: Ending): Ending;
  point(name: string): Promise<void>;
}

export interface SimWorld {
  readonly seed: number;
  readonly config: SimConfig;
  /** For the harness; product code gets streams of its own. */
  readonly random: SimRandom;
  readonly time: Time;
  readonly disk: SimDisk;
  /** Of every host. */
  disks(): SimDisk[];
  /** Programs, of every host. */
  readonly processes: {
    running(): readonly Running[];
    /** Who hears of calls that programs make by themselves. */
    onCall(hear: OwnCall): void;
    /** Who agent CLIs reach. */
    surround(around: Surroundings): void;
  };
  /** Hits by name of point, over all incarnations. */
  readonly points: Map<string, number>;
  /** Starts a process; another `disk` is another host. */
  incarnate(options?: { disk?: SimDisk; skew?: number }): Incarnation;
  /** Another host: a disk with the same faults, and programs of its own. */
  addDisk(): SimDisk;
  /** At the nth hit from now of this point the process ends in it; `crashed` runs as an event of its own. Replaces an earlier one of the name. */
  crashAt(name: string, nth?: number, options?: { how?: Ending; crashed?: (dead: Incarnation) => void }): void;
  /** Faults, delays at points and late timers stop (what was written stays unsynced) or go on. Crashes that are asked for still happen. */
  calm(): void;
  storm(): void;
}

export const defaultConfig: SimConfig = {
  buggify: 0.2,
  power: 0.6,
  late: 0.05,
  start: Date.UTC(2026, 0, 1),
  disk: noFaults,
};

export function createSimWorld({ seed, config: given }: { seed: number; config?: Partial<SimConfig> }): SimWorld {
  const config = { ...defaultConfig, ...given };
  const random = createRandom(seed);
  const time = createTime({ random: random.fork("time"), start: config.start, late: config.late });
  const points = new Map<string, number>();
  const crashes = new Map<string, { left: number; how: Ending | undefined; crashed?: (dead: Incarnation) => void }>();
  const chance = random.fork("points");
  const machines = new Map<SimDisk, SimMachine>();
  let incarnations = 0;
  let calm = false;
  let heard: OwnCall | undefined;
  let surroundings: Surroundings | undefined;

  const addDisk = (): SimDisk => {
    const disk = createDisk({ random: random.fork(`disk ${machines.size}`), time, faults: config.disk });
    const call: OwnCall = (tag) => heard?.(tag);
    const around: Surroundings = (...given) => surroundings?.(...given);
    const processes = random.fork(`processes ${machines.size}`);
    machines.set(disk, createProcesses({ random: processes, time, disk, call, around, isCalm: () => calm }));
    if (calm) disk.calm();
    return disk;
  };
  const disk = addDisk();

  const pointOf = (incarnation: () => Incarnation) => (name: string) => {
    const { life } = incarnation();
    if (life.ended) return never();
    points.set(name, (points.get(name) ?? 0) + 1);
    const crash = crashes.get(name);
    if (crash && --crash.left <= 0) {
      crashes.delete(name);
      incarnation().end(crash.how);
      const { crashed } = crash;
      if (crashed) life.onEnd(() => crashed(incarnation()));
      return never();
    }
    return !calm && chance.chance(config.buggify) ? life.sleep(pause(chance)) : Promise.resolve();
  };

  return {
    seed,
    config,
    random: random.fork("harness"),
    time,
    disk,
    disks: () => [...machines.keys()],
    processes: {
      running: () => [...machines.values()].flatMap((machine) => machine.running()),
      onCall(hear) {
        heard = hear;
      },
      surround(around) {
        surroundings = around;
      },
    },
    points,
    incarnate({ disk: home = disk, skew = 0 } = {}) {
      const number = ++incarnations;
      const processes = machines.get(home)!;
      const life = time.live({ skew });
      const { next, hex } = random.fork(`incarnation ${number}`);
      const incarnation: Incarnation = {
        number,
        life,
        clock: life,
        random: { next, hex },
        files: home.mount(life),
        processes: processes.mount(life),
        network: createNetwork(),
        threads,
        point: pointOf(() => incarnation),
        end(how = chance.chance(config.power) ? "power" : "kill") {
          if (life.ended) return how;
          if (how === "power") {
            processes.power();
            home.power();
          } else life.end();
          return how;
        },
      };
      return incarnation;
    },
    addDisk,
    crashAt(name, nth = 1, { how, crashed } = {}) {
      crashes.set(name, { left: nth, how, crashed });
    },
    calm() {
      calm = true;
      time.late = 0;
      for (const disk of machines.keys()) disk.calm();
    },
    storm() {
      calm = false;
      time.late = config.late;
      for (const disk of machines.keys()) disk.storm();
    },
  };
}

const never = (): Promise<void> => new Promise(() => undefined);

/** Milliseconds: four in five below 5, one in twenty up to 2,000. */
function pause(random: SimRandom): number {
  const luck = random.next();
  return random.next() * (luck < 0.8 ? 5 : luck < 0.95 ? 100 : 2000);
}
