/** The real world: this machine's clock, randomness, disk, processes, network and threads. */
import type { World } from "../world.ts";
import { clock } from "./clock.ts";
import { files } from "./files.ts";
import { network } from "./network.ts";
import { processes } from "./processes.ts";
import { random } from "./random.ts";
import { threads } from "./threads.ts";

export const machine: World = { clock, random, files, processes, network, threads };
