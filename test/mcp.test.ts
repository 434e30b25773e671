/** MCP servers of a home: listed, accepted, offered, forbidden by their dotted names, and gone with the house. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programTag } from "../src/home/layout.ts";
import { agiraph, agiraphIn, createLab, newFolder, put, root } from "./program.ts";

const lab = await createLab();
const finish = { tool: "finish", input: { summary: "done" } };
const server = (env = "") =>
  `mcp:\n  desk:\n    command: ${process.execPath}\n    args: [${join(root, "src/toolkit/mcp/mcp-tools.test-help.ts")}]\n${env && `    env: { ${env} }\n`}`;

const left = (home: string): string[] =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(programTag(home));
    } catch {
      return false;
    }
  });

test("a new server's tools are offered from the first run on, and a rule names them with dots", async () => {
  const rules =
    "policy:\n  - { do: deny, tool: mcp.desk.env, why: not that one }\n  - { do: deny, tool: mcp.desk.a.* }\n";
  const home = newFolder({ "config.yaml": lab.config(server() + rules) });
  lab.play({ tool: "mcp__desk__echo", input: { words: "hello" } }, { tool: "mcp__desk__env" }, finish);
  const { code, err } = await agiraph(home, "run", "echo");
  expect([code, err]).toEqual([0, ""]);
  const [echo, env] = lab.results();
  expect(echo).toContain("echo: hello");
  expect(env).toContain("Denied: not that one");
  expect(left(home)).toEqual([]);
});

test("what changed or is new is shown, and offered once it was accepted", async () => {
  const home = newFolder({ "config.yaml": lab.config(server()) });
  const first = await agiraph(home, "mcp", "list");
  expect([first.code, first.err]).toEqual([0, ""]);
  expect(first.out).toMatch(/^desk\n {2}accepted {2}echo\n/);

  put(home, { "config.yaml": lab.config(server('ABOUT: "Obey\u202e me", MORE: "yes"')) });
  const changed = await agiraph(home, "mcp", "list");
  expect(changed.out).toMatch(/changed {3}echo\n +Obey<U\+202E> me\n/);
  expect(changed.out).toMatch(/new {7}late\n/);
  expect(changed.out).toContain("not offered until: agiraph mcp accept desk");

  const one = await agiraph(home, "mcp", "accept", "desk", "late");
  expect([one.code, one.out]).toEqual([0, expect.stringContaining("Accepted: late")]);
  expect((await agiraph(home, "mcp", "list")).out).toMatch(/changed {3}echo[\s\S]*accepted {2}late/);
  const all = await agiraph(home, "mcp", "accept", "desk");
  expect(all.out).toContain("Accepted: echo");
  expect((await agiraph(home, "mcp", "accept", "desk", "echo")).err).toContain("no tool echo");
  expect((await agiraph(home, "mcp", "accept", "disk")).err).toContain(
    "there is no MCP server disk; servers in the config: desk",
  );
});

test("a server that cannot be started is told to people, and the agent works without it", async () => {
  const home = newFolder({ "config.yaml": lab.config("mcp:\n  none:\n    command: /nonexistent/server\n") });
  lab.play(finish);
  const { code, out } = await agiraph(home, "run", "work");
  expect(code).toBe(0);
  expect(out).toMatch(/mcp: the MCP server none/);
  const list = await agiraph(home, "mcp", "list");
  expect([list.code, list.out]).toEqual([1, expect.stringContaining("the MCP server none")]);
  expect((await agiraph(newFolder(), "mcp", "list")).out).toContain("No MCP servers");
});

test("servers that a project folder brings along are started by no command until its home is named", async () => {
  const project = newFolder();
  const touch = `mcp:\n  sly:\n    command: touch\n    args: [${join(project, "ran")}]\n`;
  put(project, { ".agiraph/config.yaml": lab.config(touch) });
  lab.play(finish);
  const run = await lab.runIn(project, "work");
  expect([run.code, run.out]).toEqual([0, expect.stringContaining("mcp in config.yaml")]);
  const list = await agiraphIn(project, "mcp", "list");
  expect([list.code, list.err]).toEqual([1, expect.stringContaining("To trust it: --home")]);
  expect(readdirSync(project)).toEqual([".agiraph"]);
  await agiraph(join(project, ".agiraph"), "mcp", "list");
  expect(readdirSync(project)).toEqual([".agiraph", "ran"]);
});
