/**
 * Claude Code and Codex on a team, as workers and as coordinator: the real programs in our sandbox, against a model on loopback, with our MCP and
 * our gateway. Each team is played in a process of its own, which is also killed in the middle.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedCli } from "../../scripts/clis.ts";
import { machine } from "../../src/lib/machine/index.ts";
import type { Event } from "../../src/schema/event.ts";
import { events as eventsIn, of } from "../scenarios/log.ts";
import { type FakeModel, script, startModel } from "./model.ts";

const claude = installedCli("claude");
const codex = installedCli("codex");
const noSandbox = await machine.processes.sandbox(true);
const missing = noSandbox ?? (claude && codex ? undefined : "Claude Code or Codex is not installed (npm run clis)");

/** Not in /tmp: a sandbox has one of its own. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
const house = fileURLToPath(new URL("house.ts", import.meta.url));
const key = "sk-real-key-of-the-user-77aa01";
const programs = { claude: "claude-code/claude-sonnet-4-5", codex: "codex/gpt-5.1-codex" };
const longest = 120_000;
const mark = `8${process.pid}.5`;
/** Those of the long form: npm run clis -- --all, AGIRAPH_ALL_CLIS=1. */
const others = process.env.AGIRAPH_ALL_CLIS
  ? { opencode: "opencode/openai/fake-1", "gemini-cli": "gemini-cli/gemini-2.5-flash" }
  : {};
/** As a user has it, without what npm adds: the Node that it would add is newer than what Gemini CLI can use. */
const ownPath = process.env.PATH!.split(":").filter((folder) => !folder.includes("node_modules"));
const installed = ["claude", "codex", "opencode", "gemini"].flatMap((name) => installedCli(name) ?? []);

