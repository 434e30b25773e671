/** A participant that an agent CLI drives: what becomes of each thing that a program can do in its turn. The program itself is played. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { BackendError } from "../../backend/backend.ts";
import { acpCli } from "../../driver/clis/acp.ts";
import {
  type Activity,
  type Cli,
  kindOf,
  type LaunchOptions,
  type Reason,
  type Session,
  type Verdict,
} from "../../driver/driver.ts";
import type { Files } from "../../lib/world.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { start } from "../runtime.test-help.ts";
import type { Installed, ProgramHost } from "./host.ts";

interface Stage {
  prompt: string;
  launch: LaunchOptions;
  /** Which prompt it is, of all. */
  nth: number;
  /** Resolves when it is interrupted. */
  interrupted: Promise<void>;
  /** Resolves with what it was told meanwhile. */
  told: Promise<string>;
  permitted(id: string): Promise<Verdict>;
}
type Scene = (stage: Stage) => AsyncGenerator<Activity>;

/** Where it is not allowed, no program is started. */
const bash = defineTool({
  name: "bash",
  about: "",
  guidance: "",
  effect: "outside",
  repeatable: false,
  input: z.object({}),
  run: async () => "",
});
/** Lasts until it is stopped. */
const slow = defineTool({
  name: "slow",
  about: "",
  guidance: "",
  effect: "outside",
  repeatable: false,
  input: z.object({}),
  run: (_input, { signal }) =>
    new Promise<string>((resolve) => {
      signal.addEventListener("abort", () => resolve("stopped"));
    }),
});
const used = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
const counted = { ...used, usd: 1 };
const conversation = (id = "s1"): Activity => ({ type: "conversation", id });
const done = (text: string): Activity => ({ type: "end", how: "done", text });
const aborted: Activity = { type: "end", how: "aborted" };
const failed = (reason: Reason): Activity => ({
  type: "end",
  how: "failed",
  reason,
  kind: kindOf(reason),
  why: `it is ${reason}`,
  output: "last words",
});

function played(
  scene: Scene,
  policy: PolicyRule[] = [],
  sandbox: Installed["sandbox"] | null = { programs: [], ports: [], hosts: [] },
  files?: (files: Files) => Files,
  { script, ...more }: Pick<Parameters<typeof start>[0] & object, "script"> & Partial<Cli> = {},
) {
  const prompts: Stage[] = [];
  let closed = 0;
  const open: Cli["open"] = (_running, { launch }): Session => {
    const verdicts = new Map<string, (verdict: Verdict) => void>();
    let interrupt: () => void = () => undefined;
    let tell: (text: string) => void = () => undefined;
    return {
      prompt(prompt) {
        const interrupted = new Promise<void>((resolve) => {
          interrupt = resolve;
        });
        const told = new Promise<string>((resolve) => {
          tell = resolve;
        });
        const permitted = (id: string) => new Promise<Verdict>((resolve) => verdicts.set(id, resolve));
        const stage = { prompt, launch, nth: prompts.length + 1, interrupted, told, permitted };
        prompts.push(stage);
        return scene(stage);
      },
      say(text) {
        tell(text);
        return true;
      },
      permit: (id, verdict) => verdicts.get(id)?.(verdict),
      interrupt: () => interrupt(),
      async close() {
        closed++;
      },
    };
  };
  const cli: Cli = {
    ...acpCli({
      name: "codex",
      title: "Codex",
      binary: "codex",
      launch: () => ({ command: ["/bin/codex"], env: {}, files: [] }),
    }),
    hears: "now",
    open,
    ...more,
  };
  const programs: ProgramHost = {
    prepare: async () => ({
      cli,
      launch: { file: "/bin/codex", path: "/bin", mcp: { name: "agiraph", url: "", secret: "s" } },
      ...(sandbox && { sandbox }),
    }),
  };
  const world = start({
    programs,
    policy,
    tools: [bash, slow],
    allowed: { codex: "codex/m" },
    ...(files && { files }),
    ...(script && { script }),
  });
  world.sim.disk.put("/bin/codex", "");
  return {
    ...world,
    prompts,
    closed: () => closed,
    async begin(given: { budget?: { usd: number } } = {}) {
      await world.begin();
      await world.create({ model: script ? "scripted/test" : "codex/m", ...given });
    },
    async of(type: string) {
      return (await world.events()).filter((event) => event.type === type);
    },
  };
}

