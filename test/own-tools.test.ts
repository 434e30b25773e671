/** Tools and programs that users write, in a home far from the package. */
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, upAndReady } from "./daemon.ts";
import { agiraph, createLab, newFolder, node, put, root } from "./program.ts";
import { until } from "./until.ts";

const lab = await createLab();
const finish = { tool: "finish", input: { summary: "There are three words." } };
const tool = (fields: Record<string, string>): string => {
  const all = {
    name: '"mine"',
    about: '"a"',
    guidance: '"g"',
    effect: '"reads"',
    repeatable: "true",
    input: "z.object({})",
    run: 'async () => "ran"',
    ...fields,
  };
  return `defineTool({ ${Object.entries(all)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ")} })`;
};
const file = (body: string): string => `import { defineTool, z } from "agiraph";\n${body}\n`;

test("the example tool, copied into a home, is a tool of its agents", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  mkdirSync(join(home, "tools"));
  copyFileSync(join(root, "examples/tools/word-count.ts"), join(home, "tools/word-count.ts"));
  lab.play(
    { tool: "write_file", input: { path: "a.md", content: "one two three" } },
    { tool: "word_count", input: { path: "a.md" } },
    { tool: "word_count", input: { path: "../../../../config.yaml" } },
    { tool: "word_count", input: { file: "a.md" } },
    finish,
  );
  const { code, out, err } = await agiraph(home, "run", "count");
  expect([code, err]).toEqual([0, ""]);
  expect(out).not.toContain("left out");
  const [, count, away, wrong] = lab.results();
  expect(count).toBe("a.md has 3 words.");
  expect(away).toContain("leaves its folder by ..");
  expect(wrong).toContain("path");
});

test("what cannot be used is named with the reason and left out; the rest is there", async () => {
  const bad: Record<string, [string, string]> = {
    "throws.ts": ["throw new Error('no such luck')", "no such luck"],
    "syntax.mjs": ["export default {", "Unexpected"],
    "nothing.js": ["export const a = 1;", "it exports no tool; export default defineTool"],
    "default.ts": ["export default 7;", "its default export is invalid"],
    "taken.ts": [`export default ${tool({ name: '"read_file"' })};`, "a tool named read_file already exists"],
    "twice.ts": [`export default ${tool({ name: '"good"' })};`, "a tool named good already exists"],
    "double.ts": [
      `export const a = ${tool({ name: '"same"' })};\nexport const b = ${tool({ name: '"same"' })};`,
      "a tool named same already exists",
    ],
    "name.ts": [`export default ${tool({ name: '"No Name"' })};`, "name: must consist of a-z, 0-9 and _"],
    "mcp.ts": [`export default ${tool({ name: '"mcp__a__b"' })};`, "must not begin with mcp__"],
    "effect.ts": [`export default ${tool({ effect: '"big"' })};`, "effect: Invalid option"],
    "input.ts": [`export default ${tool({ input: "{}" })};`, "input: must be a zod schema"],
    "text.ts": [`export default ${tool({ input: "z.string()" })};`, "its input must be an object"],
    "run.ts": [`export default ${tool({ run: "1" })};`, "run: must be a function"],
  };
  const home = newFolder({
    "config.yaml": lab.config(),
    ...Object.fromEntries(Object.entries(bad).map(([name, [body]]) => [`tools/${name}`, file(body)])),
    "tools/good.ts": file(
      `type A = { a: number };\nexport const help: A = { a: 1 };\nexport const good = ${tool({ name: '"good"' })};\nexport default ${tool({ name: '"odd"', run: "async () => ({ n: 1 })" })};`,
    ),
    "tools/good.test.ts": "throw 1;",
    "tools/notes.md": "x",
  });
  lab.play({ tool: "odd" }, { tool: "good" }, finish);
  const { code, out, err } = await agiraph(home, "run", "count");
  expect([code, err]).toEqual([0, ""]);
  for (const [name, [, why]] of Object.entries(bad)) {
    const line = out.split("\n").find((one) => one.includes(`tools/${name} is ignored`));
    expect(line, name).toContain(why);
  }
  expect(out.match(/is ignored/g)).toHaveLength(Object.keys(bad).length);
  expect(lab.results()).toEqual(['{"n":1}', "ran"]);
  expect(lab.offered().filter((name) => ["good", "odd", "mine"].includes(name))).toEqual(["odd", "good"]);
});

const program = (home: string, more: string) => `
import { defineTool, team, z, Problem } from "agiraph";
const events: string[] = [];
const answered = team({
  goal: "count",
  model: "lab/test",
  home: ${JSON.stringify(home)},
  budget: { turns: 20 },
  onEvent: ({ type }) => events.push(type),
  tools: [defineTool({ name: "roll", about: "Roll", guidance: "Roll", effect: "reads", repeatable: true, input: z.object({}), run: async () => "four" })],
});
${more}
`;

test("one call runs one agent, with tools of its own, and gives its answer, files and cost", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const script = join(
    newFolder({ "script.ts": program(home, "console.log(JSON.stringify({ ...(await answered), events }));") }),
    "script.ts",
  );
  lab.play({ tool: "roll" }, { tool: "write_file", input: { path: "out/a.md", content: "four" } }, finish);
  const { code, out, err } = await node(["--import", join(root, "test/as-package.ts"), script]);
  expect([code, err]).toEqual([0, ""]);
  const { answer, files, agent, cost, events } = JSON.parse(out);
  expect({ answer, agent, tokens: cost.tokens }).toEqual({
    answer: "There are three words.",
    agent: "count",
    tokens: 45,
  });
  expect(files.map((path: string) => readFileSync(path, "utf8"))).toEqual(["four"]);
  expect(lab.results()[0]).toBe("four");
  expect([events[0], events.filter((type: string) => type === "run.completed").length]).toEqual(["agent.created", 1]);
});

