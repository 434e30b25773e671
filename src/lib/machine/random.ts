import { randomBytes } from "node:crypto";
import type { Random } from "../world.ts";

export const random: Random = { next: Math.random, hex: (length) => randomBytes(length).toString("hex") };