test("what it says and does is in the log, and its last words are its answer", async () => {
  const { begin, pass, of, prompts, closed, state } = played(async function* () {
    yield conversation();
    yield { type: "text", text: "I look." };
    yield { type: "tool", id: "t1", name: "shell", input: { command: "ls" } };
    yield { type: "result", id: "t1", outcome: "ok", text: "made.txt", files: ["made.txt"] };
    yield { type: "tool", id: "t2", name: "mcp__agiraph__send_message", input: {} };
    yield { type: "result", id: "t2", outcome: "ok", text: "sent", files: [] };
    yield { type: "tool", id: "t3", name: "shell", input: {} };
    yield done("All done.");
  });
  await begin();
  await pass();
  expect(prompts[0]).toMatchObject({
    prompt: expect.stringContaining("test the runtime"),
    launch: { system: expect.stringContaining("MCP server `agiraph`"), workspace: "/home/agents/a1/runs/r1/scratch" },
  });
  expect(await of("program.reported")).toMatchObject([{ data: { kind: "text", text: "I look." } }]);
  expect(await of("tool.called")).toMatchObject([
    { data: { call: "act1", tool: "shell", input: { command: "ls" }, reported: true } },
    { data: { call: "act2", tool: "shell" } },
  ]);
  expect(await of("tool.ended")).toMatchObject([
    { data: { call: "act1", outcome: "ok", result: "made.txt\n[files: made.txt]" } },
    { data: { call: "act2", outcome: "error", result: "It had not ended when the turn did." } },
  ]);
  expect(await of("turn.answered")).toMatchObject([{ data: { text: "All done.", calls: [] } }]);
  expect([closed(), state().participants.get("coordinator")]).toMatchObject([
    1,
    { session: { driver: "codex/m", id: "s1" } },
  ]);
});

test("its workspace is saved after each of its own calls that may have changed it, and at the end of its turn", async () => {
  const world = played(async function* ({ launch }) {
    yield conversation();
    const put = (name: string) => world.sim.disk.put(`${launch.workspace}/${name}`, name);
    const call = async function* (id: string, name: string): AsyncGenerator<Activity> {
      yield { type: "tool", id, name, input: {} };
      yield { type: "result", id, outcome: "ok", text: "", files: [] };
      await new Promise<void>((resolve) => world.sim.time.after(5_000, resolve));
    };
    put("by-shell");
    yield* call("t1", "shell");
    put("beside-reading");
    yield* call("t2", "read_file");
    put("by-edit");
    yield* call("t3", "apply_patch");
    put("without-a-word");
    yield done("All done.");
  });
  await world.begin();
  await world.pass();
  expect((await world.of("tool.ended")).map(({ data }) => "touched" in data)).toEqual([true, false, true]);
  expect(await world.of("workspace.kept")).toMatchObject([
    { data: { workspace: "r1", files: 1 } },
    { data: { files: 3 } },
    { data: { files: 4 } },
  ]);
});

