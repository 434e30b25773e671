/**
 * What people, clients and models get wrong, through the front door of a real home.
 *
 * Each is refused with a Problem that has the right code and names the thing, what state it is in and what would be possible; the log does
 * not change by a byte. What is accepted is kept exactly as it was given, over a restart too.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createScripted, type ScriptInput } from "../src/backend/scripted.ts";
import { canonical } from "../src/core/state.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { CommandInput, SendOptions } from "../src/schema/command.ts";
import { Problem, type ProblemCode } from "../src/schema/problem.ts";
import { of, readLog } from "./crash/check.ts";
import { type House, openHouse } from "./crash/house.ts";
import { until } from "./until.ts";

interface Bad {
  what: string;
  command: unknown;
  code: ProblemCode;
  says: RegExp;
  options?: SendOptions;
  agent?: string;
}

/** The agent `a1` is active, its run is open, nobody works; there is a worker Alice and a node n1-a that is hers. */
// biome-ignore format: a table
const bad: Bad[] = [
  { what: "an unknown command", command: { type: "node.explode" }, code: "unknown_command", says: /"node.explode" is not a command; commands: agent\.create, .*node\.create/ },
  { what: "a command without a type", command: { text: "hello" }, code: "unknown_command", says: /^nothing is not a command/ },
  { what: "a command that is no object", command: "message.post", code: "unknown_command", says: /is not a command/ },
  { what: "nothing at all", command: null, code: "unknown_command", says: /is not a command/ },
  { what: "a word of every object as a command", command: { type: "__proto__" }, code: "unknown_command", says: /"__proto__" is not a command/ },
  { what: "a field that is missing", command: { type: "message.post" }, code: "invalid", says: /^message\.post: text: / },
  { what: "a field of another type", command: { type: "message.post", text: 7 }, code: "invalid", says: /^message\.post: text: / },
  { what: "an empty message", command: { type: "message.post", text: "" }, code: "invalid", says: /^message\.post: text: / },
  { what: "a message to nobody known", command: { type: "message.post", to: "Zoe", text: "hi" }, code: "not_found", says: /there is no participant "Zoe"; participants: Human, Coordinator, Alice/ },
  { what: "a message from nobody known", command: { type: "message.post", from: "Zoe", text: "hi" }, code: "not_found", says: /there is no participant "Zoe"/ },
  { what: "a message to oneself", command: { type: "message.post", from: "alice", to: "Alice", text: "hi" }, code: "invalid", says: /Alice cannot write to itself/ },
  { what: "an unknown node", command: { type: "node.cancel", node: "n9-x", reason: "no" }, code: "not_found", says: /there is no node n9-x; nodes: n1-a/ },
  { what: "an id that is no id", command: { type: "node.cancel", node: "../n1", reason: "no" }, code: "invalid", says: /^node\.cancel: node: / },
  { what: "a dependency on an unknown node", command: { type: "node.create", task: "t", depends_on: ["n7-y"] }, code: "not_found", says: /there is no node n7-y/ },
  { what: "a reference that leaves its node", command: { type: "node.create", task: "t", refs: { a: "n1-a/../../x\0" } }, code: "invalid", says: /^node\.create: refs\.a: / },
  { what: "a worker for a node that is taken", command: { type: "node.assign", node: "n1-a", worker: "Alice" }, code: "wrong_state", says: /n1-a is \w+; only a pending node can be assigned/ },
  { what: "publishing a node that waits", command: { type: "node.publish", node: "n1-a", summary: "s", files: [] }, options: { actor: "alice" }, code: "wrong_state", says: /n1-a is waiting; only a running node can be published/ },
  { what: "cancelling the node of another", command: { type: "node.cancel", node: "n1-a", reason: "no" }, options: { actor: "alice" }, code: "forbidden", says: /n1-a was created by coordinator; only its creator, the coordinator or the human can cancel it/ },
  { what: "the end of a turn that is not under way", command: { type: "turn.end", turn: "alice.9", participant: "alice" }, code: "stale", says: /alice\.9 is over/ },
  { what: "a second run beside the open one", command: { type: "run.start" }, code: "wrong_state", says: /r1 is still open; finish it or stop a1 first/ },
  { what: "creating what exists", command: { type: "agent.create", agent: "a1", goal: "g", model: "m" }, code: "conflict", says: /a1 already exists/ },
  { what: "a name that differs only in case", command: { type: "worker.spawn", name: "ALICE" }, code: "name_taken", says: /ALICE collides with Alice/ },
  { what: "a name that differs only in its form", command: { type: "worker.spawn", name: "Ａlice" }, code: "name_taken", says: /collides with Alice/ },
  { what: "a reserved name", command: { type: "worker.spawn", name: "System" }, code: "name_taken", says: /System is a reserved name/ },
  { what: "a name that is a path", command: { type: "worker.spawn", name: "../../etc" }, code: "invalid", says: /^worker\.spawn: name: / },
  { what: "a document that is a path", command: { type: "document.write", document: "../x.md", sha256: "a".repeat(64), size: 1 }, code: "invalid", says: /^document\.write: document: / },
  { what: "a hash that is none", command: { type: "document.write", document: "x.md", sha256: "../..", size: 1 }, code: "invalid", says: /^document\.write: sha256: / },
  { what: "an answer to no question", command: { type: "question.answer", question: "q4", answer: "yes" }, code: "not_found", says: /q4/ },
  { what: "a budget below nothing", command: { type: "budget.set", scope: { of: "agent" }, limit: { usd: -1 } }, code: "invalid", says: /^budget\.set: limit\.usd: / },
  { what: "a trigger with a bad schedule", command: { type: "trigger.create", schedule: { type: "scheduled", cron: "61 * * * *" }, action: { type: "wake_agent", text: "t" } }, code: "invalid", says: /61/ },
  { what: "a message of more than a million characters", command: { type: "message.post", text: "x".repeat(1_000_001) }, code: "invalid", says: /^message\.post: text: .*1000000/ },
  { what: "a command of more than two million characters", command: { type: "agent.pause", reason: { code: "x", message: "y".repeat(2_000_001), next_mover: "z" } }, code: "too_large", says: /^agent\.pause: a command may have 2000000 characters.*reason\.message/ },
  { what: "half a surrogate pair", command: { type: "message.post", text: "a\ud83db" }, code: "invalid", says: /^message\.post: text: .*not valid Unicode/ },
  { what: "half a surrogate pair at the end", command: { type: "message.post", text: "ab\udc00" }, code: "invalid", says: /^message\.post: text: .*not valid Unicode/ },
  { what: "a key with a #", command: { type: "message.post", text: "hi" }, options: { key: "a#b" }, code: "invalid", says: /the key a#b must not contain #/ },
  { what: "an agent that is not there", command: { type: "message.post", text: "hi" }, agent: "nobody", code: "not_found", says: /there is no agent nobody; it must be created first/ },
  { what: "an agent whose name leaves the home", command: { type: "message.post", text: "hi" }, agent: "../a1", code: "path_escapes", says: /"\.\.\/a1" is not an agent/ },
  { what: "an agent in capitals", command: { type: "message.post", text: "hi" }, agent: "A1", code: "invalid", says: /"A1" is not an agent: ids are lower-case/ },
  { what: "an agent called __proto__", command: { type: "message.post", text: "hi" }, agent: "__proto__", code: "invalid", says: /"__proto__" is not an agent/ },
];

describe("a command is refused, and nothing changes:", () => {
  test.for(bad)("$what", async ({ command, code, says, options = {}, agent = "a1" }) => {
    const { house, log } = await open();
    const before = log();
    const problem = await refused(house.runtime.send(agent, command as CommandInput, options));
    expect(problem.code).toBe(code);
    expect(problem.message).toMatch(says);
    expect(log()).toEqual(before);
    expect(readdirSync(join(house.home, "agents"))).toEqual(["a1"]);
  });

  test("a command nested a hundred thousand levels deep", async () => {
    const { house, log } = await open();
    const before = log();
    const extra = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    const command = { type: "message.post", text: "hi", extra } as CommandInput;
    expect((await refused(house.runtime.send("a1", command))).code).toMatch(/^(invalid|too_large)$/);
    expect(log()).toEqual(before);
  });

  test("an agent that is archived takes no command, and says so", async () => {
    const { house, log } = await open();
    await house.runtime.send("a1", { type: "agent.archive" });
    const before = log();
    const problem = await refused(house.runtime.send("a1", { type: "message.post", text: "hi" }));
    expect([problem.code, problem.message]).toEqual(["wrong_state", "a1 is archived and accepts no commands"]);
    expect(log()).toEqual(before);
  });

  test("a stopped runtime takes nothing", async () => {
    const { house } = await open();
    await house.close();
    expect((await refused(house.runtime.send("a1", { type: "agent.pause" }))).code).toBe("closed");
  });
});

describe("a new agent", () => {
  test("whose name is taken in another case gets a name of its own", async () => {
    const { house } = await open();
    expect(await house.runtime.create({ name: "A1", goal: "g", model: "scripted/none" })).toBe("a1-2");
  });

  test("with a name that is a path lives in the home all the same", async () => {
    const { house } = await open();
    expect(await house.runtime.create({ name: "../../../etc/passwd", goal: "g", model: "scripted/none" })).toBe(
      "etc-passwd",
    );
    expect(readdirSync(join(house.home, "agents")).sort()).toEqual(["a1", "etc-passwd"]);
  });

  test("with a mode that is none is refused, and does not become one of the others", async () => {
    const { house } = await open();
    const given = { name: "b1", goal: "g", model: "scripted/none", mode: "endless" };
    const problem = await refused(house.runtime.create(given as never));
    expect([problem.code, problem.message]).toEqual(["invalid", expect.stringContaining("mode")]);
  });

  test("without a goal is refused by the name of the field", async () => {
    const { house } = await open();
    const problem = await refused(house.runtime.create({ name: "b1", goal: "", model: "scripted/none" }));
    expect([problem.code, problem.message]).toEqual(["invalid", expect.stringMatching(/^agent\.create: goal: /)]);
    expect(house.runtime.agents()).toEqual(["a1"]);
  });

  test("that was refused leaves its name free", async () => {
    const { house } = await open();
    await refused(house.runtime.create({ name: "b1", goal: "", model: "scripted/none" }));
    expect(await house.runtime.create({ name: "b1", goal: "g", model: "scripted/none" })).toBe("b1");
  });
});

describe("a key", () => {
  const post = (text: string): CommandInput => ({ type: "message.post", from: "alice", to: "human", text });

  test("used again for the same command gives the first answer, also after a restart", async () => {
    const { house, log, reopen } = await open();
    const first = await house.runtime.send("a1", post("one"), { key: "k" });
    const before = log();
    expect(await house.runtime.send("a1", post("one"), { key: "k" })).toEqual({ ...first, repeated: true });
    const again = await reopen();
    expect(await again.runtime.send("a1", post("one"), { key: "k" })).toEqual({ ...first, repeated: true });
    expect(log()).toEqual(before);
  });

  test("used for another command is refused and names the first, also after a restart", async () => {
    const { house, log, reopen } = await open();
    const { seq } = await house.runtime.send("a1", post("one"), { key: "k" });
    const before = log();
    const again = await reopen();
    const problem = await refused(again.runtime.send("a1", post("two"), { key: "k" }));
    expect([problem.code, problem.message]).toEqual([
      "key_reused",
      `the idempotency key k was used for another command (event ${seq}); use a new key`,
    ]);
    expect(log()).toEqual(before);
  });

  test("of a refused command is still free", async () => {
    const { house } = await open();
    await refused(house.runtime.send("a1", { type: "message.post", to: "Zoe", text: "hi" }, { key: "k" }));
    expect(await house.runtime.send("a1", post("hi"), { key: "k" })).toMatchObject({ repeated: false });
  });
});

describe("a text", () => {
  const texts = {
    "a NUL": "a\0b",
    "line breaks of every kind": "a\nb\r\nc\u2028d\u2029e\u0085f",
    "a byte order mark and zero-width signs": "\ufeffa\u200bb\u202e",
    "what looks like the end of a record": 'a","sum":"00000000"}\n{"seq":1}',
    "emoji with joiners": "👩‍👩‍👧‍👦",
  };

  test.for(Object.entries(texts))("with %s is kept as it is, over a restart", async ([, text]) => {
    const { house, log, reopen } = await open();
    const sent = await house.runtime.send(
      "a1",
      { type: "message.post", from: "alice", to: "human", text },
      { key: "k" },
    );
    const again = await reopen();
    const found = of(readLog(log.path).events, "message.posted").find(({ seq }) => seq === sent.seq);
    expect(found?.data.text).toBe(text);
    expect(await again.runtime.read("a1", ({ channel }) => channel.at(-1)?.text)).toBe(text);
    expect(
      await again.runtime.send("a1", { type: "message.post", from: "alice", to: "human", text }, { key: "k" }),
    ).toMatchObject({
      seq: sent.seq,
      repeated: true,
    });
  });
});

describe("__proto__ in what is given", () => {
  const hostile = (json: string): CommandInput => JSON.parse(json) as CommandInput;

  test("is nothing but an unknown field", async () => {
    const { house } = await open();
    const given =
      '{"type":"message.post","to":"alice","text":"hi","__proto__":{"polluted":1},"constructor":{"prototype":{}}}';
    const { seq } = await house.runtime.send("a1", hostile(given));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(JSON.stringify(house.state("a1")?.channel.at(-1))).not.toContain("polluted");
    expect(seq).toBeGreaterThan(0);
  });

  test.for(["refs", "filter"])("as a name in %s changes no prototype, and comes back the same", async (field) => {
    const { house, log, reopen } = await open();
    const given = {
      refs: '{"type":"node.create","task":"t","refs":{"__proto__":"n1-a","toString":"n1-a"}}',
      filter:
        '{"type":"trigger.create","schedule":{"type":"on_event","pattern":"node.*","filter":{"__proto__":"x","toString":"y"}},"action":{"type":"wake_agent","text":"t"}}',
    }[field]!;
    await house.runtime.send("a1", hostile(given));
    if (field === "refs") await until(() => expect(house.state("a1")?.files.size).toBe(4));
    const before = house.canonical("a1");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    const again = await reopen();
    expect(again.canonical("a1")).toBe(before);
    expect(readLog(log.path).wrong).toEqual([]);
  });
});

describe("a file that a tool writes", () => {
  const escapes = ["../x.md", "a/../../x.md", "/tmp/x.md", "a\0b.md", "a//b.md", "..\\x.md", "link/x.md", "link"];

  test.for(escapes)("to %j does not leave the scratch folder", async (path) => {
    const outside = await tempFolder();
    const { house, log } = await open({
      coordinator: [{ calls: [{ tool: "write_file", input: { path, content: "gotcha" } }] }],
    });
    const scratch = join(house.home, "agents/a1/runs/r1/scratch");
    mkdirSync(scratch, { recursive: true });
    symlinkSync(outside, join(scratch, "link"));
    await house.runtime.send("a1", { type: "message.post", text: "write it" });
    const ended = () => of(readLog(log.path).events, "tool.ended").find(({ data }) => data.tool === "write_file")?.data;
    await until(() => expect(ended()).toBeDefined());
    expect(ended()).toMatchObject({ tool: "write_file", outcome: "error" });
    expect(ended()?.result).toMatch(/use a relative path such as|contains a link/);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync("/tmp/x.md")).toBe(false);
    expect(readdirSync(scratch)).toEqual(["link"]);
  });
});

