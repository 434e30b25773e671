/** What both threads of the watchdog know: two numbers and a short text in memory that they share. */
export interface Beat {
  shared: SharedArrayBuffer;
  /** Between two looks. */
  lookMs: number;
  /** After so long without a turn the loop stands. */
  stallMs: number;
  /** After so long it is dead. */
  deadMs: number;
  logPath: string;
}

export interface Stall {
  ms: number;
  /** What was under way, the newest first, in words. */
  running: string;
}

const header = 12;
const longest = 4_000;

/** Two flags (is there work, the beat), the length of the text, and the text. */
export const createShared = (): SharedArrayBuffer => new SharedArrayBuffer(header + longest);

export function writeNote(shared: SharedArrayBuffer, text: string): void {
  const length = new Int32Array(shared, 8, 1);
  Atomics.store(length, 0, 0);
  const bytes = Buffer.from(text).subarray(0, longest);
  new Uint8Array(shared, header).set(bytes);
  Atomics.store(length, 0, bytes.length);
}

export function readNote(shared: SharedArrayBuffer): string {
  const length = Atomics.load(new Int32Array(shared, 8, 1), 0);
  return Buffer.from(new Uint8Array(shared, header, length)).toString();
}
