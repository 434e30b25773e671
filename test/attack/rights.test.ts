/** What other users of the machine may read of a home (B30). */
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openHouse } from "../../src/main/house/house.ts";
import { newHome, removeHome } from "../desk.ts";
import { attack } from "./attack.ts";

/** Files and folders below that others may read or write. */
function open(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    const path = join(folder, one.name);
    const shared = statSync(path).mode & 0o077 ? [path] : [];
    return one.isDirectory() ? [...shared, ...open(path)] : shared;
  });
}

const opened = (path: string) => openHouse({ path, env: { PATH: process.env.PATH }, notice: () => undefined });

attack(
  "home",
  "B30 a home that others may look into, and an index from before, are closed to them",
  async ({ held }) => {
    const home = newHome();
    const before = process.umask(0);
    try {
      chmodSync(home, 0o755);
      for (const name of ["index.sqlite", "lock"]) writeFileSync(join(home, name), "", { mode: 0o644 });
      mkdirSync(join(home, "agents"), { mode: 0o700 });
      const house = await opened(home);
      await house.runtime.start();
      await house.runtime.create({ goal: "rest", model: "scripted/none", start: false });
      expect(statSync(home).mode & 0o777).toBe(0o700);
      expect(open(home)).toEqual([]);
      await house.close();
      expect(open(home)).toEqual([]);
      held(2);
    } finally {
      process.umask(before);
      await removeHome(home);
    }
  },
);