interface Opened {
  house: House & { home: string; canonical(agent: string): string };
  /** The bytes of the log. */
  log: { (): string; path: string };
  reopen(): Promise<Opened["house"]>;
}

/** A home with the agent a1, in which nobody has anything to do; the coordinator follows the script from its second turn on. */
async function open(script: ScriptInput["participants"] = {}): Promise<Opened> {
  const home = await tempFolder();
  const first = { say: "I listen.", calls: [] };
  const setUp = [
    { tool: "spawn_worker", input: { name: "Alice" } },
    { tool: "create_work_node", input: { name: "a", task: "think", worker: "alice" } },
    { tool: "wait_for_nodes", input: {} },
  ];
  const alice = [{ calls: [{ tool: "ask_human", input: { question: "Which way?" } }] }];
  const participants = { alice, ...script, coordinator: [{ calls: setUp }, ...(script.coordinator ?? [first])] };
  const backend = createScripted({ participants }, machine.clock);
  let held: Opened["house"] | undefined;

  async function start(): Promise<Opened["house"]> {
    await held?.close();
    const house = await openHouse({ home, backend });
    held = Object.assign(house, { home, canonical: (agent: string) => canonical(house.state(agent)!) });
    return held;
  }
  onTestFinished(async () => await held?.close());

  const house = await start();
  await house.runtime.create({ name: "a1", goal: "be here", model: "scripted/none" });
  await until(() => {
    expect(house.state("a1")?.nodes.get("n1-a")?.status).toBe("waiting");
    expect(house.runtime.opened("a1")?.running()).toEqual(new Set());
  });
  await house.runtime.opened("a1")?.live.durable();
  await until(() => expect(house.state("a1")?.files.size).toBe(3));
  await house.runtime.opened("a1")?.live.durable();
  const path = join(home, "agents/a1/events.jsonl");
  return { house, log: Object.assign(() => readFileSync(path, "utf8"), { path }), reopen: start };
}

async function refused(sent: Promise<unknown>): Promise<Problem> {
  const problem = await sent.then(
    (given) => new Error(`it was accepted: ${JSON.stringify(given)}`),
    (error) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  return problem;
}

async function tempFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "agiraph-input-"));
  // Again if need be: what was under way when the runtime was stopped may still write.
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}
