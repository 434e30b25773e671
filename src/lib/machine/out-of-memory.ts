/**
 * Whether the kernel killed a process because memory ran out. It tells nobody whom it killed, but counts: a program that SIGKILL ended, not by us,
 * while the count grew was most probably the one. Memory limits of containers (cgroups) count as well. Linux only; elsewhere nothing is known.
 */
import { readFileSync } from "node:fs";

/** How often the kernel did so since the machine was started. */
export function outOfMemoryKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Killed as the kernel does it: bubblewrap and shells report it as an exit code. */
export const isKilled = (code: number | null, signal: string | null): boolean =>
  signal === "SIGKILL" || code === 128 + 9;