test("roles are there when the coordinator is first asked, and a program may answer what the team asks", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const code = `
import { team } from "agiraph";
const words: string[] = [];
const { answer } = await team({
  goal: "count",
  model: "lab/test",
  home: ${JSON.stringify(home)},
  roles: { Alice: "looks things up", Bob: { role: "writes", max_turns: 3 } },
  onQuestion: ({ text }) => (text === "Which one?" ? "the second" : undefined),
  onWords: ({ text }) => words.push(text),
});
console.log(answer, words.length > 0);
`;
  lab.play({ say: "I must ask.", tool: "ask_human", input: { question: "Which one?" } }, finish);
  const { out, err } = await node([
    "--import",
    join(root, "test/as-package.ts"),
    join(newFolder({ "script.ts": code }), "script.ts"),
  ]);
  expect([out, err]).toEqual(["There are three words. true\n", ""]);
  expect(lab.system()).toMatch(/Alice: looks things up.*Bob: writes/s);
  expect(JSON.stringify(lab.asked.at(-1)?.messages)).toContain("the second");
});

test("a lasting agent hears what a program says and replies, asks it, and is taken up again by its name", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const code = `
import { agent, team } from "agiraph";
const home = ${JSON.stringify(home)};
const seen: string[] = [];
const open = () => agent({ name: "Helper", goal: "help", model: "lab/test", home, start: false, onEvent: ({ type }) => seen.push(type), onQuestion: () => "the second" });
const first = await open();
await first.begin();
const standing = await first.wait();
const other = await agent({ name: "other", goal: "rest", model: "lab/test", home, start: false });
const asked = await first.send("And now?", { files: [{ name: "a.txt", content: "forty-two" }] });
await other.close();
await first.close();
const told = seen.length;
const again = await open();
const last = await again.send("Still there?", { key: "once" });
const same = await again.send("Still there?", { key: "once" });
await again.close();
console.log(JSON.stringify({ id: again.id, why: standing.why, said: standing.said.map(({ text }) => text), asked, last, same, first: seen[0], none: told === seen.length }));
`;
  const script = join(newFolder({ "script.ts": code }), "script.ts");
  lab.play(
    { tool: "ask_human", input: { question: "Which one?" } },
    { say: "Ready." },
    { say: "It is in the file." },
    { say: "Yes." },
  );
  const { out, err } = await node(["--import", join(root, "test/as-package.ts"), script]);
  expect(err).toBe("");
  const told = JSON.parse(out);
  expect(told).toMatchObject({ id: "helper", why: "idle", said: ["Ready."], first: "agent.created", none: false });
  expect([told.asked.text, told.last.text]).toEqual(["It is in the file.", "Yes."]);
  expect(told.same).toEqual(told.last);
  expect(JSON.stringify(lab.asked.at(-1)?.messages)).toMatch(/the second.*a\.txt.*Still there\?/s);
});

test("an agent that answers in plain words has answered", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const script = join(newFolder({ "script.ts": program(home, "console.log((await answered).answer);") }), "script.ts");
  lab.play({ say: "It is Paris." });
  const { code, out, err } = await node(["--import", join(root, "test/as-package.ts"), script]);
  expect([code, out, err]).toEqual([0, "It is Paris.\n", ""]);
});

test("an agent that comes to no answer is a Problem that says why", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const more = "await answered.catch((error) => console.log(error instanceof Problem, error.message));";
  const script = join(newFolder({ "script.ts": program(home, more) }), "script.ts");
  lab.play({ tool: "ask_human", input: { question: "Which one?" } });
  const { code, out, err } = await node(["--import", join(root, "test/as-package.ts"), script]);
  expect([code, err, out]).toEqual([
    0,
    "",
    'true count has no answer: it asks "Which one?"; to continue: `agiraph resume count`\n',
  ]);
});

test("one that holds the daemon again and again pauses its agent, which goes on when the human says so", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  // Not before the watchdog has seen the loop turn: a thread takes a while to begin.
  const hold = `async () => { await new Promise((go) => setTimeout(go, 700)); const end = Date.now() + 1_400; while (Date.now() < end); return String(end); }`;
  put(home, { "tools/hold.ts": file(`export default ${tool({ name: '"hold"', run: hold })};`) });
  lab.play(...Array.from({ length: 5 }, () => ({ tool: "hold", input: {} })), finish);
  await upAndReady(home);
  await ask(home, "POST /agents", { goal: "Hold", name: "holder" });
  const holder = async () => (await ask(home, "GET /agents/holder")).body;
  await until(async () => expect((await holder()).status).toBe("paused"));
  expect((await holder()).reason).toMatchObject({
    code: "limit.stall",
    next_mover: "human",
    message: expect.stringMatching(/^it blocked the daemon 2 times, most recently for \d+ ms: agent holder: hold/),
  });
  expect(readFileSync(join(home, "daemon.log"), "utf8")).toMatch(
    /the event loop was blocked for \d+ ms; in progress: agent holder: hold/,
  );
  await until(async () => {
    // It may hold the daemon once more, and is paused once more.
    if ((await holder()).status === "paused") await ask(home, "POST /agents/holder/resume", {});
    expect((await holder()).status).toBe("completed");
  });
});
