/**
 * Programs that misbehave, as real processes in our sandbox, each on a team of one home: the wrong version, not there, not logged in, killed from
 * outside, killed by the kernel for its memory, a gigabyte of output, a workspace that disappears. How each way goes on is in src/runtime/program/bad-program.test.ts, in virtual time.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createScripted } from "../../src/backend/scripted.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { type House, openHouse } from "../../src/main/house/house.ts";
import type { Event } from "../../src/schema/event.ts";
import { events as eventsIn, of } from "../scenarios/log.ts";
import { until } from "../until.ts";
import { openMemoryLimit } from "./memory-limit.ts";

const noSandbox = await machine.processes.sandbox(true);
/** Not in /tmp: a sandbox has one of its own. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();

/** Speaks as Claude Code does, and does what its task says. */
const claude = `#!/usr/bin/python3
import json, os, sys, time
if "--version" in sys.argv:
    print("2.1.197 (Claude Code)")
    sys.exit()
def say(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "user": continue
    task = message["message"]["content"]
    say(type="system", subtype="init", session_id="s1", mcp_servers=[])
    say(type="assistant", message={"content": [{"type": "text", "text": "I begin."}]})
    again = os.path.exists(os.path.expanduser("~/again"))
    open(os.path.expanduser("~/again"), "w").close()
    if "PLAY:flood" in task:
        for n in range(1024): sys.stdout.write("noise of a program\\n" * 55189)
    if "PLAY:killed" in task and not again:
        os.kill(os.getpid(), 9)
    if ("PLAY:claude" in task or "PLAY:bwrap" in task) and not again:
        open("here", "w").close()
        time.sleep(1000)
    if "PLAY:memory" in task and not again:
        open("here", "w").close()
        while os.path.exists("here"): time.sleep(0.02)
        bytearray(os.urandom(1 << 20) * 256)
    if "PLAY:gone" in task:
        open("here", "w").close()
        while os.path.exists("here"): time.sleep(0.02)
    say(type="result", subtype="success", is_error=False, result="Done.", session_id="s1")
`;
const codex = `#!/bin/sh
[ "$1" = --version ] && { echo "codex-cli 0.9.0"; exit; }
echo "error: unrecognized subcommand '$1'" >&2
exit 2
`;
const plays = [
  ...["flood claude", "killed claude", "claude claude", "bwrap claude", "memory claude", "gone claude"],
  ...["old codex", "missing opencode", "out gemini"],
];
const programs = { claude: "claude-code", codex: "codex", opencode: "opencode/anthropic/some", gemini: "gemini-cli" };

