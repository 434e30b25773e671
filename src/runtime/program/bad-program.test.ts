/**
 * What becomes of a team when the program of a worker misbehaves: each way ends in a named state with a next mover, and its last output is kept. The
 * program is played where its process would be, so the real driver and the real runtime see it; time is virtual.
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { BackendError } from "../../backend/backend.ts";
import { claudeCode } from "../../driver/clis/claude-code.ts";
import type { Cli } from "../../driver/driver.ts";
import { type Process, playProcess } from "../../driver/running.test-help.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { start } from "../runtime.test-help.ts";

type World = ReturnType<typeof start>;
/** What it does when it is prompted; `nth` counts its starts. */
type Act = (process: Process, nth: number, world: World) => void;

const bash = defineTool({
  name: "bash",
  about: "",
  guidance: "",
  effect: "outside",
  repeatable: false,
  input: z.object({}),
  run: async () => "",
});
const init = { type: "system", subtype: "init", session_id: "s1", mcp_servers: [] };
const result = { type: "result", subtype: "success", is_error: false, result: "Done.", session_id: "s1" };
const said = (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } });
const scratch = "/home/agents/a1/runs/r1/nodes/n1-a/scratch";

const coordinator = [
  {
    calls: [
      { tool: "spawn_worker", input: { name: "Ann", role: "codes", agent_command: "claude" } },
      { tool: "create_work_node", input: { name: "a", task: "Make a.", worker: "Ann" } },
      { tool: "wait_for_nodes" },
    ],
  },
  { calls: [{ tool: "finish", input: { summary: "as far as it went" } }] },
];

/** A team whose worker is such a program; `lead`: its coordinator is one. */
async function team(act: Act, { lead = false, unprepared = undefined as BackendError | undefined } = {}) {
  let starts = 0;
  const cli: Cli = {
    ...claudeCode,
    launch: () => ({ command: ["/bin/claude"], env: {}, files: [] }),
    open(_, options) {
      const nth = ++starts;
      const process = playProcess((message: { type: string }) => {
        if (message.type === "user") act(process, nth, world);
      });
      const stop = () => {
        options.stop();
        process.exit({ code: null, signal: "SIGTERM" });
      };
      return claudeCode.open(process.running, { ...options, stop });
    },
  };
  const world = start({
    script: { coordinator },
    programs: {
      async prepare() {
        if (unprepared) throw unprepared;
        return {
          cli,
          launch: { file: "/bin/claude", path: "/bin", mcp: { name: "agiraph", url: "u", secret: "s" } },
          sandbox: { programs: [], ports: [], hosts: [] },
        };
      },
    },
    allowed: { claude: "claude-code/m" },
    tools: [bash],
  });
  world.sim.disk.put("/bin/claude", "");
  await world.begin();
  await world.create({ model: lead ? "claude-code/m" : "scripted/test" });
  await world.pass(7_200_000);
  const of = async (type: string) => (await world.events()).filter((event) => event.type === type);
  const notes = async () =>
    String(await world.settled(world.files().read("/home/agents/a1/runs/r1/nodes/n1-a/failure_notes.md")));
  return { ...world, of, notes, starts: () => starts };
}

const bad: [what: string, act: Act, why: RegExp, starts: number][] = [
  [
    "is of a version that does not know how it is started",
    ({ exit }) => exit({ code: 1, output: "error: unknown option '--input-format'" }),
    /does not know how we start it.*unknown option/s,
    1,
  ],
  [
    "is killed, each time",
    ({ say, exit }) => {
      say(said("I begin."));
      exit({ code: null, signal: "SIGKILL" });
    },
    /was killed \(SIGKILL\).*I begin\./s,
    7,
  ],
  [
    "is ended for its memory, each time",
    ({ exit }) => exit({ code: null, signal: "SIGKILL", ended: "more than 4 GB of memory" }),
    /more than 4 GB of memory/,
    7,
  ],
  [
    "prints half a line, each time",
    ({ say, exit }) => {
      say(init, '{"type":"assis');
      exit({ code: 0 });
    },
    /without a result.*\{"type":"assis/s,
    7,
  ],
  [
    "exits with 0 and no result, each time",
    ({ say, exit }) => {
      say("All good!\n");
      exit({ code: 0 });
    },
    /exit code 0\) without a result.*All good!/s,
    7,
  ],
  [
    "floods with what is no message",
    ({ say }) => say("noise of a program\n".repeat(300_000)),
    /wrote more than can be read.*noise of a program/s,
    1,
  ],
  [
    "reports its tools without end",
    ({ repeat }) => {
      const content = [{ type: "tool_use", id: "t", name: "Bash", input: { command: "x".repeat(30_000) } }];
      const results = [{ type: "tool_result", tool_use_id: "t", content: "y".repeat(30_000) }];
      repeat(30_000, { type: "assistant", message: { content } }, { type: "user", message: { content: results } });
    },
    /reported more than can be recorded/,
    1,
  ],
  [
    "cannot use our MCP, each time",
    ({ say }) => say({ ...init, mcp_servers: [{ name: "agiraph", status: "failed" }] }),
    /cannot use the MCP server at u \(failed\)/,
    7,
  ],
  [
    "loses its workspace",
    ({ say }, _nth, world) => {
      void world
        .files()
        .remove(scratch)
        .then(() => say(said("Where am I?"), result));
    },
    /the workspace .*scratch is not there any more.*Where am I\?/s,
    1,
  ],
];

