/** docs/tools.md is true: its commands are run, one after the other, and its code and settings are what is there. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../src/home/config.ts";
import { createLab, type Ended, newFolder, node, put, root, command as run } from "./program.ts";

const text = readFileSync(join(root, "docs/tools.md"), "utf8");
const blocks = (kind: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, "gms"))].map(([, inside]) => inside!);
const lab = await createLab();
const desk = (env: string) =>
  `mcp:\n  desk:\n    command: ${process.execPath}\n    args: [${join(root, "src/toolkit/mcp/mcp-tools.test-help.ts")}]\n    env: { ${env} }\n`;

/** A repository in place of the one that is named there. */
function repository(): { url: string; commit: string } {
  const folder = newFolder({ "style/SKILL.md": "---\nname: style\ndescription: Style\n---\n" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  return { url: `file://${folder}`, commit: git("rev-parse", "HEAD").trim() };
}

test("every command in it can be run as it is written there", async () => {
  const home = newFolder({ "config.yaml": lab.config(desk("")) });
  const { url, commit } = repository();
  const commands = blocks("sh").flatMap((block) => block.trim().split("\n"));
  expect(commands).toHaveLength(10);
  const ran = new Map<string, Ended>();
  let hash = "";
  for (const command of commands) {
    expect(command).toMatch(/^\$ agiraph /);
    const given = command
      .replace("sha256:…", hash)
      .replace("https://example.com/skills.git", url)
      .replace("0123456789abcdef0123456789abcdef01234567", commit);
    if (command.includes("doctor")) put(home, { "skills/release-notes/words.md": "changed" });
    if (command.includes("accept desk late"))
      put(home, { "config.yaml": lab.config(desk('MORE: "yes", ABOUT: "New"')) });
    const args = given.slice("$ agiraph ".length).split(" ");
    const ended = await run(args, { AGIRAPH_HOME: home });
    ran.set(command.slice(2), ended);
    hash = /sha256:[0-9a-f]{64}/.exec(ended.out)?.[0] ?? hash;
    if (!command.includes("doctor")) expect([0, 4], `${command}\n${ended.err}`).toContain(ended.code);
  }
  const said = (start: string) => [...ran].filter(([command]) => command.startsWith(start)).map(([, { out }]) => out);
  expect(said("agiraph skill add")[1]).toContain("Added: ");
  expect(said("agiraph skill list")[0]).toMatch(/● release-notes {2}accepted/);
  expect(said("agiraph doctor")[0]).toContain("changed since it was accepted");
  expect(said("agiraph skill remove")[0]).toContain("Removed: release-notes");
  expect(said("agiraph mcp accept")).toEqual([
    expect.stringContaining("Accepted: late"),
    expect.stringContaining("Accepted: echo"),
  ]);
});

test("its code is that of the examples, and its settings are settings", () => {
  const [tool, program, lasting] = blocks("ts");
  expect(readFileSync(join(root, "examples/tools/word-count.ts"), "utf8")).toContain(tool);
  expect(readFileSync(join(root, "examples/team.ts"), "utf8")).toContain(program);
  expect(readFileSync(join(root, "examples/agent.ts"), "utf8")).toContain(lasting);
  const [head] = blocks("markdown");
  expect(readFileSync(join(root, "examples/skills/release-notes/SKILL.md"), "utf8")).toContain(head);
  const [settings] = blocks("yaml");
  expect(Object.keys(parseConfig(settings!, "docs/tools.md").config.mcp)).toEqual(["desk", "tickets"]);
});

test("the example program runs an agent and prints its answer", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  lab.play({ tool: "roll_dice", input: { count: 2 } }, { tool: "finish", input: { summary: "Two dice." } });
  const args = ["--import", join(root, "test/as-package.ts"), join(root, "examples/team.ts"), "Roll them"];
  const { code, out, err } = await node(args, { env: { AGIRAPH_HOME: home } });
  expect([code, out]).toEqual([0, "Two dice.\nroll-them published 0 files for $0.00\n"]);
  expect(err).toMatch(/^agent\.created\n[\s\S]*run\.completed/);
  expect(lab.results()[0]).toMatch(/^[1-6], [1-6]$/);
});

test("the example program with a lasting agent says something to it and prints the reply", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  lab.play({ tool: "ask_human", input: { question: "Which?", options: ["all"] } }, { say: "There are two files." });
  const args = ["--import", join(root, "test/as-package.ts"), join(root, "examples/agent.ts"), "What is here?"];
  const cwd = newFolder({ "a.txt": "a" });
  const { code, out, err } = await node(args, { cwd, env: { AGIRAPH_HOME: home } });
  expect([code, out, err]).toEqual([0, "There are two files.\n", ""]);
});
