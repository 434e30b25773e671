/** The real world: this machine's clock, chance, disk and processes. */
import type { World } from "../world.ts";
import { clock } from "./clock.ts";
import { files } from "./files.ts";
import { processes } from "./processes.ts";
import { random } from "./random.ts";

export const machine: World = { clock, random, files, processes };
