/** Every example in examples/workflows runs from the command to its end, with a script instead of a model. */
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { machine } from "../src/lib/machine/index.ts";
import { command, newFolder, put, root } from "./program.ts";

const examples = join(root, "examples/workflows");
const missing = await machine.processes.sandbox();

const call = (tool: string, input: object = {}) => ({ calls: [{ tool, input }] });
const wait = call("wait_for_nodes");
const finish = call("finish", { summary: "It is done." });
const reconvene = call("reconvene", { assessment: "Nothing is missing." });
const publish = (path: string) => ({
  calls: [
    { tool: "write_file", input: { path, content: `${path} has one line for each thing\n` } },
    { tool: "publish", input: { summary: `Made ${path}.` } },
  ],
});
const often = (path: string) => Array(4).fill(publish(path));

interface Expected {
  play: Record<string, object[]>;
  /** How many nodes are completed. */
  nodes: number;
  /** Who was asked, besides the coordinator. */
  asked: string[];
  args?: string[];
}
const team = (...names: string[]) => Object.fromEntries(names.map((name) => [name, often("table.csv")]));
const staged = [wait, reconvene, wait, reconvene, finish];

const expected: Record<string, Expected> = {
  "diverse-team": {
    play: { coordinator: [wait, finish], ...team("alice", "bob", "carol", "dave") },
    nodes: 4,
    asked: ["alice", "bob", "carol", "dave"],
    args: ["--", "--topic", "makers of screws"],
  },
  "homogeneous-team": {
    play: { coordinator: [wait, finish], ...team("alice", "bob", "carol") },
    nodes: 4,
    asked: ["alice", "bob", "carol"],
  },
  "single-agent": { play: { alice: [{ say: "Nothing is new." }] }, nodes: 0, asked: ["alice"] },
  "staged-plan": {
    play: { coordinator: staged, ...team("alice", "bob", "carol") },
    nodes: 4,
    asked: ["alice", "bob", "carol"],
  },
  "research-brief": {
    play: { coordinator: staged, ...team("ada", "ben", "cleo", "dora") },
    nodes: 4,
    asked: ["ada", "ben", "cleo", "dora"],
  },
  "repository-review": {
    play: { coordinator: [wait, finish], ...team("ida", "jon", "kim", "lou") },
    nodes: 4,
    asked: ["ida", "jon", "kim", "lou"],
  },
  review: {
    play: {
      reviewer: [{ say: "@coder, the second line is wrong." }, { say: "It is right now." }],
      coder: [{ say: "@reviewer, it is mended." }],
    },
    nodes: 0,
    asked: ["reviewer", "coder"],
  },
};

test("every example is run here", () => {
  const names = readdirSync(examples).map((name) => name.replace(/\.ya?ml$/, ""));
  expect(Object.keys(expected).sort()).toEqual(names.sort());
});

function repository(): string {
  const folder = newFolder({ "a.txt": "one\n" });
  chmodSync(folder, 0o755);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=u", "-c", "user.email=u@example.com", ...args], {
      env: { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  put(folder, { "a.txt": "two\n" });
  git("commit", "-qam", "second");
  return folder;
}

test.each(Object.entries(expected))("%s", async (name, { play, nodes, asked, args = [] }) => {
  if (missing && name === "review") return;
  const home = newFolder({ "config.yaml": 'embeddings: "off"\n' });
  const scripts = newFolder({ "play.yaml": stringify({ participants: play }) });
  const cwd = name === "review" ? repository() : newFolder();
  const { code, err } = await command(
    ["--alone", "workflow", "run", join(examples, `${name}.yaml`), "--model", `scripted/${scripts}/play.yaml`, ...args],
    { AGIRAPH_HOME: home, AGIRAPH_SCRIPTS: scripts },
    cwd,
  );
  expect([code, err]).toEqual([0, ""]);
  const events = readFileSync(join(home, "agents", name, "events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
  expect(events.filter(({ type }) => type === "node.completed")).toHaveLength(nodes);
  const who = events.flatMap(({ type, data }) => (type === "turn.started" ? [String(data.participant)] : []));
  expect([...new Set(who)].filter((one) => one !== "coordinator").sort()).toEqual([...asked].sort());
  expect(events.filter(({ type }) => type === "agent.completed")).toHaveLength(1);
});
