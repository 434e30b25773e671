/**
 * npm run look [-- FOLDER]: pictures of every page, dark, light and on a phone, with teams at work, into the folder (dist/look if none is named).
 * Nothing is checked; they are made to be looked at.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = resolve(process.argv[2] ?? `${root}/dist/look`);
mkdirSync(folder, { recursive: true });
const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, LOOK: folder } }).status ?? 1;
const status = run("scripts/web.ts") || run("node_modules/vitest/vitest.mjs", "run", "test/web/look");
const made = readdirSync(folder).filter((name) => name.endsWith(".png")).length;
console.log(made ? `${made} pictures in ${folder}` : "No pictures: there is no Chromium here.");
process.exit(status);