test("a gigabyte of words leaves neither the log nor our memory larger", async () => {
  let before = 0;
  const text = "x".repeat(10_000);
  const words = { type: "stream_event", event: { type: "content_block_delta", delta: { type: "text_delta", text } } };
  const world = await team(({ repeat }) => {
    before = process.memoryUsage().rss;
    repeat(100_000, words);
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  const [failed] = await world.of("node.failed");
  expect(failed?.data).toMatchObject({
    reason: {
      code: "backend",
      next_mover: "coordinator",
      message: expect.stringContaining("wrote more than can be read"),
    },
  });
  expect(JSON.stringify(await world.events()).length).toBeLessThan(200_000);
});

describe("a worker whose program", () => {
  test.each(bad)("%s fails its node with the reason, and the coordinator goes on", async (_, act, why, starts) => {
    const world = await team(act);
    const [failed] = await world.of("node.failed");
    expect(failed?.data).toMatchObject({
      node: "n1-a",
      reason: { code: "backend", next_mover: "coordinator", message: expect.stringMatching(why) },
    });
    expect(world.starts()).toBe(starts);
    expect(await world.notes()).toMatch(why);
    expect(world.state().agent?.status).toBe("completed");
  });

  test("is not installed fails its node, and nothing is started", async () => {
    const missing = new BackendError("permanent", "Claude Code cannot be used: claude is not on the PATH");
    const world = await team(() => undefined, { unprepared: missing });
    const [failed] = await world.of("node.failed");
    expect(failed?.data).toMatchObject({
      reason: { code: "backend", next_mover: "coordinator", message: missing.message },
    });
    expect([world.starts(), world.state().agent?.status]).toEqual([0, "completed"]);
  });

  test.each([
    ["before it is started", undefined, new BackendError("provider", "Claude Code is not logged in: run `claude`")],
    [
      "while it works",
      ({ say }: Process) =>
        say(said("I begin."), { ...result, is_error: true, result: "Not logged in · Please run /login" }),
      undefined,
    ],
  ])("is not logged in, %s, pauses the agent, and its human is told what to do", async (_, act, unprepared) => {
    const world = await team(act ?? (() => undefined), { unprepared });
    expect(world.state().agent).toMatchObject({
      status: "paused",
      reason: {
        code: "provider",
        next_mover: "human",
        message: expect.stringMatching(/not logged in.*run `claude`/is),
      },
    });
    expect(world.state().nodes.get("n1-a")?.status).toBe("running");
  });

  test("hangs in silence is ended with the time of its node, and what it said is kept", async () => {
    const world = await team(({ say }) => say(init, said("I think about it.")));
    const [failed] = await world.of("node.failed");
    expect(failed?.data).toMatchObject({ reason: { code: "limit.time", next_mover: "coordinator" } });
    expect(await world.notes()).toContain("I think about it.");
    expect(world.state().agent?.status).toBe("completed");
  });

  test("exits with 1 after its result has succeeded", async () => {
    const world = await team(({ say, exit }, _nth, { runtime }) => {
      const bearer = { agent: "a1", run: "r1", participant: "ann" };
      void runtime()
        .ownCall(bearer, { tool: "publish", input: { summary: "it is made" } })
        .then(() => {
          say(init, said("Published."), result);
          exit({ code: 1, output: "oh" });
        });
    });
    expect(await world.of("node.failed")).toEqual([]);
    expect(world.state().nodes.get("n1-a")?.status).toBe("completed");
    expect(world.starts()).toBe(1);
  });

  test("is killed once goes on with its conversation", async () => {
    const world = await team(({ say, exit }, nth, { runtime }) => {
      say(init);
      if (nth === 1) return void exit({ code: null, signal: "SIGKILL" });
      const bearer = { agent: "a1", run: "r1", participant: "ann" };
      void runtime().ownCall(bearer, { tool: "publish", input: { summary: "it is made" } });
    });
    expect(world.state().nodes.get("n1-a")?.status).toBe("completed");
    expect([world.starts(), (await world.of("turn.retried")).length]).toEqual([2, 1]);
  });
});

test("a coordinator whose program hangs in silence is started again, and in the end its human is asked", async () => {
  const world = await team(({ say }) => say(init, said("I think about it.")), { lead: true });
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: {
      code: "backend",
      next_mover: "human",
      message: expect.stringMatching(/said nothing for too long.*I think about it\./s),
    },
  });
  expect(world.starts()).toBe(7);
});
