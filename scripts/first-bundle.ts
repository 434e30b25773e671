/** What a window must load before anything is seen: what index.html names, and what that imports at once. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export interface FirstBundle {
  /** The names of its files in assets/. */
  files: ReadonlySet<string>;
  /** Compressed, in kB. */
  size: number;
  /** All scripts and styles of the page. */
  all: { count: number; size: number };
}

/** The largest that is allowed, in kB. */
export const mostFirstBundle = 250;

/** Of the page that was built into dist/web. */
export function firstBundle(repository: string): FirstBundle {
  const folder = join(repository, "dist/web");
  const files = new Set<string>();
  const read = (name: string) => readFileSync(join(folder, "assets", name));
  const follow = (name: string): void => {
    if (files.has(name)) return;
    files.add(name);
    for (const [, found] of read(name)
      .toString()
      .matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
      follow(found!);
  };
  const page = readFileSync(join(folder, "index.html"), "utf8");
  for (const [, found] of page.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)) follow(found!);
  const sum = (names: Iterable<string>) =>
    [...names].reduce((size, name) => size + gzipSync(read(name)).length / 1000, 0);
  const all = readdirSync(join(folder, "assets")).filter((name) => /\.(js|css)$/.test(name));
  return { files, size: sum(files), all: { count: all.length, size: sum(all) } };
}
