/** `agiraph workflow …` as people type it: a home of its own, a script instead of a model, a real repository and a real sandbox. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { machine } from "../src/lib/machine/index.ts";
import { ask, clearLater, upAndReady } from "./daemon.ts";
import { command, type Ended, newFolder, put, root } from "./program.ts";

const missing = await machine.processes.sandbox();

type Steps = Record<string, { say?: string; calls?: { tool: string; input?: object }[] }[]>;

/** A home whose agents play this script, and how to speak with it. */
function place(play: Steps, files: Record<string, string> = {}) {
  const home = clearLater(newFolder({ "config.yaml": 'embeddings: "off"\n' }));
  const scripts = newFolder({ "play.yaml": stringify({ participants: play }) });
  const folder = newFolder(files);
  const env = { AGIRAPH_HOME: home, AGIRAPH_SCRIPTS: scripts };
  const model = `scripted/${scripts}/play.yaml`;
  const type = (...args: string[]): Promise<Ended> => command(["--alone", "workflow", ...args], env, folder);
  const run = (file: string, ...args: string[]) => type("run", file, "--model", model, ...args);
  return { home, env, folder, model, type, run };
}
const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=u", "-c", "user.email=u@example.com", ...args], {
    env: { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
  }).toString();

/** A repository with two commits. */
function repository(folder: string): string {
  chmodSync(folder, 0o755); // git in the sandbox of root asks for it
  git(folder, "init", "-q", "-b", "main");
  put(folder, { "a.txt": "one\n" });
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "first");
  put(folder, { "a.txt": "two\n" });
  git(folder, "commit", "-qam", "second");
  return git(folder, "rev-parse", "HEAD").trim();
}
const eventsIn = (home: string, agent: string) =>
  readFileSync(join(home, "agents", agent, "events.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });

const chat = { reviewer: [{ say: "@coder, mend a.txt." }, { say: "Good." }], coder: [{ say: "@reviewer, mended." }] };
const pair = `agents:
  reviewer: Review code, @coder to fix.
  coder: Fix issues from reviewer.
`;

test.skipIf(missing)("the review of the first specification: from the command to its end, exit code 0", async () => {
  const { home, folder, type } = place(chat);
  repository(folder);
  const own = readFileSync(join(root, "test/workflows/review.yaml"), "utf8");
  // Only who thinks is another: there is no network here.
  const { model } = place(chat);
  put(folder, { "review.yaml": own.replaceAll("anthropic/claude-sonnet-4-5", model) });
  const env = { AGIRAPH_HOME: home, AGIRAPH_SCRIPTS: model.slice("scripted/".length).replace("/play.yaml", "") };
  const { code, out, err } = await command(
    ["--alone", "workflow", "run", "review.yaml", "--model", model],
    env,
    folder,
  );
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("workflow review, agent review");
  expect(out).toMatch(/setup 1: git diff HEAD~1/);
  const events = eventsIn(home, "review");
  expect(events.find(({ type }) => type === "run.started")!.data).toMatchObject({
    team: { workflow: "review", lead: false },
    setup: [{ as: "diff", output: expect.stringContaining("-one\n+two") }],
  });
  expect(events.at(-1)).toMatchObject({ type: "agent.completed" });
  expect((await type("ls", "--all")).out).toMatch(/review +main +review +completed/);
});

test("parameters are checked before there is an agent, and reach the first message", async () => {
  const { home, run, folder } = place(chat, {
    "w.yaml": `params: { topic: { required: true, short: t }, depth: 3 }\n${pair}kickoff: "@reviewer \${{ params.topic }} \${{ params.depth }} \${{ workflow.tag }}"\n`,
  });
  for (const [args, message] of [
    [[], "params: topic is required; give it with --topic"],
    [["--", "--tpic", "x"], "Unknown option '--tpic'; did you mean --topic?"],
    [["--", "-t", "x", "--depth", "deep"], "params: depth must be a number"],
    [["x"], '"x" is not a parameter'],
  ] as const) {
    const { code, err } = await run("w.yaml", ...args);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  }
  expect(existsSync(join(home, "agents"))).toBe(false);
  const { code, out } = await run(join(folder, "w.yaml"), "--tag", "t1", "--json", "--", "-t", "chips", "--depth=7");
  expect(code).toBe(0);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.find(({ type }) => type === "message.posted").data.text).toBe("@reviewer chips 7 t1");
  expect(events.find(({ type }) => type === "run.started").data.team).toMatchObject({
    tag: "t1",
    params: { topic: "chips", depth: 7 },
  });
  expect(events[0]).toMatchObject({ type: "agent.created", data: { agent: "w-t1" } });
});

test("check says everything that is wrong, with line and column, and what was probably meant", async () => {
  const { type } = place(
    {},
    {
      "good.yaml": `params: { a: x }\n${pair}`,
      "bad.yaml": `${pair}kickof: hi\nmodle: x\n`,
      "worse.yaml": `${pair}kickoff: "@reviewer \${{ params.a }} \${{ diff }}"\nmodel: \${{ env.HOME }}\n`,
    },
  );
  const good = await type("check", "good.yaml");
  expect([good.code, good.out.trim()]).toEqual([
    0,
    "good.yaml is a valid workflow, good: 2 agents, nobody leads; parameters: a",
  ]);
  const bad = await type("check", "bad.yaml", "worse.yaml", "good.yaml");
  expect(bad.code).toBe(1);
  expect(bad.err).toMatch(/bad\.yaml, line 4, column 1: kickof is not a field of a workflow; did you mean kickoff\?\n/);
  expect(bad.err).toMatch(/bad\.yaml, line 5, column 1: modle is not a field of a workflow; did you mean model\?\n/);
  expect(bad.err).toMatch(/worse\.yaml, line 4, column 21: kickoff: \$\{\{ params\.a \}\}: there is no params\.a/);
  expect(bad.err).toMatch(
    /worse\.yaml, line 4, column 37: kickoff: \$\{\{ diff \}\}: no setup step above has as: diff/,
  );
  expect(bad.err).toMatch(/worse\.yaml, line 5, column 8: model: .*list it under env: first/);
  expect(bad.out).toContain("good.yaml is a valid workflow");
});

test.skipIf(missing)(
  "a failing setup, and an open question, end with 4; a step can be mended and the agent resumed",
  async () => {
    const { run, type, env, home } = place(
      { reviewer: [{ calls: [{ tool: "ask_human", input: { question: "Which branch?" } }] }] },
      {
        "fails.yaml": `setup: [{ shell: "echo no luck >&2; exit 3" }]\n${pair}kickoff: "@reviewer go"\n`,
        "asks.yaml": `${pair}kickoff: "@reviewer go"\n`,
      },
    );
    const failed = await run("fails.yaml");
    expect([failed.code, failed.err]).toEqual([4, ""]);
    expect(failed.out.replace(/\s+/g, " ")).toContain("setup step 1 of 1 failed with exit code 3");
    expect(failed.out).toContain("no luck");
    expect(eventsIn(home, "fails").some(({ type }) => type === "run.started")).toBe(false);
    const asks = await run("asks.yaml");
    expect([asks.code, asks.out]).toEqual([4, expect.stringContaining("is waiting for your answer")]);
    expect((await type("ls")).out).toMatch(/asks +main +asks +waiting for human[\s\S]*fails +main +fails +paused/);
    const stopped = await type("stop", "asks");
    expect(stopped.out).toContain("Stopped asks:main (asks).");
    expect((await type("logs", "asks")).out).toContain("asks you: Which branch?");
    expect((await type("logs", "ask")).err).toContain("did you mean asks:main?");
    expect((await command(["--alone", "resume", "fails"], env)).code).toBe(4);
  },
);

test("where the context is bound to a folder, the next run is one of the same agent, with its documents", async () => {
  const file = (text: string) =>
    `context: { folder: ./work }\n${pair}documents: { notes.md: "${text}" }\nkickoff: "@reviewer go"\n`;
  const { run, home, folder } = place({ reviewer: [{ say: "noted" }] }, { "work/x.txt": "x" });
  for (const text of ["first", "second"]) {
    put(folder, { "kept.yaml": file(text) });
    const { code, err } = await run("kept.yaml");
    expect([text, code, err]).toEqual([text, 0, ""]);
  }
  expect(existsSync(join(home, "agents/kept-2"))).toBe(false);
  expect(eventsIn(home, "kept")[0]!.data.folder).toBe(join(folder, "work"));
  const text = (run: string) => readFileSync(join(home, `agents/kept/runs/${run}/documents/notes.md`), "utf8");
  expect([text("r1"), text("r2")]).toEqual(["first", "first"]);
});

test("from a git URL only at a commit, and only after its content was seen and accepted", async () => {
  const { run, home, type, env } = place(chat);
  const source = newFolder({ "flows/w.yaml": `${pair}kickoff: "@reviewer go \${{ source.commit }}"\n` });
  git(source, "init", "-q", "-b", "main");
  git(source, "add", "-A");
  git(source, "commit", "-qm", "first");
  const commit = git(source, "rev-parse", "HEAD").trim();
  const url = `file://${source}`;
  const refused = await type("run", `${url}#main:flows/w.yaml`);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('"main" is not a full commit id')]);
  const named = `${url}#${commit}:flows/w.yaml`;
  const shown = await run(named);
  expect(shown.code).toBe(4);
  expect(shown.out).toContain("coder: Fix issues from reviewer.");
  expect(existsSync(join(home, "agents"))).toBe(false);
  const hash = /--accept (sha256:\S+)/.exec(shown.out)![1]!;
  const wrong = await run(named, "--accept", "sha256:other");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("its content is sha256:")]);
  const valid = await type("check", named);
  expect([valid.code, valid.out]).toEqual([0, expect.stringContaining("is a valid workflow, w: 2 agents")]);
  const start = await command(["workflow", "start", named, "--budget", "2usd", "--tag", "x y", "--", "a b"], env);
  expect([start.code, start.out]).toEqual([
    4,
    expect.stringContaining(`workflow start '${named}' --tag 'x y' --budget 2usd --accept ${hash} -- 'a b'`),
  ]);
  const elsewhere = await command(["--alone", "run", "hello", "--workflow", named], env);
  expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining("--workflow takes a name or a file")]);
  expect(existsSync(join(home, "agents"))).toBe(false);
  const accepted = await run(named, "--accept", hash);
  expect([accepted.code, accepted.err]).toEqual([0, ""]);
  const first = eventsIn(home, "w").find(({ type }) => type === "message.posted")!.data;
  expect(first.text).toBe(`@reviewer go ${commit}`);
});

