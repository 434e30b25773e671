/**
 * node scripts/web.ts: builds the page for people into dist/web, if anything it is made of is newer than what is there. Called by `npm start`
 * and `npm run build`; when all is fresh it only looks.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const layers = ["src/web", "src/client", "src/api", "src/core", "src/schema", "src/lib"];
const sources = [...layers, "scripts/page-declarations.ts", "vite.config.ts", "package-lock.json"];

/** Of folders too: what was removed counts. */
function newest(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const made = statSync(join(root, "dist/web/index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (sources.some((source) => newest(join(root, source)) > made) || process.argv.includes("--force")) {
  process.env.NODE_ENV = "production"; // also for a test that builds: people get no other page
  const { build } = await import("vite");
  await build({ configFile: join(root, "vite.config.ts"), logLevel: "warn" });
}