describe("what it still does when its turn is already over is saved", () => {
  const dying = () => {
    const world = played(async function* ({ launch, interrupted }) {
      yield conversation();
      world.sim.disk.put(`${launch.workspace}/early`, "early");
      yield { type: "tool", id: "t1", name: "shell", input: {} };
      await interrupted;
      await new Promise<void>((resolve) => world.sim.time.after(1_000, resolve));
      world.sim.disk.put(`${launch.workspace}/late`, "late");
      await new Promise<void>((resolve) => world.sim.time.after(1_000, resolve));
      yield aborted;
    });
    return world;
  };
  const finish = { type: "run.finish", summary: "enough" } as const;

  test("once it has ended", async () => {
    const { begin, until, send, pass, prompts, of } = dying();
    await begin();
    await until(() => prompts.length === 1);
    await send("a1", finish, { actor: "human" });
    await pass();
    expect((await of("workspace.kept")).at(-1)).toMatchObject({ data: { workspace: "r1", files: 2 } });
  });

  test("also if our process ended before it", async () => {
    const { begin, until, send, pass, sim, restart, prompts, of } = dying();
    await begin();
    await until(() => prompts.length === 1);
    await send("a1", finish, { actor: "human" });
    await pass(1_500);
    expect(sim.disk.peek("/home/agents/a1/runs/r1/scratch/late")).not.toBeNull();
    await restart("kill");
    await pass();
    expect((await of("workspace.kept")).at(-1)).toMatchObject({ data: { workspace: "r1", files: 2 } });
  });
});

test("its next turn resumes its conversation, and is told only what is new", async () => {
  const { begin, pass, send, prompts } = played(async function* () {
    yield conversation();
    yield done("yes");
  });
  await begin();
  await pass();
  await send("a1", { type: "message.post", text: "and now this" }, { actor: "human" });
  await pass();
  expect(prompts.map(({ launch }) => launch.resume)).toEqual([undefined, "s1"]);
  expect(prompts[1]!.prompt).toContain("and now this");
  expect(prompts[1]!.prompt).not.toContain("test the runtime");
});

test("a conversation that is lost is begun anew, with everything", async () => {
  const { begin, pass, send, prompts, of } = played(async function* ({ launch, nth }) {
    if (launch.resume) return void (yield failed("conversation"));
    yield conversation(`s${nth}`);
    yield done("yes");
  });
  await begin();
  await pass();
  await send("a1", { type: "message.post", text: "and now this" }, { actor: "human" });
  await pass();
  expect(prompts.map(({ launch }) => launch.resume)).toEqual([undefined, "s1", undefined]);
  expect(prompts[2]!.prompt).toMatch(/test the runtime[\s\S]*Earlier you said:\nyes[\s\S]*and now this/);
  expect((await of("program.reported")).at(-1)).toMatchObject({
    data: { kind: "notice", text: expect.stringContaining("its conversation is lost") },
  });
});

describe("a worker that goes to its next node", () => {
  const node = (name: string) => ({ tool: "create_work_node", input: { name, task: `Make ${name}.`, worker: "Ann" } });
  const script = {
    coordinator: [
      { calls: [{ tool: "spawn_worker", input: { name: "Ann", agent_command: "codex" } }, node("a"), node("b")] },
    ],
  };
  async function two(more: Partial<Cli>) {
    const world = played(
      async function* ({ nth }) {
        yield conversation(`s${nth}`);
        const bearer = { agent: "a1", run: "r1", participant: "ann" };
        await world.runtime().ownCall(bearer, { tool: "publish", input: { summary: `made ${nth}` } });
        yield done("Published.");
      },
      [],
      undefined,
      undefined,
      { script, ...more },
    );
    await world.begin();
    await world.pass();
    expect(await world.of("node.completed")).toHaveLength(2);
    return world.prompts;
  }

  test("keeps its conversation, in the new folder", async () => {
    const [first, second] = await two({ staysPut: undefined as never });
    expect(second!.launch).toMatchObject({ resume: "s1", workspace: expect.stringContaining("n2-b/scratch") });
    expect(second!.prompt).toContain("Make b.");
    expect(second!.prompt).not.toContain("Earlier you");
    expect(second!.launch.home).toBe(first!.launch.home);
  });

  test("begins a new one if its conversations belong to a folder, and is told what it did", async () => {
    const [, second] = await two({ staysPut: true });
    expect(second!.launch.resume).toBeUndefined();
    expect(second!.prompt).toMatch(/Make a\.[\s\S]*Your work on n1-a is completed: made 1[\s\S]*Make b\./);
  });
});

