/** What the command line says when something is not as it should be: for people one line that helps, for programs one line of JSON. */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bin } from "./built.ts";
import { ask, clearLater, daemonFile, start } from "./daemon.ts";
import { createLab, newFolder, node, root } from "./program.ts";
import { until } from "./until.ts";

const lab = await createLab();
const agiraph = (args: string[], env: Record<string, string> = {}) => node([bin, ...args], { env });

test.each([
  [["nonsense"], 2],
  [["run"], 2],
  [["run", ""], 2],
  [["ls", "--nonsense"], 2],
  [["up", "--port", "many"], 2],
  [["up", "-d", "--proxy", "https://agents.example"], 1],
  [["demo"], 1],
  [["completion", "tcsh"], 2],
])("with --json every error is one line of JSON on stderr: %j", async (args, code) => {
  const home = newFolder();
  const ended = await agiraph(["--home", home, "--json", ...args]);
  expect([ended.code, ended.out]).toEqual([code, ""]);
  expect(ended.err.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(ended.err).error).toEqual({ code: "invalid", message: expect.stringMatching(/\w/) });
});

test("without a model a program is told in JSON, too", async () => {
  const home = clearLater(newFolder({ "config.yaml": 'embeddings: "off"\n' }));
  const { code, out, err } = await agiraph(["--home", home, "--json", "run", "x"], { OLLAMA_HOST: "127.0.0.1:1" });
  expect([code, out]).toEqual([1, ""]);
  expect(JSON.parse(err).error).toMatchObject({ code: "not_offered", message: expect.stringContaining("none of") });
  const { out: opened } = await agiraph(["--home", home, "--json", "open"]);
  expect(JSON.parse(opened).address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/app#code=/);
  const { out: logs } = await agiraph(["--home", home, "--json", "logs", "-n", "1"]);
  expect(JSON.parse(logs).line).toContain("ready in");
});

test("a home that is empty, or cannot be one, is one line that says so", async () => {
  const file = join(newFolder({ a: "not a folder" }), "a");
  const empty = await agiraph(["--home", "", "ls"]);
  expect([empty.code, empty.err]).toEqual([1, "agiraph: --home is empty; name a folder or omit it\n"]);
  for (const args of [
    ["up", "-d"],
    ["run", "x"],
    ["up", "--port", "0"],
  ])
    for (const home of [file, join(file, "below")]) {
      const { code, err } = await agiraph(["--home", home, ...args]);
      expect([home, code, err.split("\n").length]).toEqual([home, 1, 2]);
      expect(err).toMatch(/^agiraph: .*(ENOTDIR|EEXIST)/);
    }
});

test("what is said of the outside is kept by a unit, and refused where it would be dropped", async () => {
  const home = newFolder();
  const outside = [
    "--listen",
    "0.0.0.0:8443",
    "--expose",
    "--tls-cert",
    "c.pem",
    "--tls-key",
    "k.pem",
    "--as",
    "a.example",
    "b.example",
  ];
  const unit = await agiraph(["--home", home, "up", "--unit", "--port", "7000", ...outside]);
  expect(unit.code).toBe(0);
  const words = [home, "up", "--port", "7000", "--listen", "0.0.0.0:8443", "--expose"];
  const files = ["--tls-cert", join(root, "c.pem"), "--tls-key", join(root, "k.pem"), "--as", "a.example", "b.example"];
  expect(unit.out).toContain([...words, ...files].map((word) => `"${word}"`).join(" "));
  expect(unit.err).toContain("--listen 0.0.0.0:8443 --expose");
  const wrong = await agiraph(["--home", home, "up", "--unit", "--expose"]);
  expect([wrong.code, wrong.out]).toEqual([1, ""]);
  const detached = await agiraph(["--home", home, "up", "-d", "--proxy", "https://agents.example"]);
  expect([detached.code, detached.err]).toEqual([1, expect.stringContaining("-d does not support --proxy")]);
});

test("an agent that was made and not begun is said to be so, and begins when it is told to", async () => {
  const home = clearLater(newFolder({ "config.yaml": lab.config() }));
  lab.play({ tool: "finish", input: { summary: "Done." } });
  const made = await agiraph(["--home", home, "new", "work", "--no-start"]);
  const command = `agiraph --home ${home} rerun work`;
  expect(made.out).toBe(`Created work with lab/test. Start it:\n${command}\n`);
  const begun = await agiraph(["--home", home, "rerun", "work"]);
  expect([begun.code, begun.out]).toEqual([0, expect.stringContaining("Done.")]);
});

test("a command is printed so that it works as it is: by name, by npx in the clone, by its path elsewhere", async () => {
  const [home, elsewhere] = [newFolder(), newFolder()];
  const PATH = process.env.PATH ?? "";
  const status = (cwd: string, env: Record<string, string>, program = bin) =>
    node([program, "--home", home, "status"], { cwd, env });
  const printed = ({ out }: { out: string }) => /^not running .*; start it: (.*) up -d$/m.exec(out)?.[1];
  const [here, inClone, outside] = await Promise.all([
    status(elsewhere, {}),
    status(join(root, "docs"), { PATH, npm_command: "exec" }, join(root, "bin/agiraph.mjs")),
    status(elsewhere, { PATH }),
  ]);
  expect(printed(here)).toBe(`agiraph --home ${home}`);
  expect(printed(inClone)).toBe(`npx agiraph --home ${home}`);
  expect(printed(outside)).toBe(`${bin} --home ${home}`);
  // Typed as it stands.
  for (const [ended, cwd] of [
    [inClone, join(root, "docs")],
    [outside, elsewhere],
  ] as const) {
    const typed = spawnSync("sh", ["-c", `${printed(ended)} --version`], { cwd, encoding: "utf8" });
    expect([typed.status, typed.stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  }
});

test("a daemon whose output nobody reads any more goes on", async () => {
  const home = clearLater(newFolder());
  const own = { PATH: process.env.PATH ?? "", HOME: "/nonexistent" };
  const child = spawn(process.execPath, [bin, "--home", home, "up", "--port", "0"], {
    env: own,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // As `| head -1` does: it reads a little and closes the pipe.
  await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  child.stdout.destroy();
  await until(async () => expect((await ask(home, "GET /health")).body.status).toBe("ready"));
  // It has written into the broken pipe by then.
  expect((await ask(home, "PATCH /environment", { values: { OPENAI_API_KEY: "sk-0123456789" } })).status).toBe(200);
  expect((await ask(home, "GET /status")).status).toBe(200);
  expect(daemonFile(home)?.pid).toBe(child.pid);
  const down = await start(home, ["down"]).ended;
  expect(down.code).toBe(0);
});
