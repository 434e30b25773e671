/** What holes.ts speaks of, and one agent on it that tries them all. */
import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { bash, newHome, removeHome, told } from "../desk.ts";
import type { Hole } from "./holes.ts";

/** Starting a sandbox takes longer than trying a hole. */
const perSandbox = 10;
const before = "ls -A /tmp /dev/shm > /tmp/found; touch /tmp/left /dev/shm/left; ";
const apart = ([, command]: Hole, index: number): string =>
  `timeout -k 1 20 bash -c '${command.replaceAll("'", "'\\''")}' 2>&1 | head -c 900; echo; echo "=== ${index} ==="`;

export async function play(holes: readonly Hole[]): Promise<string[]> {
  const home = newHome();
  const project = mkdtempSync(join(dirname(home), "agiraph-project-"));
  const beside = mkdtempSync(join(dirname(home), "agiraph-beside-"));
  const pipe = join(project, "pipe");
  const abstract = `agiraph-attack-${process.pid}`;
  for (const folder of ["a/b/c/d", ".git"]) mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, "a.txt"), "plain\n");
  writeFileSync(join(beside, "secret"), "SECRET of another folder", { mode: 0o600 });
  writeFileSync(join(home, "daemon.json"), "SECRET token", { mode: 0o600 });
  symlinkSync(beside, join(project, "link"));
  execFileSync("mkfifo", [pipe]);
  const sockets = ["app.sock", "a/b/c/d/db.sock", ".git/agent.sock"].map((path) => join(project, path));
  const servers = await Promise.all([...sockets, `\0${abstract}`].map((path) => answer({ path })));
  const tcp = await answer({ port: 0, host: "127.0.0.1" });
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const another = spawn("sleep", ["600"], { env: { MARK: "SECRET of another program" }, stdio: "ignore" });
  const names = {
    PROJECT: project,
    BESIDE: beside,
    AGENTS: home,
    PORT: (tcp.address() as { port: number }).port,
    ABSTRACT: abstract,
    PID: process.pid,
  };
  const given = Object.entries(names).map(([name, value]) => `export ${name}=${value}; `);
  try {
    const parts = Array.from({ length: Math.ceil(holes.length / perSandbox) }, (_, part) =>
      holes.slice(part * perSandbox, (part + 1) * perSandbox),
    );
    const calls = parts.map((some) => bash(given.join("") + before + some.map(apart).join("\n"), { timeout: 120 }));
    const { results } = await told(calls, { home, given: { folder: project } });
    if (readSync(reader, Buffer.alloc(100))) throw new Error("the pipe was written");
    return results.flatMap(({ result }, part) => {
      const said = result.split(/^=== \d+ ===$/m).slice(0, -1);
      if (said.length !== parts[part]!.length) throw new Error(`not all holes were tried: ${result}`);
      return said;
    });
  } finally {
    another.kill("SIGKILL");
    closeSync(reader);
    for (const server of [...servers, tcp]) server.close();
    for (const folder of [project, beside]) rmSync(folder, { recursive: true, force: true });
    await removeHome(home);
  }
}

async function answer(where: { path: string } | { port: number; host: string }) {
  const server = createServer((socket) => socket.on("error", () => undefined).end("reached\n")).listen(where);
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
  return server;
}
