/** What a home, or a word that reaches the daemon of one, makes happen that nobody said yes to. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { bin } from "../built.ts";
import { ask, clearLater, daemonFile, upAndReady } from "../daemon.ts";
import { command, createLab, newFolder, node, put, root } from "../program.ts";
import { attack } from "./attack.ts";
import { forged, made } from "./forge.ts";

const secret = "name: Erika Mustermann\nmail: [erika@example.org\n";

/** What a model that is a script could name. The first is a diary, of which a fault would tell lines. */
function targets(): Record<string, string> {
  const folder = newFolder({ "diary.yaml": secret, "script.yaml": "participants: { coordinator: [] }\n" });
  execFileSync("mkfifo", [join(folder, "pipe")]);
  return {
    "a private file": join(folder, "diary.yaml"),
    "a FIFO": join(folder, "pipe"),
    "a device without end": "/dev/zero",
    "a script that lies somewhere": join(folder, "script.yaml"),
    nothing: join(folder, "missing"),
    "a folder": folder,
    "a way out": `demo/../../..${folder}/diary.yaml`,
  };
}

/** Who could name a model from outside. Each answers what was said about it. */
const ways: Record<string, (home: string, model: string) => Promise<string>> = {
  "the API": async (home, model) => said(await ask(home, "POST /agents", { goal: "g", model })),
  "a team over the API": async (home, model) =>
    said(await ask(home, "POST /agents", { goal: "g", team: { workers: [{ name: "Bob", role: "r", model }] } })),
  "the next run": async (home, model) => {
    const { id } = (await ask(home, "POST /agents", { goal: "g", start: false })).body;
    return said(await ask(home, `POST /agents/${id}/runs`, { model }));
  },
  "a workflow": async (home, model) => {
    put(home, { "workflows/evil.yaml": `about: x\nworkers: { Bob: { role: r, model: ${JSON.stringify(model)} } }\n` });
    return said(await ask(home, "POST /agents", { goal: "g", workflow: "evil" }));
  },
};

const said = ({ status, body }: { status: number; body: { error?: { message: string } } }) => {
  expect(status).toBe(400);
  return body.error!.message;
};

attack("home", "B3 no path is read because a model is called scripted/PATH", async ({ held }) => {
  const lab = await createLab();
  const home = clearLater(newFolder({ "config.yaml": lab.config() }));
  await upAndReady(home);
  const refusals = new Set<string>();
  for (const path of Object.values(targets()))
    for (const act of Object.values(ways)) {
      const message = await act(home, `scripted/${path}`);
      expect(message).toContain("the scripts here are scripted/demo");
      refusals.add(message.replace(path, "PATH"));
      held();
    }
  expect([...refusals], "whether it is there cannot be told").toHaveLength(1);
});

attack("home", "B3 no participant has a script played by naming it", async ({ held }) => {
  const lab = await createLab();
  const home = clearLater(newFolder({ "config.yaml": lab.config("limits: { node_retries: 0 }\n") }));
  await upAndReady(home);
  for (const [what, path] of Object.entries(targets()))
    for (const how of ["spawn_worker", "create_work_node"]) {
      const model = `scripted/${path}`;
      const name = how === "spawn_worker" ? { name: "Bob", role: "r" } : { name: "Bob", role: "r", model: "lab/test" };
      lab.play(
        { tool: "spawn_worker", input: how === "spawn_worker" ? { ...name, model } : name },
        {
          tool: "create_work_node",
          input: { name: "n", task: "t", worker: "Bob", ...(how === "spawn_worker" ? {} : { model }) },
        },
        { tool: "wait_for_nodes", input: { nodes: ["n1"] } },
        { tool: "finish", input: { summary: "done" } },
      );
      const { id } = (await ask(home, "POST /agents", { goal: `${what} ${how}` })).body;
      await expect.poll(async () => (await ask(home, `GET /agents/${id}`)).body.status).toBe("completed");
      const log = readFileSync(join(home, "agents", id, "events.jsonl"), "utf8");
      expect(log).toContain("the scripts here are scripted/demo");
      expect(log).not.toMatch(/Erika|erika@|ENOENT|EISDIR|plain file/);
      held();
    }
});

