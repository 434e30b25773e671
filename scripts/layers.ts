/**
 * node scripts/layers.ts: imports go downward only (ARCHITECTURE.md, Layers), and product code reaches clock, randomness, files, processes
 * and the network only through the seams (lib/world.ts), so that all of it can run in a simulation.
 *
 * Looks at the syntax tree, not at text, so a word in a comment or a string is not a violation. Tests are not checked.
 * Not covered: names reached by detours (`globalThis["Date"]`, a dependency that reads the clock).
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

interface Layer {
  /** What it may import besides itself, and with each what that one may. */
  uses: string[];
  about: string;
}

/** Bottom up. A folder that is not here is a violation: say where it belongs. ARCHITECTURE.md shows this list. */
const declared: Record<string, Layer> = {
  lib: {
    uses: [],
    about: "seams (clock, randomness, files, processes, network) and helpers that know nothing of agents",
  },
  schema: { uses: ["lib"], about: "shapes, each written once" },
  core: { uses: ["schema"], about: "decide and reduce, one file per noun, by subject; pure; runs in the browser" },
  toolkit: { uses: ["core"], about: "what tools share: the Tool type, file scopes, web pages, MCP servers" },
  tool: { uses: ["toolkit"], about: "what participants can do; one file each" },
  backend: { uses: ["core"], about: "model providers, prices, errors" },
  driver: { uses: ["core"], about: "agent CLIs: how each is found, started and spoken with" },
  channel: { uses: ["core"], about: "notifications outside: webhook, e-mail, Slack, Discord" },
  workspace: { uses: ["core"], about: "folders of participants as versions; checkouts of the user's files" },
  home: { uses: ["core"], about: "the user's folder: its lock and layout, config, skills, workflows" },
  store: { uses: ["home"], about: "the log, snapshots and blobs of an agent" },
  search: { uses: ["store"], about: "the derived index: full text and vectors" },
  engine: { uses: ["core"], about: "which process owns an agent, and wakes it" },
  gateway: { uses: ["backend"], about: "models for agent programs, metered and without keys" },
  guard: {
    uses: ["tool", "backend", "channel", "search", "engine"],
    about: "what a participant is shown; compaction, memory",
  },
  loop: { uses: ["guard"], about: "the one loop: call the model, run its tools, repeat" },
  runtime: { uses: ["loop", "driver", "gateway", "workspace"], about: "live state, dispatch, scheduling, files" },
  api: { uses: ["core"], about: "the routes as data, and views of the state" },
  client: { uses: ["api"], about: "calls the routes, of a daemon or of this process" },
  server: { uses: ["runtime", "api"], about: "HTTP; no decisions" },
  mcp: { uses: ["client"], about: "MCP, as a client of the routes" },
  a2a: { uses: ["client"], about: "A2A, as a client of the routes" },
  cli: { uses: ["client"], about: "the terminal, as a client of the routes" },
  web: { uses: ["client"], about: "the web page" },
  main: { uses: ["server", "driver", "mcp", "a2a", "cli", "web"], about: "wiring; the only reader of the environment" },
  index: { uses: ["main"], about: "the library's entry point" },
};
const layers: Record<string, string[]> = layersFrom(declared);
/** The server speaks to the runtime and may use its words; the parts it is wired from are main's business. */
const wiring = [
  "toolkit",
  "tool",
  "backend",
  "channel",
  "workspace",
  "home",
  "store",
  "search",
  "engine",
  "guard",
  "loop",
];
layers.server = layers.server!.filter((layer) => !wiring.includes(layer));

/** Run in the browser. */
const browser = ["core", "schema", "api", "client", "web"];

/** Where the real world may be touched. */
const worldly = /^(lib\/machine\/|client\/platform\.ts$|web\/platform\.ts$|main\.ts$|main\/|cli\/)/;

const forbiddenModules =
  /^(node:)?(fs|fs\/promises|child_process|timers|timers\/promises|http|https|net|dgram|worker_threads|perf_hooks)$/;
const forbiddenGlobals: Record<string, string> = {
  setTimeout: "world.clock.after",
  setInterval: "world.clock.after",
  setImmediate: "world.clock.after",
  performance: "world.clock.mono",
  fetch: "a seam of lib/world.ts",
};

export interface Violation {
  line: number;
  what: string;
}