test("a run that an agent improvised is written down, and runs again with another goal", async () => {
  const publish = (path: string) => ({
    calls: [
      { tool: "write_file", input: { path, content: "x\n" } },
      { tool: "publish", input: { summary: "done" } },
    ],
  });
  const team = [
    { tool: "spawn_worker", input: { name: "Ann", role: "looks things up" } },
    { tool: "spawn_worker", input: { name: "Ben", role: "writes" } },
    { tool: "create_work_node", input: { name: "Facts", task: "Find facts for: Know all about chips", worker: "Ann" } },
    { tool: "create_work_node", input: { name: "Text", task: "Write", worker: "Ben", refs: { facts: "n1" } } },
    { tool: "wait_for_nodes" },
  ];
  const done = { calls: [{ tool: "finish", input: { summary: "done" } }] };
  const { env, model, type, home, folder } = place({
    coordinator: [{ calls: team }, done, done],
    ann: [publish("facts.md")],
    ben: [publish("text.md")],
  });
  const first = await command(
    ["--alone", "run", "Know all about chips", "--name", "chips", "--model", model],
    env,
    folder,
  );
  expect([first.code, first.err]).toEqual([0, ""]);
  const printed = await type("from", "chips");
  expect(printed.out).toContain("goal: ${{ params.goal }}");
  const wrote = await type("from", "chips/r1", "-o", "chips.yaml", "--name", "again");
  expect([wrote.code, wrote.err]).toEqual([0, ""]);
  expect((await type("from", "chips/r1", "-o", "chips.yaml")).err).toContain("already exists");
  expect((await type("from", "chips/r9")).err).toContain("chips has no run r9; runs: r1");
  writeFileSync(
    join(folder, "chips.yaml"),
    readFileSync(join(folder, "chips.yaml"), "utf8").replace(/^model: .*$/m, ""),
  );
  const script = newFolder({
    "again.yaml": stringify({
      participants: {
        coordinator: [{ calls: [{ tool: "wait_for_nodes" }] }, done],
        ann: [publish("facts.md")],
        ben: [publish("text.md")],
      },
    }),
  });
  const second = await command(
    [
      "--alone",
      "workflow",
      "run",
      "chips.yaml",
      "--model",
      `scripted/${script}/again.yaml`,
      "--",
      "--goal",
      "Know ships",
    ],
    { ...env, AGIRAPH_SCRIPTS: script },
    folder,
  );
  expect([second.code, second.err]).toEqual([0, ""]);
  const events = eventsIn(home, "again");
  expect(
    events.flatMap(({ type, data }) => (type === "node.created" ? [[data.name, data.task, data.depends_on]] : [])),
  ).toEqual([
    ["Facts", "Find facts for: Know ships", []],
    ["Text", "Write", ["n1-facts"]],
  ]);
  expect(events.filter(({ type }) => type === "node.completed")).toHaveLength(2);
});

