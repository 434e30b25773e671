/** The command line as a client: a real daemon, a model server on loopback. `run` is a process of its own, which starts the daemon. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { clearLater, daemonFile, start } from "./daemon.ts";
import { command, createLab, newFolder, root } from "./program.ts";

let lab: Awaited<ReturnType<typeof createLab>>;
beforeAll(async () => {
  lab = await createLab();
});

const finish = { tool: "finish", input: { summary: "It is **42**." } };

function newHome() {
  const home = clearLater(newFolder({ "config.yaml": lab.config() }));
  const agiraph = async (...args: string[]) =>
    args[0] === "run" ? await start(home, args).ended : await command(args, { AGIRAPH_HOME: home });
  const json = async (...args: string[]) => {
    const { code, out, err } = await agiraph(...args, "--json");
    expect([code, err], args.join(" ")).toEqual([0, ""]);
    return out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  return { home, agiraph, json };
}

test("run starts the daemon, shows the work and the answer, and leaves the daemon there", async () => {
  const { home, agiraph, json } = newHome();
  lab.play({ tool: "write_file", input: { path: "out.md", content: "42" } }, finish);
  const { code, out, err } = await agiraph("run", "What is it?", "--name", "deep", "--budget", "2usd");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("agent  deep");
  expect(out).toContain("budget 2 usd\n");
  expect(out).toContain("It is **42**.");
  expect(out).not.toContain("\u001b[");
  expect(daemonFile(home)?.pid).toBeGreaterThan(0);
  const [[agent]] = await json("ls");
  expect(agent).toMatchObject({ id: "deep", status: "completed", result: "It is **42**." });
  expect((await agiraph("cat", "deep", "_output.md")).out).toBe("It is **42**.\n");
  expect((await agiraph("files", "deep")).out).toContain("_output.md");
  const shown = (await agiraph("context", "deep", "coordinator.1")).out;
  expect(shown).toMatch(/^coordinator\.1 {2}[\d,.]+ tokens, r1, /);
  expect(shown).toMatch(/\nsoul +\d+ +always +SOUL\.md +its identity\n/);
  expect(shown).toMatch(/\nTools: one call away \(find_tools\)\n/);
  const { parts, further } = JSON.parse((await agiraph("context", "deep", "--json")).out);
  expect(parts.map(({ name }: { name: string }) => name)).toContain("conversation");
  expect(further).toContain("schedule");
  expect((await agiraph("cost")).out).toMatch(/^deep {2}\$0\.00 of \$2\.00\n2 calls/);
  const events = await json("events", "deep");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect((await json("events", "deep", "--types", "run.completed")).map(({ type }) => type)).toEqual(["run.completed"]);
});

test("a folder and tools that are given on the command line are the agent's; relative means from here, and what cannot be is refused", async () => {
  const { agiraph, json } = newHome();
  lab.play(
    { tool: "read_file", input: { path: "project/world.ts" } },
    { tool: "bash", input: { command: "ls" } },
    finish,
  );
  const given = ["--folder", "src/lib", "--tools", "read_file, list_files"];
  const { code, err } = await agiraph("run", "Read it", "--name", "reader", ...given);
  expect([code, err]).toEqual([0, ""]);
  const [created] = await json("events", "reader", "--types", "agent.created");
  expect(created.data).toMatchObject({ folder: join(root, "src/lib"), tools: ["read_file", "list_files"] });
  const ended = await json("events", "reader", "--types", "tool.ended");
  expect(ended.map(({ data: { tool, outcome } }) => [tool, outcome])).toEqual([
    ["read_file", "ok"],
    ["bash", "error"],
    ["finish", "ok"],
  ]);
  const refused = async (...args: string[]) => await agiraph("new", "Read it", ...args);
  expect(await refused("--folder", "/")).toMatchObject({ code: 1, err: expect.stringContaining("is the whole disk") });
  expect((await refused("--folder", "src/nowhere")).err).toContain("does not exist");
  expect((await refused("--tools", "reed_file")).err).toMatch(/there is no tool "reed_file"; tools: .*read_file/);
});

test("a question ends a run that nobody watches with 4; it is in the inbox, answered from there, and the work goes on by itself", async () => {
  const { agiraph, json } = newHome();
  lab.play({ tool: "ask_human", input: { question: "Which colour?", options: ["red", "blue"] } }, finish);
  const asked = await agiraph("run", "Paint it", "--name", "painter");
  expect(asked.code).toBe(4);
  expect(asked.out).toContain("agiraph answer painter q1");
  expect((await agiraph("inbox")).out).toContain("choices: red / blue");
  expect((await agiraph("board", "painter", "--graph")).out).toContain("No nodes yet");
  const [[item]] = await json("inbox");
  expect(item).toMatchObject({ agent: "painter", id: "q1", kind: "question" });
  expect((await agiraph("answer", "painter", "blue")).out).toBe("Answered q1; painter resumes.\n");
  const watched = await agiraph("watch", "painter");
  expect([watched.code, watched.out.includes("It is **42**.")]).toEqual([0, true]);
  expect((await agiraph("answer", "painter", "q1", "red")).code).toBe(1);
});

test("send --wait prints the reply itself; a name may be its beginning, and a wrong one is put right", async () => {
  const { agiraph } = newHome();
  lab.play({ say: "Hello. I am at it." }, { say: "Half done." });
  expect((await agiraph("new", "Do it", "--name", "doer")).out).toContain("Started doer");
  const { code, out } = await agiraph("send", "do", "How far are you?", "--wait", "20");
  expect([code, out.trim().length > 0]).toEqual([0, true]);
  const wrong = await agiraph("pause", "doerr");
  expect([wrong.code, wrong.err]).toEqual([1, "agiraph: there is no agent doerr; did you mean doer?\n"]);
  expect((await agiraph("pause", "doer")).out).toContain("Paused doer");
  const stopped = (await agiraph("stop", "doer")).out;
  expect(stopped).toMatch(/^Stopped doer\.\nNobody is working, so nothing is interrupted\.\nKept: all files/);
  expect(stopped).toContain("agiraph resume doer");
  expect((await agiraph("boards")).err).toContain("Did you mean");
  const problem = await agiraph("why", "doer", "n9", "--json");
  expect(JSON.parse(problem.err)).toMatchObject({ error: { code: "not_found" } });
  expect((await agiraph("files", "doer", "-m", "--find", "DO it")).out).toMatch(/^GOAL\.md:\d+: .*Do it/m);
});

test("send --attach gives files along: the model is told what they are and reads them", async () => {
  const { agiraph } = newHome();
  const text = "chip,price\nH100,9\n";
  const folder = newFolder({ "prices.csv": text });
  lab.play(finish);
  await agiraph("run", "Do it", "--name", "doer");
  lab.play({ tool: "resource_read", input: { id: createHash("sha256").update(text).digest("hex") } }, finish);
  expect((await agiraph("send", "doer", "Read it", "--attach", join(folder, "prices.csv"))).code).toBe(0);
  expect((await agiraph("watch", "doer")).code).toBe(0);
  expect(JSON.stringify(lab.asked[0]?.messages)).toMatch(
    /Read it.{1,4}\[attached: prices.csv \(text\/plain, 18 bytes\)/,
  );
  expect(lab.results().at(-1)).toContain("H100,9");
  const missing = await agiraph("send", "doer", "x", "--attach", join(folder, "none.csv"));
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("no file")]);
});

test("a team's board is a tree and a graph, a node says why it waits, and documents and votes are there", async () => {
  const { agiraph, json } = newHome();
  const spawn = { tool: "spawn_worker", input: { name: "Ann", role: "asks" } };
  const first = { tool: "create_work_node", input: { name: "first", task: "one", worker: "Ann" } };
  const second = { tool: "create_work_node", input: { name: "second", task: "two", depends_on: ["n1"] } };
  lab.play(spawn, first, second, { tool: "ask_human", input: { question: "now?" } });
  await agiraph("run", "Two things", "--name", "two", "--max-turns", "12");
  const board = (await agiraph("board", "two")).out;
  expect(board).toContain("n1 first");
  const graph = (await agiraph("board", "two", "--graph")).out;
  expect(graph).toMatch(/n2 second.*← n1/);
  const why = (await agiraph("why", "n2")).out;
  expect(why).toContain("n2-second waits for n1-first");
  expect((await agiraph("show", "two", "n1")).out).toContain("n1-first");
  const [{ nodes }] = await json("board", "two");
  expect(nodes.map(({ id }: { id: string }) => id)).toEqual(["n1-first", "n2-second"]);

  // What it agrees on, while its question is open.
  const file = join(newFolder({ "words.md": "# Words\n" }), "words.md");
  expect((await agiraph("documents", "two")).out).toContain("two has no documents. Write one: agiraph documents two");
  expect((await agiraph("documents", "two", "words.md", "--write", file)).out).toBe("words.md is at version 1.\n");
  expect((await agiraph("documents", "two", "words.md", "--write", file)).err).toContain(
    "words.md is at version 1 by human; put your change into its text and write it with base 1",
  );
  expect((await agiraph("documents", "two")).out).toMatch(/words\.md +1 +human .* everyone/);
  expect((await agiraph("documents", "two", "words.md")).out).toBe("# Words\n\n");
  expect((await agiraph("documents", "two", "words.md", "--history")).out).toMatch(/^version +by +at\n +1 +human/);
  expect((await agiraph("documents", "two", "no.md")).err).toContain("there is no document no.md");
  expect((await agiraph("proposals", "two")).out).toContain("Nothing was put to a vote in two");
  const [made] = await json("proposals", "two", "--new", "Ship it?", "--options", "now, later", "--rule", "unanimous");
  expect(made).toMatchObject({ id: "p1", options: ["now", "later"], rule: { rule: "unanimous" } });
  expect((await agiraph("proposals", "two")).out).toContain('→ agiraph vote two p1 "now"');
  expect((await agiraph("vote", "two", "p1", "never")).err).toContain("its options are now / later / abstain");
  expect((await agiraph("vote", "two", "p1", "Later", "not tested")).out).toContain("human: later, not tested");
  expect((await agiraph("proposals", "two", "--withdraw", "p1")).out).toBe("p1 is withdrawn.\n");
  expect((await agiraph("proposals")).out).toMatch(/human: later, not tested\n {2}withdrawn/);
});

test("an agent goes into a file and comes back in another home", async () => {
  const [here, there] = [newHome(), newHome()];
  lab.play(finish);
  await here.agiraph("run", "What is it?", "--name", "deep");
  const file = join(newFolder(), "deep.agiraph");
  expect((await here.agiraph("export", "deep", file)).code).toBe(0);
  expect(existsSync(file)).toBe(true);
  expect((await here.agiraph("export", "deep", file)).err).toContain("already exists");
  expect((await there.agiraph("import", file)).out).toContain("Imported deep");
  expect((await there.agiraph("cat", "deep", "_output.md")).out).toBe("It is **42**.\n");
  expect((await there.agiraph("import", file)).err).toContain("this home already has an agent deep");
});

test("triggers are set, listed and cancelled; completion and config are there", async () => {
  const { home, agiraph, json } = newHome();
  lab.play(finish);
  await agiraph("run", "What is it?", "--name", "deep");
  expect((await agiraph("triggers", "deep", "--cron", "30 9 * * 1-5", "--wake", "news")).out).toMatch(/^Set t1/);
  expect((await agiraph("triggers", "deep")).out).toContain("30 9 * * 1-5");
  expect((await agiraph("triggers", "deep", "--cancel", "t1")).out).toBe("Cancelled t1.\n");
  expect((await agiraph("triggers", "deep", "--wake", "x")).err).toContain("give exactly one of");
  expect((await agiraph("completion", "bash")).out).toContain("complete -o default -F _agiraph agiraph");
  expect((await agiraph("config")).out).toContain(join(home, "config.yaml"));
  expect(readFileSync(join(home, "daemon.log"), "utf8")).toContain("listening at");
  const [{ started, pid }] = await json("up", "-d");
  expect(started).toBe(false);
  expect(await json("down")).toMatchObject([{ stopped: true, pid }]);
  expect(await json("down")).toEqual([{ stopped: false }]);
});
