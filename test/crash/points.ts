/**
 * Where a process under test dies: at the nth hit of one named point, by SIGKILL to itself, without a word to anyone else.
 *
 * The product names points of its own (`world.point`). Those here lie where it has none: around a rename (a draft is written, the new name
 * is not there yet) and in the middle of a write to a log. They are set into Node's own functions, so no product code knows of them.
 * What was written to stdout before the end reached the parent: the writes are synchronous.
 */
import sync, { writeSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

export interface Kill {
  point: string;
  /** 1 is the first time the point is reached in this life. */
  hit: number;
}

export type Point = (name: string) => void;

export function say(line: Record<string, unknown>): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

export function createPoint(kill: Kill | undefined): Point {
  let hits = 0;
  return (name) => {
    if (name !== kill?.point || ++hits !== kill.hit) return;
    say({ dying: name, hit: hits });
    process.kill(process.pid, "SIGKILL");
  };
}

/** `file.drafted KIND` before a rename, `file.renamed KIND` after it. */
export function watchRenames(point: Point): void {
  const { rename } = fs;
  fs.rename = async (from, to) => {
    const kind = kindOf(named(String(to)));
    point(`file.drafted ${kind}`);
    await rename(from, to);
    point(`file.renamed ${kind}`);
  };
  syncBuiltinESMExports();
}

const kinds: [kind: string, path: RegExp][] = [
  ["snapshot", /\/snapshot\.json$/],
  ["scratch", /\/scratch\//],
  ["publishing", /\/publishing\//],
  ["published", /\/published$/],
  ["output", /\/_output\.md$/],
  ["goal", /\/(GOAL|SOUL|_spec)\.md$/],
  ["message", /\/_messages\//],
  ["torn", /\/events\.torn/],
];

const kindOf = (path: string): string => kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";

/** A path in a folder that is held open (lib/machine/hold.ts), by the folder's name. */
const named = (path: string): string => path.replace(/^\/proc\/self\/fd\/\d+/, (handle) => sync.readlinkSync(handle));

/** `log.half`: half of the bytes of an append are in the file, the rest never comes. */
export function watchLogs(point: Point): void {
  const { writeSync: write } = sync;
  sync.writeSync = ((file: number, bytes: Uint8Array, offset: number) => {
    if (!sync.readlinkSync(`/proc/self/fd/${file}`).endsWith("/events.jsonl")) return write(file, bytes, offset);
    const half = write(file, bytes, offset, Math.ceil((bytes.length - offset) / 2));
    point("log.half");
    return half + write(file, bytes, offset + half);
  }) as typeof write;
  syncBuiltinESMExports();
}
