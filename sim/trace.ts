/**
 * The fingerprint of a simulation: everything that happens is mixed in, in order.
 *
 * Always holds: two runs with the same fingerprint popped the same events at the same times and gave the disk the same bytes.
 * A different fingerprint for the same seed means that chance or time came in past the seams.
 * Not here: the events themselves. To find where two runs part, set `watch` and compare what it is told.
 */
import { crc32 } from "node:zlib";

export interface Trace {
  /** A whole number; its low 53 bits count. */
  number(value: number): void;
  text(value: string): void;
  bytes(value: Uint8Array): void;
  /** Sixteen hex digits. */
  value(): string;
  /** Told of every part that is mixed in. */
  watch?: ((part: number | string) => void) | undefined;
}

export function createTrace(): Trace {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  const mix = (word: number) => {
    a = Math.imul(a ^ word, 0x01000193);
    b = Math.imul(b ^ word ^ (a >>> 15), 0x85ebca6b);
    b ^= b >>> 13;
  };
  const trace: Trace = {
    number(value) {
      trace.watch?.(value);
      mix(value | 0);
      mix((value / 2 ** 32) | 0);
    },
    text(value) {
      trace.watch?.(value);
      mix(crc32(value));
    },
    bytes(value) {
      const sum = crc32(value);
      trace.watch?.(`${value.length} bytes ${sum.toString(16)}`);
      mix(value.length);
      mix(sum);
    },
    value: () => [a, b].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join(""),
  };
  return trace;
}
