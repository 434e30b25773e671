/** `agiraph logs`: what the daemon wrote, the last lines first seen, and on request what it writes from now on. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { visibleJson } from "../../lib/text/visible.ts";
import { logPath } from "../daemon/log.ts";
import { hearSignals } from "../home/environment.ts";
import { exit } from "./exit.ts";

const mostBytes = 1_000_000;
const lookMs = 200;

export function lastLines(home: string, count: number): string[] {
  const { text } = readFrom(logPath(home), -1);
  return text.split("\n").slice(0, -1).slice(-count);
}

export interface LogsGiven {
  follow: boolean;
  lines: number;
  /** Each line as a value of its own. */
  json: boolean;
}

export async function logs(home: string, { follow, lines, json }: LogsGiven): Promise<number> {
  const path = logPath(home);
  const write = (text: string) => {
    const each = json
      ? text
          .trimEnd()
          .split("\n")
          .map((line) => `${visibleJson({ line })}\n`)
          .join("")
      : text;
    if (text) process.stdout.write(each);
  };
  if (!existsSync(path) && !follow) {
    if (!json) process.stdout.write("no log yet: the daemon has not run in this home\n");
    return exit.done;
  }
  let { at } = readFrom(path, -1);
  const last = lastLines(home, lines);
  if (last.length) write(`${last.join("\n")}\n`);
  if (!follow) return exit.done;
  const signals = hearSignals();
  let inode = statSync(path, { throwIfNoEntry: false })?.ino;
  while (!signals.heard.aborted) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const now = statSync(path, { throwIfNoEntry: false });
    if (!now) continue;
    if (now.ino !== inode) {
      // Put aside: the rest of the old one, then the new one from its beginning.
      write(readFrom(`${path}.1`, at).text);
      [inode, at] = [now.ino, 0];
    }
    const more = readFrom(path, at);
    write(more.text);
    at = more.at;
  }
  signals.end();
  return exit.done;
}

/** From a byte on, or the end of it for -1; whole lines. */
function readFrom(path: string, from: number): { text: string; at: number } {
  if (!existsSync(path)) return { text: "", at: 0 };
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const start = from < 0 ? Math.max(0, size - mostBytes) : Math.min(from, size);
    const bytes = Buffer.alloc(Math.min(size - start, mostBytes));
    const read = readSync(file, bytes, 0, bytes.length, start);
    const end = bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
    return { text: bytes.toString("utf8", 0, end), at: start + end };
  } finally {
    closeSync(file);
  }
}