attack("home", "B3 a config cannot choose a script", async ({ held, tries }) => {
  for (const path of Object.values(targets()).slice(0, tries(1, 7))) {
    const home = clearLater(newFolder({ "config.yaml": `model: scripted/${path}\nembeddings: "off"\n` }));
    const daemon = await upAndReady(home);
    expect(said(await ask(home, "POST /agents", { goal: "g" }))).toContain("the scripts here are scripted/demo");
    daemon.child.kill("SIGKILL");
    held();
  }
});

/** A project of somebody else with a home in it whose agent wants to begin at once. Whoever looks has a home of their own. */
function project(more: Record<string, string> = {}) {
  const folder = newFolder({ ".agiraph/agents/evil/events.jsonl": forged([made("evil", { folder: "/" })]), ...more });
  const home = clearLater(join(folder, ".agiraph"));
  const user = newFolder();
  return { folder, home, user, log: join(home, "agents/evil/events.jsonl") };
}

attack("home", "B2 no command lets the agents of a home work that was merely come upon", async ({ held, tries }) => {
  const lab = await createLab();
  const { folder, user, log } = project({ ".agiraph/config.yaml": "model: ollama/test\n" });
  const run = (...args: string[]) => node([bin, ...args], { cwd: folder, env: { HOME: user, OLLAMA_HOST: lab.url } });
  const before = readFileSync(log, "utf8");
  const commands = [
    ["ls"],
    ["run", "do it"],
    ["resume", "evil"],
    ["status"],
    ["doctor", "--call"],
    ["--alone", "run", "do it"],
    ["skill", "add", folder],
    ["send", "evil", "go on"],
    ["again", "evil"],
    ["new", "do it"],
    ["answer", "evil", "q1", "yes"],
    ["board", "evil"],
    ["welcome"],
    ["triggers", "evil", "--cron", "* * * * *", "--wake", "x"],
    ["--alone", "resume", "evil"],
    ["--alone", "stop", "evil"],
    ["--alone", "inbox"],
  ];
  for (const args of commands.slice(0, tries(5, 99))) {
    const { out, err } = await run(...args);
    expect(`${out} ${err}`, args.join(" ")).toMatch(/agiraph trust|held by|in use by/);
    held();
  }
  expect(lab.asked, "whatever it is asked").toEqual([]);
  expect(readFileSync(log, "utf8")).toBe(before);

  // And once it is trusted it works, without a question and without being named.
  expect((await run("trust")).out).toMatch(/is now trusted: its agents may run \(evil\)/);
  expect((await run("ls")).out).not.toContain("trust");
  const questions = () => lab.asked.filter((one) => "messages" in one);
  await expect.poll(() => questions().length).toBeGreaterThan(0);
  expect(JSON.stringify(questions()[0]), "its folder is refused all the same").toContain("is the whole disk");
  expect((await run("trust", "--remove")).out).toContain("no longer trusted");
});