test("after a crash the same turn goes on with its conversation", async () => {
  const { begin, until, restart, pass, prompts, of } = played(async function* ({ nth }) {
    yield conversation();
    yield { type: "tool", id: "t1", name: "shell", input: {} };
    if (nth === 1) await new Promise(() => undefined);
    yield { type: "result", id: "t1", outcome: "ok", text: "", files: [] };
    yield done("yes");
  });
  await begin();
  await until(() => prompts.length === 1);
  await pass(10_000);
  await restart("kill");
  await pass();
  expect(prompts.map(({ launch }) => launch.resume)).toEqual([undefined, "s1"]);
  expect(prompts[1]!.prompt).toMatch(/^You were interrupted/);
  expect(await of("turn.started")).toHaveLength(1);
  expect(await of("turn.resumed")).toHaveLength(1);
  expect(await of("turn.answered")).toHaveLength(1);
});

test("what it called before a crash, and calls again because it saw no result, is done once", async () => {
  const bearer = { agent: "a1", run: "r1", participant: "coordinator" };
  const results: unknown[] = [];
  const world = played(async function* ({ nth }) {
    yield conversation();
    for (const call of [
      { tool: "memory_write", input: { path: "a.md", content: "a" } },
      { tool: "ask_human", input: { question: "Which colour?" } },
    ])
      results.push(await world.runtime().ownCall(bearer, call));
    if (nth === 1) {
      void world.runtime().ownCall(bearer, { tool: "slow", input: {} });
      await new Promise(() => undefined);
    }
    results.push(await world.runtime().ownCall(bearer, { tool: "slow", input: {} }));
    yield done("yes");
  });
  await world.begin();
  await world.until(() => results.length === 2);
  await world.pass(1_000);
  await world.restart("kill");
  await world.pass();
  expect(await world.of("question.asked")).toHaveLength(1);
  expect(results.map((result) => (result as { text: string }).text)).toEqual([
    expect.anything(),
    expect.stringContaining("Asked as q1."),
    expect.anything(),
    expect.stringContaining("Asked as q1."),
    expect.stringMatching(/^You made this very call before you were interrupted/),
  ]);
});

describe("how it fails says what follows", () => {
  test.each([
    ["overload", "turn.retried", { error: expect.stringContaining("it is overload; its last output: last words") }],
    ["login", "agent.paused", { reason: { code: "provider", next_mover: "human" } }],
    [
      "flood",
      "agent.paused",
      { reason: { code: "backend", message: expect.stringContaining("it is flood; its last output: last words") } },
    ],
  ] as const)("%s: %s", async (reason, type, data) => {
    const { begin, pass, of } = played(async function* () {
      yield failed(reason);
    });
    await begin();
    await pass(60_000);
    const [first] = await of(type);
    expect(first?.data).toMatchObject(data);
  });

  test("one that cannot be prepared", async () => {
    const world = start({
      programs: {
        prepare: () => Promise.reject(new BackendError("provider", "Codex is not logged in: run `codex login`")),
      },
      tools: [bash, slow],
    });
    await world.begin();
    await world.create({ model: "codex/m" });
    await world.pass();
    expect(world.state().agent).toMatchObject({
      status: "paused",
      reason: { code: "provider", message: expect.stringContaining("codex login") },
    });
  });
});

test("usage that it reports is charged as it comes, and ends its turn when a budget is exceeded", async () => {
  const { begin, pass, state } = played(async function* ({ interrupted }) {
    yield conversation();
    yield { type: "usage", ...used, usd: 0.3, counted };
    yield { type: "usage", ...used, usd: 0.3, counted };
    await interrupted;
    yield aborted;
  });
  await begin({ budget: { usd: 0.5 } });
  await pass();
  expect(state().agent).toMatchObject({ status: "paused", reason: { code: "budget" } });
  expect(state().accounts.get("agent")?.spent).toMatchObject({ usd: 0.6, tokens: 30 });
  expect(state().usage.get("codex/m")).toMatchObject({ calls: 2, input: 20, output: 10 });
});

