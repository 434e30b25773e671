/**
 * The daemon's log: `daemon.log` of the home, one line a time. The only place where the daemon writes what people read, so the only place
 * where secrets have to be taken out: known values and everything that has the shape of one (guard/secrets.ts).
 *
 * Always holds: what was logged cannot look like a line of its own or steer a terminal (T14); the file is 0600 and is put aside as
 * `daemon.log.1` when it is large, so both together are bounded.
 */
import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { scrub } from "../../guard/secrets.ts";

export interface Log {
  line(text: string): void;
  /** Never to be written from now on. */
  hide(value: string): void;
}

export interface LogOptions {
  home: string;
  now(): number;
  /** Values that must not be written. */
  secrets: readonly string[];
  /** Where each line goes besides. */
  echo?: ((line: string) => void) | undefined;
  /** Bytes after which it is put aside. */
  most?: number;
}

export const logPath = (home: string): string => join(home, "daemon.log");

export function createLog({ home, now, secrets, echo, most = 5_000_000 }: LogOptions): Log {
  const path = logPath(home);
  const hidden = new Set(secrets.filter((value) => value.length >= shortest));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let size = sizeOf(path);

  function redact(text: string): string {
    let clean = text;
    for (const value of hidden) clean = clean.replaceAll(value, "[secret removed]");
    return scrub(clean);
  }

  function write(line: string): void {
    try {
      if (size > most) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      appendFileSync(path, line, { mode: 0o600 });
      if (size === 0) chmodSync(path, 0o600);
      size += Buffer.byteLength(line);
    } catch {
      // A full disk must not end the daemon; whoever watches it sees the echo.
    }
  }

  return {
    line(text) {
      const [first = "", ...more] = redact(text.trimEnd()).split(/\r\n|[\n\r\u2028\u2029]/);
      const lines = [
        `${new Date(now()).toISOString()} ${harmless(first)}`,
        ...more.map((one) => `    ${harmless(one)}`),
      ];
      write(`${lines.join("\n")}\n`);
      for (const line of lines) echo?.(line);
    },
    hide(value) {
      if (value.length >= shortest) hidden.add(value);
    },
  };
}

/** Values of variables that are named like secrets. */
export const secretsIn = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value && /(KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH)/i.test(name) && !/^(\/|https?:\/\/)/.test(value) ? [value] : [],
  );

/** Shorter ones would be found in innocent words. */
const shortest = 8;

const harmless = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (char) =>
      char === "\t" ? " " : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