attack("home", "B2 over HTTP everything in it is refused, with a code and the command", async ({ held }) => {
  const lab = await createLab();
  const { folder, home, user, log } = project();
  const before = readFileSync(log, "utf8");
  await node([bin, "up", "-d", "--port", "0"], { cwd: folder, env: { HOME: user, OLLAMA_HOST: lab.url } });
  const [evil] = (await ask(home, "GET /agents")).body.items;
  expect([evil.id, evil.status, evil.reason.next_mover]).toEqual(["evil", "untrusted", "human"]);
  expect((await ask(home, "GET /status")).body).toMatchObject({
    agents: { untrusted: 1 },
    untrusted: expect.stringContaining("agiraph trust"),
  });
  // Nor does its page hand out a command that names it, which would be to trust it.
  execFileSync(process.execPath, ["scripts/web.ts"], { cwd: root });
  const { port } = daemonFile(home)!;
  const page = await (await fetch(`http://127.0.0.1:${port}/app`)).text();
  expect([page.includes("agiraph"), page.includes("--home")]).toEqual([true, false]);
  const asked: [string, unknown?][] = [
    ["POST /agents", { goal: "g" }],
    ["POST /agents", { goal: "g", model: "scripted/demo" }],
    ["POST /agents/import"],
    ["POST /agents/evil/resume", {}],
    ["POST /agents/evil/runs", {}],
    ["POST /agents/evil/send", { message: "go" }],
    ["PATCH /agents/evil/budget", { usd: 9 }],
    ["GET /agents/evil/state"],
    ["GET /agents/evil/events"],
    ["GET /agents/evil/export"],
    ["DELETE /agents/evil", {}],
  ];
  for (const [what, body] of asked) {
    const { status, body: said } = await ask(
      home,
      what,
      body,
      what.endsWith("import") ? { "content-type": "application/gzip" } : {},
    );
    expect([what, status, said.error?.code]).toEqual([what, 403, "untrusted"]);
    expect(said.error.message).toContain(`agiraph trust ${home}`);
    expect(said.error.details).toMatchObject({ home });
    held();
  }
  // What may be looked at is told without asking anybody.
  for (const path of ["/models", "/doctor", "/doctor?call=true", "/environment"]) {
    expect((await ask(home, `GET ${path}`)).status, path).toBe(200);
    held();
  }
  expect((await ask(home, "GET /models")).body).toMatchObject({ model: null, why: expect.stringContaining(home) });
  expect([lab.asked, readFileSync(log, "utf8")]).toEqual([[], before]);
});

/** What a project could put there so that it counts as trusted, or so that our writing goes elsewhere. */
const forgeries: Record<string, (at: ReturnType<typeof project>) => void> = {
  "a list of its own": ({ home }) =>
    put(home, { "trusted/x": JSON.stringify({ path: home, word: "a".repeat(64) }), "trusted-word": "a".repeat(64) }),
  "a copy of a trusted one": ({ home, user }) => {
    const other = join(newFolder(), ".agiraph");
    mkdirSync(other);
    execFileSync(process.execPath, [bin, "trust", other], {
      cwd: root,
      env: { PATH: process.env.PATH ?? "", HOME: user },
    });
    cpSync(other, home, { recursive: true });
  },
  "one that takes the place of a trusted one": ({ folder, home, user }) => {
    execFileSync(process.execPath, [bin, "trust"], { cwd: folder, env: { PATH: process.env.PATH ?? "", HOME: user } });
    const log = readFileSync(join(home, "agents/evil/events.jsonl"));
    rmSync(home, { recursive: true });
    mkdirSync(join(home, "agents/evil"), { recursive: true });
    writeFileSync(join(home, "agents/evil/events.jsonl"), log);
  },
  "a link where the log is written": ({ home, user }) => symlinkSync(join(user, "rc"), join(home, "daemon.log")),
  "a link where the page is written": ({ home, user }) => symlinkSync(join(user, "rc"), join(home, "open.html")),
  "a pipe to wait for": ({ home }) => void execFileSync("mkfifo", [join(home, "daemon.json")]),
  "a home that is a link": ({ home, user }) => {
    renameSync(home, join(user, "elsewhere"));
    symlinkSync(join(user, "elsewhere"), home);
  },
  "a daemon that is somebody else": ({ home }) =>
    put(home, {
      "daemon.json": JSON.stringify({
        pid: 1,
        started_at: "x",
        host: "203.0.113.9",
        port: 80,
        token: "t",
        version: "0.1.0",
      }),
    }),
};

for (const [what, forge] of Object.entries(forgeries))
  attack("home", `B2 ${what} does not make a home trusted`, async () => {
    const lab = await createLab();
    const at = project();
    writeFileSync(join(at.user, "rc"), "mine\n");
    forge(at);
    const env = { HOME: at.user, OLLAMA_HOST: lab.url };
    const { out, err } = await command(["--alone", "resume", "evil"], env, at.folder);
    expect(`${out} ${err}`).toMatch(/is not trusted|is not used/);
    expect([lab.asked, readFileSync(join(at.user, "rc"), "utf8")]).toEqual([[], "mine\n"]);
  });