test("a message reaches it while it works, and is handled with that turn", async () => {
  const { begin, until, send, pass, state, prompts } = played(async function* ({ told }) {
    yield conversation();
    const word = await told;
    yield { type: "heard" };
    yield done(word.includes("hurry") ? "I hurry." : "?");
  });
  await begin();
  await until(() => prompts.length === 1);
  await send("a1", { type: "message.post", text: "hurry" }, { actor: "human" });
  await pass();
  const one = state().participants.get("coordinator")!;
  expect([prompts.length, one.unread]).toEqual([1, []]);
});

test("a message that it was told before it died is told again with its turn, also in a new conversation", async () => {
  const { begin, until, send, pass, state, prompts } = played(async function* ({ launch, nth, told }) {
    if (launch.resume) return void (yield failed("conversation"));
    yield conversation(`s${nth}`);
    if (nth > 1) return void (yield done("I hurry."));
    await told;
    yield { type: "heard" };
    yield failed("killed");
  });
  await begin();
  await until(() => prompts.length === 1);
  await send("a1", { type: "message.post", text: "no hurry", priority: "background" }, { actor: "human" });
  await pass(100);
  await send("a1", { type: "message.post", text: "hurry" }, { actor: "human" });
  await pass(60_000);
  const [, resumed, anew] = prompts.map(({ prompt }) => prompt);
  expect(resumed).toMatch(/^You were interrupted[\s\S]*test the runtime[\s\S]*no hurry[\s\S]*hurry/);
  expect(anew).toMatch(/test the runtime[\s\S]*no hurry[\s\S]*hurry/);
  expect([prompts.length, state().participants.get("coordinator")!.unread]).toEqual([3, []]);
});

test("a message that it did not read before it handed its work over stays unread, and begins its next turn", async () => {
  const { begin, until, send, pass, prompts, of, runtime } = played(async function* ({ nth, told, interrupted }) {
    yield conversation();
    if (nth > 1) return void (yield done("yes"));
    await told;
    void runtime().ownCall(
      { agent: "a1", run: "r1", participant: "coordinator" },
      { tool: "finish", input: { summary: "s" } },
    );
    await interrupted;
    yield aborted;
  });
  await begin();
  await until(() => prompts.length === 1);
  await send("a1", { type: "message.post", text: "one more thing" }, { actor: "human" });
  await pass();
  expect(await of("program.told")).toEqual([]);
  await send("a1", { type: "message.post", text: "are you there?" }, { actor: "human" });
  await pass();
  expect(prompts[1]!.prompt).toMatch(/one more thing[\s\S]*are you there/);
});

test("nothing is told once its run is over: it is told in the next turn", async () => {
  const { begin, until, send, pass, prompts, of } = played(async function* ({ nth, interrupted }) {
    yield conversation();
    if (nth === 1) await interrupted;
    yield nth === 1 ? aborted : done("yes");
  });
  await begin();
  await until(() => prompts.length === 1);
  await send("a1", { type: "run.finish", summary: "enough" }, { actor: "human" });
  await send("a1", { type: "message.post", text: "one more thing" }, { actor: "human" });
  await pass();
  expect([prompts.length, await of("program.told")]).toEqual([2, []]);
  expect(prompts[1]!.prompt).toContain("one more thing");
});

test("a disk that fails while it is prepared is not a fault of ours: the turn is tried again", async () => {
  let failures = 2;
  const { begin, pass, of } = played(
    async function* () {
      yield conversation();
      yield done("yes");
    },
    [],
    undefined,
    (files) => ({
      ...files,
      async makeDir(path) {
        if (path.includes("/programs/") && failures-- > 0)
          throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "mkdir" });
        await files.makeDir(path);
      },
    }),
  );
  await begin();
  await pass(60_000);
  const why = expect.stringContaining("the disk is full: free some space");
  expect(await of("turn.retried")).toMatchObject([{ data: { error: why } }, { data: { error: why } }]);
  expect(await of("turn.answered")).toHaveLength(1);
});

