/**
 * Chance from a seed: sfc32, its state filled by splitmix32.
 *
 * Always holds: the same seed gives the same numbers on every machine. A fork depends on its parent's seed and its label only, never on
 * how much the parent was used, so a new consumer does not disturb the others.
 * Not here: secrets. `next` has 32 bits of resolution.
 */
import type { Random } from "../src/lib/world.ts";

export interface SimRandom extends Random {
  /** A whole number in [0, n); n at most 2^32. */
  int(n: number): number;
  /** A whole number in [low, high]. */
  between(low: number, high: number): number;
  chance(p: number): boolean;
  /** Throws for an empty list. */
  pick<T>(list: readonly T[]): T;
  /** An independent stream; the same label gives the same stream. */
  fork(label: string): SimRandom;
}

export function createRandom(seed: number): SimRandom {
  return fromKey(splitmix(seed >>> 0), splitmix(Math.floor(seed / 2 ** 32) ^ 0x9e3779b9));
}

function fromKey(high: number, low: number): SimRandom {
  let a = splitmix(high);
  let b = splitmix(low);
  let c = splitmix(high ^ 0x85ebca6b);
  let counter = splitmix(low ^ 0xc2b2ae35);

  const bits = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) bits();

  const next = (): number => bits() / 2 ** 32;
  const int = (n: number): number => Math.floor(next() * n);
  return {
    next,
    int,
    between: (low, high) => low + int(high - low + 1),
    chance: (p) => p > 0 && next() < p,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("pick: the list is empty");
      return list[int(list.length)] as T;
    },
    hex(length) {
      let text = "";
      for (let i = 0; i < length; i++) text += (bits() >>> 24).toString(16).padStart(2, "0");
      return text;
    },
    fork: (label) => fromKey(hash(label, high), hash(label, low ^ 0x27d4eb2f)),
  };
}

function splitmix(value: number): number {
  let mixed = (value + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

function hash(label: string, start: number): number {
  let value = start;
  for (let i = 0; i < label.length; i++) value = splitmix(value ^ label.charCodeAt(i));
  return splitmix(value ^ label.length);
}
