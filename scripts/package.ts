/**
 * npm run package: the package as it is published, in one file. Put together in a folder of its own, so that what a stranger gets is what is
 * listed here and nothing of this checkout.
 *
 * The versions that the tests ran with travel with it: its manifest names every package below it exactly, also those that ours bring. (npm reads a
 * shrinkwrap from a registry only, never from a file.) Only a second version of a package, which lies inside of another, can be a later one.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Manifest {
  files: string[];
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  [other: string]: unknown;
}
interface Lock {
  packages: Record<string, { version?: string; dev?: boolean; optional?: boolean }>;
}

/** The manifest of the package: without what only this checkout can do, with the exact version of everything. */
export function published(manifest: Manifest, lock: Lock): Manifest {
  const { scripts: _s, devDependencies: _d, ...rest } = manifest;
  return { ...rest, dependencies: locked(lock), optionalDependencies: locked(lock, "optional") };
}

/** By name, what lies at the top of node_modules for a user. */
export function locked({ packages }: Lock, which: "needed" | "optional" = "needed"): Record<string, string> {
  const found = Object.entries(packages).flatMap(([path, { version, dev, optional }]): [string, string][] => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return name && version && !dev && (which === "optional") === (optional === true) ? [[name, version]] : [];
  });
  return Object.fromEntries(found);
}

const read = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));

/** Packs what `npm run build` made; gives the path of the file. */
export function pack(into: string): string {
  const folder = mkdtempSync(join(tmpdir(), "agiraph-package-"));
  try {
    const manifest = published(read("package.json"), read("package-lock.json"));
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const name of [...manifest.files, "README.md", "LICENSE"])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", into];
    return join(into, execFileSync("npm", args, { cwd: folder, encoding: "utf8" }).trim());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(pack(process.cwd()));