test("its question is answered with a number at once, and the answer wakes it in its conversation", async () => {
  let ticket: unknown;
  const world = played(async function* ({ nth }) {
    yield conversation();
    const bearer = { agent: "a1", run: "r1", participant: "coordinator" };
    if (nth === 1)
      ticket = await world.runtime().ownCall(bearer, { tool: "ask_human", input: { question: "Which colour?" } });
    yield done(nth === 1 ? "I wait." : "Blue it is.");
  });
  await world.begin();
  await world.pass();
  expect([world.prompts.length, world.state().agent?.status, ticket]).toMatchObject([
    1,
    "active",
    { text: expect.stringContaining("Asked as q1.") },
  ]);
  await world.send("a1", { type: "question.answer", question: "q1", answer: "Blue." }, { actor: "human" });
  await world.pass();
  expect(world.prompts[1]).toMatchObject({ launch: { resume: "s1" }, prompt: expect.stringContaining("Blue.") });
});

test("a tool that it called and no longer waits for ends with its turn, although its loop goes on", async () => {
  const ended: unknown[] = [];
  const world = played(async function* ({ nth, told }) {
    yield conversation();
    const bearer = { agent: "a1", run: "r1", participant: "coordinator" };
    if (nth === 1) {
      void world
        .runtime()
        .ownCall(bearer, { tool: "slow", input: {} })
        .then((end) => ended.push(end));
      await told;
      expect(ended).toEqual([]);
    } else expect(ended).toMatchObject([{ outcome: "unknown" }]);
    yield done(`That was ${nth}.`);
  });
  await world.begin();
  await world.until(() => world.prompts.length === 1);
  await world.send("a1", { type: "message.post", text: "and then?" }, { actor: "human" });
  await world.pass();
  expect((await world.of("turn.answered")).map(({ data }) => "text" in data && data.text)).toEqual([
    "That was 1.",
    "That was 2.",
  ]);
});

test("what it asks permission for is judged by the policy, and put to the human", async () => {
  const verdicts: Verdict[] = [];
  const { begin, until, send, pass, state } = played(
    async function* ({ permitted }) {
      yield conversation();
      for (const [id, name] of [
        ["p1", "shell"],
        ["p2", "apply_patch"],
        ["p3", "web_fetch"],
      ] as const) {
        const verdict = permitted(id);
        yield { type: "permission", id, name, input: { of: name }, about: "" };
        verdicts.push(await verdict);
      }
      yield done("yes");
    },
    [
      { do: "ask", tool: "bash" },
      { do: "deny", tool: "web_fetch", why: "it is private" },
    ],
  );
  await begin();
  await until(() => state().questions.size === 1);
  expect([...state().questions.values()][0]).toMatchObject({
    text: expect.stringMatching(/^May Coordinator use shell\?/),
    approves: { tool: "bash" },
  });
  await send("a1", { type: "question.answer", answer: "no, not that" }, { actor: "human" });
  await pass();
  expect(verdicts).toEqual([
    { allow: false, why: "the human said deny: not that" },
    { allow: true },
    { allow: false, why: "it is private" },
  ]);
});

test("without a sandbox whatever it asks for is judged as a command is", async () => {
  const { begin, until, state } = played(
    async function* ({ permitted }) {
      yield conversation();
      const verdict = permitted("p1");
      yield { type: "permission", id: "p1", name: "apply_patch", input: {}, about: "" };
      yield done((await verdict).allow ? "yes" : "no");
    },
    [{ do: "ask", tool: "bash" }],
    null,
  );
  await begin();
  await until(() => state().questions.size === 1);
});

test("a stop ends it, and nothing of it counts", async () => {
  const { begin, until, send, pass, prompts, closed, of } = played(async function* ({ interrupted }) {
    yield conversation();
    await interrupted;
    yield aborted;
  });
  await begin();
  await until(() => prompts.length === 1);
  await send("a1", { type: "agent.stop" }, { actor: "human" });
  await pass();
  expect([closed(), await of("turn.answered")]).toEqual([1, []]);
});
