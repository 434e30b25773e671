/**
 * Disks that fail: real ones, as small tmpfs mounts that end with the test, and the machine's own with a mind of its own.
 * Mounting needs root; `mayMount` tells.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import type { World } from "../../src/lib/world.ts";

/** The machine, with a disk that refuses to append to logs when it is told to. */
export function moodyDisk() {
  let refuses: (text: string) => boolean = () => false;
  let refusals = 0;
  let { promise: gate, resolve: go } = Promise.withResolvers<void>();
  let { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const files: World["files"] = {
    ...machine.files,
    async open(path) {
      const file = await machine.files.open(path);
      return {
        ...file,
        async append(bytes) {
          if (!refuses(Buffer.from(bytes).toString())) return await file.append(bytes);
          refusals++;
          throw Object.assign(new Error("no room"), { code: "ENOSPC" });
        },
        async truncate(size) {
          begin();
          await gate;
          await file.truncate(size);
        },
      };
    },
  };
  return {
    world: { ...machine, files } satisfies World,
    refusals: () => refusals,
    accept() {
      refuses = () => false;
    },
    /** Cutting off what failed begins, and goes on when it is told to. */
    refuse(which: (text: string) => boolean) {
      ({ promise: gate, resolve: go } = Promise.withResolvers<void>());
      ({ promise: begun, resolve: begin } = Promise.withResolvers<void>());
      refuses = which;
      return { begun, go };
    },
  };
}

export function mount(folder: string, size: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
}

export const remount = (folder: string, how: "ro" | "rw") =>
  void execFileSync("mount", ["-o", `remount,${how}`, folder], { stdio: "pipe" });

/** Writes until the disk is full, then leaves this much free. */
export function fill(path: string, free: number): void {
  for (const block of [64 * 1024, 4096]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(block, 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  if (free) execFileSync("truncate", ["-s", `-${free}`, path]);
}

export function mayMount(): boolean {
  if (process.getuid?.() !== 0 || !existsSync("/proc/mounts")) return false;
  const folder = join(tmpdir(), `agiraph-mount-${process.pid}`);
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "pipe" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
