/** A participant that an agent CLI drives: what becomes of each thing that a program can do in its turn. The program itself is played. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { BackendError } from "../../backend/backend.ts";
import { acpCli } from "../../driver/acp.ts";
import {
  type Activity,
  type Cli,
  kindOf,
  type LaunchOptions,
  type Reason,
  type Session,
  type Verdict,
} from "../../driver/driver.ts";
import type { PolicyRule } from "../../schema/config.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { start } from "../runtime.test-help.ts";
import type { ProgramHost } from "./host.ts";

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

function played(scene: Scene, policy: PolicyRule[] = []) {
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
  };
  const programs: ProgramHost = {
    prepare: async () => ({
      cli,
      launch: { file: "/bin/codex", path: "/bin", mcp: { name: "agiraph", url: "", secret: "s" } },
    }),
  };
  const world = start({ programs, policy, tools: [bash] });
  world.sim.disk.put("/bin/codex", "");
  return {
    ...world,
    prompts,
    closed: () => closed,
    async begin(given: { budget?: { usd: number } } = {}) {
      await world.begin();
      await world.create({ model: "codex/m", ...given });
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
      tools: [bash],
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
    yield done((await told).includes("hurry") ? "I hurry." : "?");
  });
  await begin();
  await until(() => prompts.length === 1);
  await send("a1", { type: "message.post", text: "hurry" }, { actor: "human" });
  await pass();
  const one = state().participants.get("coordinator")!;
  expect([prompts.length, one.unread]).toEqual([1, []]);
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
