/** A memory limit of the kernel (a cgroup, v1 or v2) for processes of a test: who exceeds it is killed by the OOM killer. Needs root. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface MemoryLimit {
  add(pid: number): void;
  remove(): void;
}

const roots = [
  { root: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { root: "/sys/fs/cgroup", limit: "memory.max" },
];

/** Why there can be none here, if there can be none. */
export function openMemoryLimit(bytes: number): MemoryLimit | string {
  for (const { root, limit } of roots) {
    const folder = join(root, `agiraph-test-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    const remove = () => rmdirSync(folder);
    if (existsSync(join(folder, limit))) {
      writeFileSync(join(folder, limit), `${bytes}`);
      return { add: (pid) => writeFileSync(join(folder, "cgroup.procs"), `${pid}`), remove };
    }
    remove();
  }
  return "no memory cgroup can be created here";
}