test("start leaves it at work in the daemon, once for each tag, until it is stopped; the API starts one with parameters too", async () => {
  const { home, env, folder, model } = place(chat, { "w.yaml": `${pair}kickoff: "@reviewer go"\n` });
  put(home, {
    "workflows/named.yaml": `params: { topic: { required: true } }\n${pair}kickoff: "@reviewer \${{ params.topic }}"\n`,
  });
  await upAndReady(home, env);
  const type = (...args: string[]) => command(["workflow", ...args], env, folder);
  const started = await type("start", "w.yaml", "--model", model);
  expect([started.code, started.err]).toEqual([0, ""]);
  const again = await type("start", "w.yaml", "--model", model);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("w:main is already at work as w; stop it")]);
  expect((await type("start", "w.yaml", "--tag", "two", "--model", model)).code).toBe(0);
  const [, ...rows] = (await type("ls")).out.trim().split("\n");
  expect(rows.map((row) => row.split(/\s+/).slice(0, 3).join(" ")).sort()).toEqual(["w main w", "w two w-two"]);
  expect((await type("stop", "w")).out.trim().split("\n").sort()).toEqual([
    "Stopped w:main (w).",
    "Stopped w:two (w-two).",
  ]);
  expect((await type("ls")).out).toContain("No workflow is at work.");

  const none = await ask(home, "POST /agents", { workflow: "named", model });
  expect([none.status, none.body.error.message]).toEqual([400, expect.stringContaining("params: topic is required")]);
  const made = await ask(home, "POST /agents", { workflow: "named", params: { topic: "chips" }, tag: "x", model });
  expect([made.status, made.body.workflow, made.body.tag]).toEqual([201, "named", "x"]);
  const frozen = await ask(home, "GET /agents/w/runs/r1/workflow");
  expect([frozen.status, frozen.body.name]).toEqual([200, "w"]);
  expect(frozen.body.text).toContain('kickoff: "@reviewer go"');
});