describe.skipIf(noSandbox)(noSandbox ? `programs that misbehave are left out: ${noSandbox}` : "a team", () => {
  const root = mkdtempSync(join(base, "agiraph-bad-"));
  const home = join(root, "home");
  let house: House;
  beforeAll(async () => {
    for (const folder of ["home", "bin", "user"]) mkdirSync(join(root, folder), { mode: 0o755 });
    for (const [name, text] of Object.entries({ claude, codex, gemini: "#!/bin/sh\necho 0.61.0\n" }))
      writeFileSync(join(root, "bin", name), text, { mode: 0o755 });
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ programs, embeddings: "off" }));
    const env = {
      PATH: `${join(root, "bin")}:/usr/bin:/bin`,
      HOME: join(root, "user"),
      ANTHROPIC_API_KEY: "sk-1234567",
    };
    house = await openHouse({
      path: home,
      env: { ...env, OPENAI_API_KEY: "sk-1234567" },
      notice: () => undefined,
      scripted: Object.fromEntries(
        plays.map((both) => {
          const [name, program] = both.split(" ") as [string, string];
          const calls = [
            { tool: "spawn_worker", input: { name: "Ann", agent_command: program } },
            { tool: "create_work_node", input: { name: "a", task: `Make a. PLAY:${name}`, worker: "Ann" } },
            { tool: "wait_for_nodes" },
          ];
          return [`scripted/${name}`, createScripted({ participants: { coordinator: [{ calls }] } }, machine.clock)];
        }),
      ),
    });
    await house.runtime.start();
  });
  afterAll(async () => {
    await house?.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** Its log, once it has what is waited for. */
  async function played(
    name: string,
    until: (all: Event[]) => unknown,
    meanwhile: (all: Event[]) => void = () => undefined,
  ) {
    await house.runtime.create({ name, goal: "Make a.", model: `scripted/${name}` }, { actor: "human" });
    for (let tries = 0; tries < 1_200; tries++) {
      const all = eventsIn(home, name);
      if (until(all)) return all;
      meanwhile(all);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`it never happened: ${JSON.stringify(eventsIn(home, name).slice(-3))}`);
  }
  const failed = (all: Event[]) => of(all, "node.failed")[0]?.data.reason;
  const notes = (name: string) => {
    const path = join(home, "agents", name, "runs/r1/nodes/n1-a/failure_notes.md");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };

  test("whose program floods a gigabyte fails the node, and neither our memory nor the disk grows", async () => {
    const before = process.memoryUsage().rss;
    const all = await played("flood", (all) => failed(all) && notes("flood"));
    expect(failed(all)).toMatchObject({
      code: "backend",
      next_mover: "coordinator",
      message: expect.stringMatching(/wrote more than can be read.*noise of a program/s),
    });
    expect(notes("flood")).toContain("noise of a program");
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
    expect(sizeOf(home)).toBeLessThan(20e6);
  });

  test("whose program is killed goes on with it", async () => {
    const all = await played("killed", answered);
    expect(of(all, "turn.retried")).toMatchObject([
      { data: { error: expect.stringMatching(/was killed.*I begin\./s) } },
    ]);
  });

  const answered = (all: Event[]) => of(all, "turn.answered").some(({ data }) => data.participant === "ann");
  const sign = (name: string) => join(home, "agents", name, "runs/r1/nodes/n1-a/scratch/here");

  /** The processes of the program that runs: itself, or the bubblewrap around it. */
  const running = (what: "claude" | "bwrap"): number[] =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => {
        const content = (of: string) => (pid ? readFileSync(`/proc/${pid}/${of}`, "utf8") : "");
        try {
          return content("cmdline").includes(`${root}/bin/claude`) && content("comm").trim() === what;
        } catch {
          return false; // it has just ended
        }
      });

  test.each(["claude", "bwrap"] as const)("whose program is killed from outside (%s) goes on with it", async (what) => {
    let killed: number[] = [];
    const all = await played(what, answered, () => {
      if (killed.length || !existsSync(sign(what))) return;
      killed = running(what);
      for (const pid of killed) process.kill(pid, "SIGKILL");
    });
    expect(killed).not.toEqual([]);
    expect(of(all, "turn.retried")).toMatchObject([
      { data: { error: expect.stringMatching(/was killed \((exit code 137|SIGKILL)\).*I begin\./s) } },
    ]);
    await until(() => expect([...running("claude"), ...running("bwrap")]).toEqual([]));
  });

  // The kernel's count of kills is the whole machine's: a program that another test kills at this moment would be told so, too.
  const limit = process.env.AGIRAPH_ALL_CLIS
    ? openMemoryLimit(64 << 20)
    : "it is in the long form (AGIRAPH_ALL_CLIS=1)";
  test.skipIf(typeof limit === "string")(
    typeof limit === "string"
      ? `the OOM killer is left out: ${limit}`
      : "whose program the OOM killer ends goes on with it, and the log says why",
    async () => {
      if (typeof limit === "string") return;
      onTestFinished(limit.remove);
      const all = await played("memory", answered, () => {
        if (!existsSync(sign("memory"))) return;
        for (const pid of running("claude")) limit.add(pid);
        rmSync(sign("memory"));
      });
      expect(of(all, "turn.retried")).toMatchObject([
        { data: { error: expect.stringMatching(/killed it when memory ran out \(OOM killer\).*I begin\./s) } },
      ]);
    },
  );

  test("whose workspace is deleted fails the node with that reason", async () => {
    const scratch = join(home, "agents/gone/runs/r1/nodes/n1-a/scratch");
    const all = await played("gone", failed, () => {
      if (existsSync(join(scratch, "here"))) rmSync(scratch, { recursive: true, force: true });
    });
    expect(failed(all)).toMatchObject({
      code: "backend",
      next_mover: "coordinator",
      message: expect.stringMatching(/the workspace .* is not there any more.*I begin\./s),
    });
  });

  test.each([
    ["old", /does not know how we start it.*version is 0\.9\.0, older than what was tested.*unrecognized subcommand/s],
    ["missing", /OpenCode cannot be used: opencode is not on the PATH/],
  ])("whose program is %s fails the node, and says what is wrong", async (name, why) => {
    const all = await played(name, failed);
    expect(failed(all)).toMatchObject({
      code: "backend",
      next_mover: "coordinator",
      message: expect.stringMatching(why),
    });
  });

  test("whose program is not logged in is paused, and its human is told how to log in", async () => {
    const all = await played("out", (all) => of(all, "agent.paused")[0]);
    expect(of(all, "agent.paused")[0]?.data.reason).toMatchObject({
      code: "provider",
      next_mover: "human",
      message: expect.stringContaining("Gemini CLI is not logged in: run `gemini` and log in, or set GEMINI_API_KEY"),
    });
  });
});

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
