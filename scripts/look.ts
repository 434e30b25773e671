/**
 * npm run look [-- FOLDER [first|talk|graph|pages|memory|changes|hosts|teams|workflows …]]: takes pictures of every page, in light, dark and on a phone, with teams at work, into the
 * folder (dist/look if none is named); of all subjects, or of those that are named. A script and no test: somebody has to look at the pictures.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanUp } from "../src/lib/cleanup.test-help.ts";
import { hasBrowser } from "../test/web/window.ts";
import { takeChanges } from "./look/changes.ts";
import { takeFirst } from "./look/first.ts";
import { takeGraph } from "./look/graph.ts";
import { takeHosts } from "./look/hosts.ts";
import { takeMemory } from "./look/memory.ts";
import { takePages } from "./look/pages.ts";
import { takeTalk } from "./look/talk.ts";
import { takeTeams } from "./look/teams.ts";
import { takeWorkflows } from "./look/workflows.ts";

const subjects: Record<string, (folder: string) => Promise<void>> = {
  first: takeFirst,
  talk: takeTalk,
  graph: takeGraph,
  pages: takePages,
  memory: takeMemory,
  changes: takeChanges,
  hosts: takeHosts,
  teams: takeTeams,
  workflows: takeWorkflows,
};

const root = fileURLToPath(new URL("..", import.meta.url));
const [place = join(root, "dist/look"), ...only] = process.argv.slice(2);
const folder = resolve(place);
const unknown = only.filter((name) => !(name in subjects));
if (unknown.length)
  throw new Error(`unknown subject: ${unknown.join(", ")}; there are ${Object.keys(subjects).join(", ")}`);
if (!hasBrowser) throw new Error("no Chromium on this machine (apt-get install chromium)");

mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, [join(root, "scripts/web.ts")], { stdio: "inherit" });
try {
  for (const [name, take] of Object.entries(subjects)) if (only.length === 0 || only.includes(name)) await take(folder);
} finally {
  await cleanUp();
}
console.log(`${readdirSync(folder).filter((name) => name.endsWith(".png")).length} pictures in ${folder}`);
process.exit(0); // The browser and the providers on loopback would keep the process alive.