describe.skipIf(missing)(missing ? `a team with agent CLIs is left out: ${missing}` : "a team with agent CLIs", () => {
  const homes: string[] = [];
  const children = new Set<ChildProcess>();
  let model: FakeModel;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await model.close();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  /** Plays the agent to its end; killed when the log first shows each of the moments, and started again. */
  async function play(
    agent: { goal: string; model: string; budget?: { usd: number } },
    {
      config = {},
      answers,
      moments = [],
    }: { config?: object; answers?: string; moments?: ((all: Event[]) => boolean)[] } = {},
  ) {
    const home = mkdtempSync(join(base, "agiraph-team-"));
    const providers = { local: { base_url: model.url } };
    homes.push(home);
    mkdirSync(join(home, "user"));
    writeFileSync(join(home, "config.yaml"), JSON.stringify({ programs, providers, embeddings: "off", ...config }));
    writeFileSync(join(home, "agent.json"), JSON.stringify(agent));
    const env = {
      PATH: [...installed.map(dirname), ...ownPath].join(":"),
      HOME: join(home, "user"),
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: model.url,
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: model.url,
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: model.url,
      ...(answers ? { AGIRAPH_ANSWERS: answers } : {}),
    };
    const all = () => (existsSync(join(home, "agents/a1/events.jsonl")) ? eventsIn(home, "a1") : []);
    for (const moment of [...moments, undefined]) {
      const child = spawn(process.execPath, [house, home], { env, stdio: ["ignore", "ignore", "pipe"] });
      children.add(child);
      let said = "";
      child.stderr.on("data", (bytes) => {
        said += bytes;
      });
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
      if (!moment) {
        expect([await ended, said]).toEqual([0, expect.not.stringContaining("internal")]);
        break;
      }
      await until(() => moment(all()));
      child.kill("SIGKILL");
      await ended;
      await until(() => processesOf(home).length === 0, 5_000);
      expect(processesOf(home)).toEqual([]);
    }
    expect(processesOf(home)).toEqual([]);
    return { home, all: all(), read: (path: string) => readFileSync(join(home, "agents/a1/runs/r1", path), "utf8") };
  }

  const worker = (file: string, to: string) =>
    script(
      { run: `echo ${file} > ${file}; env > seen.txt; cat seen.txt`, say: "I begin." },
      { run: "rm seen.txt" },
      { call: "send_message", input: { to, content: `${file} is coming` } },
      { call: "publish", input: { summary: `${file} is made` } },
      { say: "Done." },
    );

  const mixed = {
    model: "anthropic/claude-sonnet-4-5",
    goal: `Make three files. ${script(
      { call: "spawn_worker", input: { name: "Clara", role: "codes", agent_command: "claude" } },
      { call: "spawn_worker", input: { name: "Cody", role: "codes", agent_command: "codex" } },
      { call: "spawn_worker", input: { name: "Otto", role: "writes", model: "local/some-model" } },
      { call: "create_work_node", input: { name: "a", task: `Make a. ${worker("a.txt", "Cody")}`, worker: "Clara" } },
      { call: "create_work_node", input: { name: "b", task: `Make b. ${worker("b.txt", "Clara")}`, worker: "Cody" } },
      {
        call: "create_work_node",
        input: {
          name: "c",
          task: `Make c. ${script(
            { call: "write_file", input: { path: "c.txt", content: "c.txt" } },
            { call: "publish", input: { summary: "c.txt is made" } },
          )}`,
          worker: "Otto",
        },
      },
      ...Array.from({ length: 4 }, () => ({ call: "wait_for_nodes" })),
      { call: "finish", input: { summary: "All three are made." } },
      { say: "Finished." },
    )}`,
  };

  function expectMade({ all, home, read }: Awaited<ReturnType<typeof play>>): void {
    expect(of(all, "agent.completed")).toHaveLength(1);
    expect(of(all, "node.completed").map(({ data }) => [data.worker, data.files.map(({ path }) => path)])).toEqual(
      expect.arrayContaining([
        ["clara", ["a.txt"]],
        ["cody", ["b.txt"]],
        ["otto", ["c.txt"]],
      ]),
    );
    expect(read("nodes/n1-a/published/a.txt")).toBe("a.txt\n");
    expect(of(all, "message.posted").map(({ data }) => `${data.from} → ${data.to}: ${data.text}`)).toEqual(
      expect.arrayContaining(["clara → cody: a.txt is coming", "cody → clara: b.txt is coming"]),
    );
    // The key of the user reached the provider, and nobody else.
    const byCli = model.asked.filter(({ wire }) => wire !== "chat");
    expect(byCli.every(({ headers }) => JSON.stringify(headers).includes(key))).toBe(true);
    expect(filesIn(home).filter((file) => readFileSync(file).includes(key))).toEqual([]);
  }

  test("of two models, Claude Code and Codex exchanges messages, publishes, and pays", {
    timeout: longest,
  }, async () => {
    const played = await play(mixed);
    expectMade(played);
    const { all } = played;
    const activity = of(all, "tool.called").filter(({ data }) => data.reported);
    expect(new Set(activity.map(({ data }) => `${data.participant} ${data.tool}`))).toEqual(
      new Set(["clara Bash", "cody shell"]),
    );
    expect(of(all, "program.reported").map(({ data }) => `${data.participant}: ${data.text}`)).toEqual(
      expect.arrayContaining(["clara: I begin.", "cody: I begin."]),
    );
    const reserved = of(all, "program.reserved").map(({ data }) => data.call);
    const settled = of(all, "program.settled").map(({ data }) => data.call);
    expect(reserved.length).toBeGreaterThanOrEqual(6);
    expect(new Set(settled)).toEqual(new Set(reserved));
    expect(of(all, "turn.failed").filter(({ data }) => data.reason.code !== "interrupted")).toEqual([]);
  });

  test("goes on after kill -9 in the middle of both programs, each with its own conversation", {
    timeout: longest,
  }, async () => {
    const at = (who: string) => (all: Event[]) =>
      of(all, "tool.ended").some(({ data }) => data.participant === who && data.tool !== "publish");
    const played = await play(mixed, { moments: [at("clara"), at("cody")] });
    expectMade(played);
    expect(of(played.all, "turn.resumed").length).toBeGreaterThanOrEqual(1);
    // Between nodes, when a message wakes it, it begins another conversation.
    const started = of(played.all, "turn.started").filter(({ data }) => data.node);
    const onNode = new Set(started.map(({ data }) => data.turn));
    for (const who of ["clara", "cody"]) {
      const sessions = of(played.all, "program.opened").filter(
        ({ data }) => data.participant === who && onNode.has(data.turn),
      );
      expect(new Set(sessions.map(({ data }) => data.session)).size).toBe(1);
      const said = of(played.all, "message.posted").filter(
        ({ data, cause }) => data.from === who && onNode.has(cause?.split("/")[2] ?? ""),
      );
      expect(said.length).toBe(1);
    }
  });

  test.each(Object.entries({ ...programs, ...others }))("is led by %s", { timeout: longest }, async (name, driver) => {
    // It comes back with the result of the node, which wakes whoever waits.
    const end = script({ call: "finish", input: { summary: `Led by ${name}.` } });
    const { all, read } = await play({
      model: driver,
      goal: `Lead. ${script(
        { call: "spawn_worker", input: { name: "Otto", role: "writes", model: "local/some-model" } },
        {
          call: "create_work_node",
          input: {
            name: "c",
            task: `Make c. ${script(
              { call: "write_file", input: { path: "c.txt", content: "c.txt" } },
              { call: "publish", input: { summary: `c.txt is made ${end}` } },
            )}`,
            worker: "Otto",
          },
        },
        { call: "wait_for_nodes" },
        { say: "I wait." },
      )}`,
    });
    expect(of(all, "run.completed")[0]?.data.summary).toBe(`Led by ${name}.`);
    expect(read("_output.md")).toContain(`Led by ${name}.`);
    // It heard of the node's end while it still worked, or was woken by it.
    const turns = of(all, "turn.started").filter(({ data }) => data.participant === "coordinator").length;
    expect(turns + of(all, "program.told").length).toBe(2);
    // By itself none wants to reach anything but its model and our tools.
    expect(of(all, "question.asked")).toEqual([]);
  });

  /** Seed 000, test 8: an autonomous agent is hired, does the work in its own loop, and what it made works. */
  describe("of a coordinator that hires Claude Code", () => {
    const tool = "import csv, json, sys\njson.dump(list(csv.DictReader(sys.stdin)), sys.stdout)\n";
    const task = `Write a Python CLI tool that converts CSV to JSON. ${script(
      // Beside it something that has left its group and its session twice.
      { run: `(setsid sh -c '(setsid sleep ${mark} &)' &) >/dev/null 2>&1`, say: "I write it." },
      { run: `cat > csv2json.py <<'END'\n${tool}END` },
      { run: "printf 'a,b\\n1,2\\n' | python3 -B csv2json.py | grep -q '\"b\": \"2\"' && echo it works" },
      { call: "publish", input: { summary: "csv2json.py reads CSV and writes JSON. Tried with two columns." } },
      { say: "Done." },
    )}`;
    const goal = `Write a Python CLI tool that converts CSV to JSON. ${script(
      {
        call: "spawn_worker",
        input: { name: "Clive", role: "writes code", type: "autonomous", agent_command: "claude" },
      },
      { call: "create_work_node", input: { name: "CSV to JSON", task, worker: "Clive" } },
      { call: "wait_for_nodes" },
      { call: "wait_for_nodes" },
      { run: "printf 'x,y\\n3,4\\n' | python3 -B ../nodes/n1-csv-to-json/published/csv2json.py" },
      { call: "finish", input: { summary: "csv2json.py converts CSV to JSON; I tried it." } },
      { say: "Finished." },
    )}`;
    const working = (all: Event[]) =>
      of(all, "tool.ended").some(({ data }) => data.participant === "clive") && isRunning(`sleep ${mark}`);

    const lives: [title: string, moments: ((all: Event[]) => boolean)[]][] = [
      ["killed with kill -9 while it works, it goes on and the code works", [working]],
    ];
    if (process.env.AGIRAPH_ALL_CLIS) lives.push(["the code works", []]);
    test.each(lives)("%s", { timeout: longest }, async (_, moments) => {
      const { all, read } = await play({ model: "anthropic/claude-sonnet-4-5", goal }, { moments });
      expect(of(all, "program.opened").map(({ data }) => `${data.participant} ${data.driver}`)).toContain(
        `clive ${programs.claude}`,
      );
      expect(of(all, "node.completed")).toMatchObject([
        {
          data: { worker: "clive", files: [{ path: "csv2json.py" }], summary: expect.stringContaining("two columns") },
        },
      ]);
      expect(read("nodes/n1-csv-to-json/published/csv2json.py")).toBe(tool);
      const tried = of(all, "tool.ended").filter(
        ({ data }) => data.participant === "coordinator" && data.tool === "bash",
      );
      expect(tried.at(-1)?.data.result).toContain('[{"x": "3", "y": "4"}]');
      expect(of(all, "run.completed")).toHaveLength(1);
      const sessions = of(all, "program.opened").map(({ data }) => data.session);
      expect(new Set(sessions).size).toBe(1);
      expect(of(all, "turn.resumed").length > 0).toBe(moments.length > 0);
    });
  });

  test.each(Object.keys(programs))(
    "whose worker is %s asks, hears the answer, and keeps its conversation with its next node",
    { timeout: longest },
    async (program) => {
      const made = script({ run: "echo $PWD > where.txt" }, { call: "publish", input: { summary: "made" } });
      const ask = script({ call: "ask_human", input: { question: "Which colour?" } }, { say: "I wait." });
      const node = (name: string, task: string) => ({
        call: "create_work_node",
        input: { name, task, worker: "Wanda" },
      });
      const { all, read } = await play(
        {
          model: "anthropic/claude-sonnet-4-5",
          goal: `Make two. ${script(
            { call: "spawn_worker", input: { name: "Wanda", role: "codes", agent_command: program } },
            node("a", `Make a. ${ask}`),
            node("b", `Make b. ${made}`),
            ...Array.from({ length: 4 }, () => ({ call: "wait_for_nodes" })),
            { call: "finish", input: { summary: "Both are made." } },
          )}`,
        },
        { answers: `Blue. ${made}` },
      );
      // It has the question's number at once; the answer comes as mail, in this turn or in the next.
      const asked = of(all, "tool.ended").find(({ data }) => data.tool === "ask_human");
      expect(asked?.data).toMatchObject({ outcome: "ok", result: expect.stringContaining("Asked as q1.") });
      expect(of(all, "node.completed")).toHaveLength(2);
      expect(read("nodes/n2-b/published/where.txt")).toContain("n2-b/scratch");
      const sessions = of(all, "program.opened").filter(({ data }) => data.participant === "wanda");
      expect(new Set(sessions.map(({ data }) => data.session)).size).toBe(1);
      const last = model.asked.filter(({ turns }) => turns.some(({ text }) => text.includes("Make b."))).at(-1);
      expect(JSON.stringify(last!.raw)).toContain("Make a.");
    },
  );

  test.each(Object.keys(programs))(
    "whose worker is %s is offered our tools, and calls each",
    { timeout: longest },
    async (program) => {
      // Whoever leads calls create_work_node and wait_for_nodes, in the tests above.
      const uses: [tool: string, input: Record<string, unknown>, outcome?: string][] = [
        ["send_message", { to: "coordinator", content: "I try them all." }],
        ["check_messages", {}],
        ["ask_human", { question: "Which colour?" }],
        ["memory_write", { path: "knowledge/birds.md", content: "Herons fish at dawn." }],
        ["memory_search", { query: "herons" }],
        ["memory_read", { path: "knowledge/birds.md" }],
        ["document_write", { name: "birds.md", content: "Herons." }],
        ["document_append", { name: "birds.md", content: "Storks." }],
        ["document_read", { name: "birds.md" }],
        ["document_list", {}],
        ["proposal_create", { question: "Which bird?", options: ["heron", "stork"] }],
        ["vote", { proposal_id: "p1", choice: "heron" }],
        ["proposal_list", {}],
        ["read_ref", { ref_name: "none" }, "error"],
        ["suggest_next", { suggestion: "Look at storks: they were left out." }],
        ["publish", { summary: "All were tried." }],
      ];
      const calls = uses.map(([call, input]) => ({ call, input }));
      const before = model.asked.length;
      const { all } = await play(
        {
          model: "anthropic/claude-sonnet-4-5",
          goal: `Try. ${script(
            { call: "spawn_worker", input: { name: "Wanda", role: "codes", agent_command: program } },
            {
              call: "create_work_node",
              input: { name: "a", task: `Try them. ${script(...calls)}`, worker: "Wanda" },
            },
            ...Array.from({ length: 4 }, () => ({ call: "wait_for_nodes" })),
            { call: "finish", input: { summary: "Enough." } },
          )}`,
        },
        { answers: "Blue." },
      );
      const ended = of(all, "tool.ended").filter(
        ({ data }) => data.participant === "wanda" && data.call.startsWith("own"),
      );
      expect(ended.map(({ data }) => `${data.tool} ${data.outcome}`)).toEqual(
        uses.map(([tool, , outcome = "ok"]) => `${tool} ${outcome}`),
      );
      const lists = model.asked.slice(before).map(({ tools }) => tools.map(({ name }) => name.replace(/^.*__/, "")));
      // Only the coordinator's has finish.
      const offered = lists.find((names) => names.includes("publish") && !names.includes("finish"));
      expect(offered).toEqual(
        expect.arrayContaining([...uses.map(([tool]) => tool), "create_work_node", "wait_for_nodes"]),
      );
    },
  );

  test("stops with its budget, and says so", { timeout: longest }, async () => {
    const { all } = await play({
      ...mixed,
      model: programs.claude,
      budget: { usd: 0.22 },
      goal: `Spend. ${script(...Array.from({ length: 20 }, () => ({ run: "true" })), { say: "Never." })}`,
    });
    expect(of(all, "agent.paused").at(-1)?.data.reason).toMatchObject({ code: "budget", next_mover: "human" });
    const spent = of(all, "program.settled").reduce((sum, { data }) => sum + data.cost.usd, 0);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(0.22);
  });

  test.each(Object.values(programs))(
    "asks its human where the policy says so: %s",
    { timeout: longest },
    async (driver) => {
      const { all, read } = await play(
        {
          model: driver,
          goal: `Ask. ${script({ run: "echo yes > asked.txt" }, { call: "finish", input: { summary: "It was allowed." } })}`,
        },
        { config: { policy: [{ do: "ask", tool: "bash" }] }, answers: "allow" },
      );
      expect(of(all, "question.asked")[0]?.data).toMatchObject({
        text: expect.stringMatching(/^May Coordinator use .*echo yes/s),
        approves: { tool: "bash" },
      });
      expect(of(all, "run.completed")).toHaveLength(1);
      expect(read("published/asked.txt")).toBe("yes\n");
    },
  );
});

/** Processes that mention the home, and what programs left running. */
function processesOf(home: string): string[] {
  return execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(home) || line.includes(`sleep ${mark}`));
}

const isRunning = (words: string): boolean =>
  execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).includes(`\n${words}`);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function until(is: () => boolean, ms = 60_000): Promise<void> {
  for (let tries = 0; tries < ms / 50 && !is(); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
}