/** What is wrong with one file; `path` is relative to src/. */
export function violationsIn(path: string, text: string): Violation[] {
  const found: Violation[] = [];
  const { program, module, errors } = parseSync(path, text);
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
  const say = (offset: number, what: string) => found.push({ line: lineOf(offset), what });
  if (errors.length) say(0, `cannot be parsed: ${errors[0]!.message}`);

  const here = layerOf(path);
  const allowed = layers[here];
  if (!allowed) say(0, `${here} is not a layer; add it to the list in scripts/layers.ts`);
  const seams = !worldly.test(path);

  function imported(offset: number, from: string): void {
    if (from.startsWith(".")) {
      const target = layerOf(normalize(join(dirname(path), from)));
      if (target.startsWith("..")) say(offset, `imports ${from}, outside src; product code stands on its own`);
      else if (allowed && target !== here && !allowed.includes(target)) {
        say(offset, `${here} imports ${target}; it may import ${allowed.join(", ") || "nothing of ours"}`);
      }
    } else if (browser.includes(here) && from.startsWith("node:")) {
      say(offset, `${here} imports ${from}; it runs in the browser, so it imports no module of Node`);
    } else if (seams && forbiddenModules.test(from)) {
      say(offset, `imports ${from}; use world.files or another seam of lib/world.ts`);
    }
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    imported(moduleRequest.start, moduleRequest.value);
    const chance =
      seams &&
      /^(node:)?crypto$/.test(moduleRequest.value) &&
      entries.find(({ importName }) => /^random/.test(importName.name ?? ""));
    if (chance)
      say(chance.importName.start ?? moduleRequest.start, `imports ${chance.importName.name}; use world.random`);
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest) imported(moduleRequest.start, moduleRequest.value);
  }

  new Visitor({
    ImportExpression({ start, source }) {
      if (source.type === "Literal" && typeof source.value === "string") imported(start, source.value);
    },
    TSImportType({ start, source }) {
      imported(start, source.value);
    },
    MemberExpression({ start, object, property }) {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      if (object.name === "process" && property.name === "env" && !/^main(\.ts$|\/)/.test(path))
        say(start, "process.env; main reads the environment and hands it on");
      if (!seams) return;
      if (object.name === "Date" && property.name === "now") say(start, "Date.now; use world.clock.now");
      if (object.name === "Math" && property.name === "random") say(start, "Math.random; use world.random");
      if (object.name === "globalThis" && property.name in forbiddenGlobals)
        say(start, `${property.name}; use ${forbiddenGlobals[property.name]}`);
      if (object.name === "crypto" && /^(random|getRandom)/.test(property.name))
        say(start, `crypto.${property.name}; use world.random`);
      if (object.name === "performance") say(start, "performance; use world.clock.mono");
    },
    TryStatement({ start }) {
      if (here === "core") say(start, "try; core refuses with a Problem, and asks with refusalOr or attempt");
    },
    NewExpression({ start, callee, arguments: given }) {
      if (seams && callee.type === "Identifier" && callee.name === "Date" && given.length === 0)
        say(start, "new Date(); use world.clock.now");
    },
    CallExpression({ start, callee }) {
      if (!seams || callee.type !== "Identifier") return;
      if (callee.name === "Date") say(start, "Date(); use world.clock.now");
      else if (Object.hasOwn(forbiddenGlobals, callee.name))
        say(start, `${callee.name}; use ${forbiddenGlobals[callee.name]}`);
    },
  }).visit(program);
  return found.sort((a, b) => a.line - b.line);
}

/** The first folder, or the file itself if it lies directly in src/. */
const layerOf = (path: string): string => path.split("/")[0]!.replace(/\.ts$/, "");

/** Whoever may import a layer may import what that one may. */
function layersFrom(direct: Record<string, Layer>): Record<string, string[]> {
  const all = (layer: string): string[] => direct[layer]!.uses.flatMap((below) => [below, ...all(below)]);
  return Object.fromEntries(Object.keys(direct).map((layer) => [layer, [...new Set(all(layer))]]));
}

/** Top down: each layer, what it stands on, what it is for. */
export function diagram(): string {
  const height = (layer: string): number => 1 + Math.max(-1, ...declared[layer]!.uses.map(height));
  const rows = Object.entries(declared)
    .map(([name, { uses, about }]) => ({ name, height: height(name), on: uses.join(" "), about }))
    .sort((a, b) => b.height - a.height);
  const width = (field: "name" | "on") => Math.max(...rows.map((row) => row[field].length));
  return rows
    .map(({ name, on, about }) => `${name.padEnd(width("name"))}  → ${on.padEnd(width("on"))}  ${about}`.trimEnd())
    .join("\n");
}

const isProduct = (path: string): boolean =>
  /\.tsx?$/.test(path) && !/(\.test|\.test-help|[./]contract)\.tsx?$/.test(path);

if (import.meta.main) {
  const src = fileURLToPath(new URL("../src/", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  let count = 0;
  for (const path of files.filter(isProduct).sort()) {
    for (const { line, what } of violationsIn(path, readFileSync(join(src, path), "utf8"))) {
      console.error(`${relative(process.cwd(), join(src, path))}:${line}: ${what}`);
      count++;
    }
  }
  if (count) console.error(`${count} violation${count === 1 ? "" : "s"} of the layers (ARCHITECTURE.md, Layers)`);
  process.exitCode = count ? 1 : 0;
}