attack("home", "B2 the usual ways ask nothing", async () => {
  const lab = await createLab();
  const env = { HOME: newFolder(), OLLAMA_HOST: lab.url };
  const run = (cwd: string, ...args: string[]) => command(["--alone", ...args], env, cwd);
  // In a new folder, in one with an empty home, in one whose home was made by name before.
  const [bare, empty, named] = [newFolder(), newFolder(), newFolder()];
  mkdirSync(join(empty, ".agiraph"));
  lab.play({ tool: "finish", input: { summary: "one" } });
  expect((await run(bare, "run", "g", "--model", "ollama/test")).out).toContain("one");
  lab.play({ tool: "finish", input: { summary: "two" } });
  expect((await run(empty, "run", "g", "--model", "ollama/test")).out).toContain("two");
  lab.play({ tool: "finish", input: { summary: "three" } });
  expect((await run(named, "--home", join(named, ".agiraph"), "run", "g", "--model", "ollama/test")).out).toContain(
    "three",
  );
  lab.play({ tool: "finish", input: { summary: "four" } });
  expect((await run(named, "run", "h", "--model", "ollama/test")).out).toContain("four");
});

/** What a log could name as the folder that its agent may read. */
const folders: Record<string, (user: string, home: string) => string> = {
  "the whole disk": () => "/",
  "what the system keeps": () => "/etc",
  "the user's home": (user) => user,
  "keys in it": (user) => join(user, ".ssh"),
  "the home of the agents": (_user, home) => home,
  "another agent": (_user, home) => join(home, "agents"),
  "a link to all of it": (user) => join(user, "link"),
  "a way through a link": (user) => join(user, "way/.ssh"),
  "a file": (user) => join(user, "file"),
  "a way up": (user) => `${user}/work/..`,
  "not even a path": () => "etc",
};

attack("home", "B2 a folder that would be refused today is not read, whatever the log says", async ({ held }) => {
  const lab = await createLab();
  const user = newFolder({ ".ssh/id_rsa": "PRIVATE", file: "PRIVATE", "work/a": "" });
  symlinkSync("/", join(user, "link"));
  symlinkSync(user, join(user, "way"));
  const home = clearLater(newFolder({ "config.yaml": lab.config() }));
  const names = Object.keys(folders).map((_, index) => `a${index}`);
  for (const [index, folder] of Object.values(folders).entries())
    put(home, {
      [`agents/a${index}/events.jsonl`]: forged([made(`a${index}`, { model: "lab/test", folder: folder(user, home) })]),
    });
  lab.play(
    ...names.flatMap(() => [
      { tool: "list_files", input: { path: "project" } },
      { tool: "bash", input: { command: `cat ${user}/.ssh/id_rsa ${user}/file; ls ${user}` } },
    ]),
  );
  await upAndReady(home, { HOME: user });
  const shown = () => names.filter((name) => lab.asked.some((one) => JSON.stringify(one).includes(`You are ${name},`)));
  await expect.poll(shown).toEqual(names);
  for (const name of names) {
    const first = JSON.stringify(lab.asked.find((one) => JSON.stringify(one).includes(`You are ${name},`)));
    expect(first).toContain("it cannot be used at the moment");
    expect(first).not.toContain("The human lets you read a folder");
    held();
  }
  await expect.poll(async () => (await ask(home, "GET /status")).body.working).toBe(0);
  for (const name of names) {
    const log = readFileSync(join(home, "agents", name, "events.jsonl"), "utf8");
    expect(log).not.toMatch(/PRIVATE|passwd/);
  }
  expect(readFileSync(join(home, "daemon.log"), "utf8")).toContain(
    'its project folder is not used. folder: "/" is the whole disk',
  );
});
