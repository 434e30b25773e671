import { expect, test } from "vitest";
import { z } from "zod";
import { BackendError } from "../backend/backend.ts";
import { agentStatus } from "../core/agent/status.ts";
import { type Answer, mail, type Play, results, use } from "../runtime/model.test-help.ts";
import { start } from "../runtime/runtime.test-help.ts";
import { defineTool, type Tool } from "../toolkit/tool.ts";

const hour = 3_600_000;

const post = (text: string, to = "coordinator") => ({ type: "message.post" as const, from: "human", to, text });

/** A coordinator with one worker, Ann, who holds the node n1-work. */
const withAnn = (ann: Play[string], then: Play[string] = []): Play => ({
  coordinator: [
    {
      calls: [
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "create_work_node", input: { task: "work" } },
        { tool: "wait_for_nodes" },
      ],
    },
    ...then,
  ],
  ann,
});

/** An effect outside that must not be repeated; what is done is counted. */
function countingTool(given: Partial<Tool> = {}): { tool: Tool; keys: string[] } {
  const keys: string[] = [];
  const tool = defineTool({
    name: "poke",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({ what: z.string().default("it") }),
    async run({ what }, { key }) {
      keys.push(key);
      return `poked ${what}`;
    },
  });
  return { tool: { ...tool, ...given }, keys };
}

async function ready(options: Parameters<typeof start>[0], agent?: Parameters<ReturnType<typeof start>["create"]>[0]) {
  const world = start(options);
  await world.begin();
  await world.create(agent);
  const of = (who: string) => world.asked.filter((one) => one.participant === who);
  const node = (id = "n1-work") => world.state().nodes.get(id);
  return { ...world, of, node };
}

test("mail that comes while tools run is shown after all their results, never between a call and its result", async () => {
  const slow = countingTool({ run: () => world.sim.time.sleep(5_000).then(() => "slept") });
  const calls = [{ tool: "poke" }, { tool: "poke" }, { tool: "poke" }];
  const world = await ready({ play: { coordinator: [{ calls }] }, tools: [slow.tool] }, { start: false });
  await world.send("a1", { type: "run.start" });
  for (let n = 1; n <= 3; n++) {
    await world.pass(4_000);
    await world.send("a1", post(`mail ${n}`));
  }
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(world.asked[1]!.lines.map((line) => (line.role === "tool" ? `tool ${line.call}` : line.role))).toEqual([
    "inbox",
    "assistant",
    "tool c1",
    "tool c2",
    "tool c3",
    "inbox",
  ]);
  expect(mail(world.asked[1]!)).toEqual(["test the runtime", "mail 1", "mail 2", "mail 3"]);
});

test("each piece of mail is shown in one turn, and is handled only when that turn has ended", async () => {
  const world = await ready({ play: { coordinator: [{}, { seconds: 60 }, { seconds: 60 }] } });
  await world.pass(1_000);
  await world.send("a1", post("first"));
  await world.pass(1_000);
  await world.send("a1", post("second"));
  expect(
    world
      .state()
      .participants.get("coordinator")
      ?.unread.map((entry) => entry.text),
  ).toEqual(["first", "second"]);
  await world.pass(60_000);
  expect(
    world
      .state()
      .participants.get("coordinator")
      ?.unread.map((entry) => entry.text),
  ).toEqual(["second"]);
  await world.pass(hour);
  expect(world.state().participants.get("coordinator")?.unread).toEqual([]);
  expect(world.asked.map(mail)).toEqual([
    ["test the runtime"],
    ["test the runtime", "first"],
    ["test the runtime", "first", "second"],
  ]);
});

test("the model sees its own words, its calls and their results in order", async () => {
  const answer = { say: "I write a file.", ...use("write_file", { path: "a.md", content: "A" }) };
  const world = await ready({ play: { coordinator: [answer] } });
  await world.pass(1_000);
  expect(world.asked[1]!.lines).toMatchObject([
    { role: "inbox", entries: [{ from: "human", text: "test the runtime" }] },
    { role: "assistant", text: "I write a file.", calls: [{ id: "c1", tool: "write_file" }] },
    { role: "tool", call: "c1", outcome: "ok", result: "Wrote a.md (1 characters)." },
  ]);
});

test("a worker that only talks is nudged once; then its node fails and the coordinator hears of it", async () => {
  const world = await ready({ play: withAnn([{ say: "Let me think." }, { say: "Still thinking." }]) });
  await world.pass(hour);
  expect(world.of("ann").map((one) => mail(one).at(-1))).toEqual([
    "n1-work: work",
    "n1-work is still yours. Go on, or publish what you have. If you need an answer first, call check_messages with wait; for nodes of others, wait_for_nodes. If you cannot go on at all, say why.",
  ]);
  expect(world.node()).toMatchObject({
    status: "failed",
    reason: { code: "limit.progress", next_mover: "coordinator" },
  });
  expect(mail(world.of("coordinator")[1]!).at(-1)).toBe(
    "n1-work failed: Ann stopped acting on n1-work without publishing\nWhat was tried: nodes/n1-work/failure_notes.md",
  );
});

test("a worker that acts after the nudge goes on, and may be nudged again", async () => {
  const file = use("write_file", { path: "a", content: "A" });
  const world = await ready({ play: withAnn([{}, file, {}, use("publish", { summary: "made" })]) });
  await world.pass(hour);
  expect(world.node()).toMatchObject({ status: "completed", turns: 4 });
});

test("a node that uses its turns and leaves no file fails with limit.turns, and the coordinator hears of it", async () => {
  const busy = Array.from({ length: 30 }, (_, n) => use("memory_write", { path: `${n}.md`, content: "x" }));
  const world = await ready({ play: withAnn(busy), limits: { turns_per_node: 5 } });
  await world.pass(hour);
  expect(world.of("ann")).toHaveLength(5);
  expect(world.node()).toMatchObject({ status: "failed", turns: 5, reason: { code: "limit.turns" } });
  expect(mail(world.of("coordinator")[1]!).at(-1)).toContain("used its 5 turns");
});

test("a node that takes too long fails with limit.time, and the call under way is aborted", async () => {
  const world = await ready({ play: withAnn([{ seconds: 100_000 }]), limits: { seconds_per_node: 100 } });
  await world.pass(99_000);
  expect(world.node()?.status).toBe("running");
  expect(world.of("ann")[0]?.outcome).toBe("open");
  await world.pass(2_000);
  expect(world.node()).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
  expect(world.of("ann")[0]?.outcome).toBe("aborted");
  expect(mail(world.of("coordinator")[1]!).at(-1)).toMatch(/^n1-work failed: n1-work ran longer than 100 s\n/);
});

test("a node that takes too long ends the tool under way", async () => {
  let aborted = false;
  const stuck = countingTool({
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        }),
      ),
  });
  const world = await ready({ play: withAnn([use("poke")]), tools: [stuck.tool], limits: { seconds_per_node: 100 } });
  await world.pass(101_000);
  expect(aborted).toBe(true);
  expect(world.node()).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
  expect(world.state().participants.get("ann")).toMatchObject({ turn: undefined, node: undefined });
});

test("a worker that is retired stops at once, in a call or in a tool", async () => {
  let aborted = 0;
  const stuck = countingTool({
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          aborted++;
          reject(signal.reason);
        }),
      ),
  });
  const spawn = ["Ann", "Bea"].map((name) => ({ tool: "spawn_worker", input: { name } }));
  const play = { coordinator: [{ calls: spawn }], ann: [{ seconds: 1_000 }], bea: [use("poke")] };
  const world = await ready({ play, tools: [stuck.tool] });
  await world.send("a1", { type: "message.post", to: ["ann", "bea"], text: "go" });
  await world.pass(1_000);
  for (const worker of ["ann", "bea"]) await world.send("a1", { type: "worker.retire", worker });
  await world.pass(100);
  expect(world.of("ann").map((one) => one.outcome)).toEqual(["aborted"]);
  expect(aborted).toBe(1);
  await world.pass(hour);
  for (const worker of ["ann", "bea"])
    expect(world.state().participants.get(worker)).toMatchObject({ retired: true, turn: undefined, turns: 1 });
});

test("a cancelled node frees its worker at once", async () => {
  const world = await ready({
    play: withAnn([{ seconds: 100_000 }, { say: "I see" }, use("publish", { summary: "second" })]),
  });
  await world.pass(1_000);
  await world.send("a1", { type: "node.cancel", node: "n1-work", reason: "not needed" }, { actor: "human" });
  await world.pass(1_000);
  await world.send("a1", { type: "node.create", task: "other" });
  await world.pass(1_000);
  expect(world.of("ann")[0]?.outcome).toBe("aborted");
  expect(world.node("n2-other")).toMatchObject({ status: "completed", summary: "second" });
});

test("the time of a node counts again after its worker was heard while it waited", async () => {
  const ann = [use("ask_human", { question: "which?" }), { seconds: 100_000 }];
  const world = await ready({ play: withAnn(ann), limits: { seconds_per_node: 100 } });
  await world.pass(1_000_000);
  expect(world.node()?.status).toBe("waiting");
  await world.send("a1", post("I will answer soon", "ann"), { actor: "human" });
  await world.pass(1_000);
  expect(world.node()?.status).toBe("running");
  await world.pass(101_000);
  expect(world.node()).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
});

test("a passing failure is tried again, later each time, and nothing is lost", async () => {
  const flaky = (_request: unknown, attempt: number): Answer =>
    attempt <= 5 ? { error: new BackendError("transient", "overloaded") } : { say: "at last" };
  const world = await ready({ play: { coordinator: [flaky] } });
  await world.pass(hour);
  expect(world.asked).toHaveLength(6);
  const waits = world.asked.slice(1).map((one, n) => one.at - world.asked[n]!.at);
  for (const [n, wait] of waits.entries()) {
    const most = 500 * 2 ** n;
    expect(wait).toBeGreaterThanOrEqual(most / 2);
    expect(wait).toBeLessThanOrEqual(most + 50);
  }
  expect(new Set(world.asked.map((one) => one.turns))).toEqual(new Set([1]));
  for (const one of world.asked) expect(mail(one)).toEqual(["test the runtime"]);
});

test("a provider that says when to come back is not asked before", async () => {
  const error = new BackendError("transient", "slow down", 90_000);
  const world = await ready({ play: { coordinator: [(_request, attempt) => (attempt === 1 ? { error } : {})] } });
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(world.asked[1]!.at - world.asked[0]!.at).toBeGreaterThanOrEqual(90_000);
  expect(world.asked[1]!.at - world.asked[0]!.at).toBeLessThan(90_100);
});

test.each([1e18, Number.POSITIVE_INFINITY, Number.NaN, -5])(
  "a provider that says %d is no fault of ours",
  async (ms) => {
    const error = new BackendError("transient", "slow down", ms);
    const world = await ready({ play: { coordinator: [(_request, attempt) => (attempt === 1 ? { error } : {})] } });
    await world.pass(hour);
    expect(world.notices).toEqual([]);
    expect(world.asked).toHaveLength(ms > 0 ? 1 : 2);
  },
);

test("a coordinator that goes on for ever by itself asks the human, and goes on with the answer", async () => {
  const busy = Array.from({ length: 30 }, (_, n) => use("write_plan", { content: `${n}` }));
  const world = await ready({ play: { coordinator: busy }, limits: { turns_alone: 5 } });
  await world.pass(hour);
  expect(world.asked).toHaveLength(6);
  expect(agentStatus(world.state())).toBe("waiting_for_human");
  await world.restart();
  await world.pass(hour);
  expect(world.asked).toHaveLength(6);
  await world.send("a1", { type: "question.answer", answer: "go on" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(12);
  expect(mail(world.asked[6]!).at(-1)).toBe("Answer to q1: go on");
});

test("a passing failure that does not pass fails the node after six retries", async () => {
  const endpoint = { host: "api.example.com", setting: "providers.lab.base_url", why: "overloaded" };
  const error = new BackendError("transient", "lab failed: overloaded", undefined, true, endpoint);
  const world = await ready({ play: withAnn([{ error }]) });
  await world.pass(hour);
  expect(world.of("ann")).toHaveLength(7);
  const reason = { code: "backend", message: "lab failed: overloaded", endpoint };
  expect(world.node()).toMatchObject({ status: "failed", reason });
  const retries = (await world.events()).flatMap((event) => (event.type === "turn.retried" ? [event.data] : []));
  expect(retries.map((data) => data.endpoint)).toEqual(Array(6).fill(endpoint));
});

test("retries wait as long in the second run as in the first", async () => {
  const flaky = (_request: unknown, attempt: number): Answer =>
    attempt % 2 ? { error: new BackendError("transient", "overloaded", 30_000) } : use("finish", { summary: "done" });
  const world = await ready({ play: { coordinator: [flaky] } });
  await world.pass(hour);
  await world.send("a1", { type: "run.start", goal: "again" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(4);
  expect(world.asked[3]!.at - world.asked[2]!.at).toBeGreaterThanOrEqual(30_000);
});

test("a lasting failure of a worker's call fails its node, and the coordinator hears why", async () => {
  const world = await ready({ play: withAnn([{ error: new BackendError("permanent", "no such model") }]) });
  await world.pass(hour);
  expect(world.of("ann")).toHaveLength(1);
  expect(world.node()).toMatchObject({ status: "failed", reason: { code: "backend", next_mover: "coordinator" } });
  expect(mail(world.of("coordinator")[1]!).at(-1)).toMatch(/^n1-work failed: no such model\n/);
  expect(world.state().agent?.status).toBe("active");
});

test("a lasting failure of the coordinator's call pauses the agent, says why, and keeps the mail", async () => {
  const fails = (_request: unknown, attempt: number): Answer =>
    attempt === 1 ? { error: new BackendError("permanent", "no such model") } : {};
  const world = await ready({ play: { coordinator: [fails, fails] } });
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { code: "backend", message: "no such model" },
  });
  expect(world.state().participants.get("coordinator")?.unread).toHaveLength(1);
});

test("quota, login or payment pauses the agent with reason provider, and resuming shows the same mail once", async () => {
  const error = new BackendError("provider", "the key has no credit");
  const world = await ready({ play: { coordinator: [{ error }] } });
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { code: "provider", message: "the key has no credit", next_mover: "human" },
  });
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked.map(mail)).toEqual([["test the runtime"], ["test the runtime"]]);
});

test.each(["", "half a \ud800 character"])(
  "a provider that fails with the words %j is still a provider that fails",
  async (words) => {
    const world = await ready({ play: withAnn([{ error: new BackendError("provider", words) }]) });
    await world.pass(hour);
    expect(world.state().agent).toMatchObject({ status: "paused", reason: { code: "provider" } });
    expect(JSON.stringify(world.state().agent)).not.toContain("\\ud800");
    expect(world.node()?.status).toBe("running");
  },
);

test("a provider error of a worker parks everyone and does not count as a failure of its node", async () => {
  const error = new BackendError("provider", "the key has no credit");
  const world = await ready({ play: withAnn([{ error }, use("publish", { summary: "made" })]) });
  await world.pass(hour);
  expect(world.state().agent).toMatchObject({ status: "paused", reason: { code: "provider" } });
  expect(world.node()?.status).toBe("running");
  await world.send("a1", { type: "agent.resume" });
  await world.pass(10_000);
  expect(world.node()).toMatchObject({ status: "completed" });
});

test("an agent that was parked between two turns goes on where it was", async () => {
  const error = new BackendError("provider", "the key has no credit");
  const world = await ready({
    play: { coordinator: [use("write_plan", { content: "p" }), { error }, { say: "go on" }] },
  });
  await world.pass(hour);
  expect(world.state().agent).toMatchObject({ status: "paused", reason: { code: "provider" } });
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(3);
});

test("a backend that breaks its contract stops the participant, visibly, and nothing else", async () => {
  const world = await ready({ play: withAnn([{ error: new TypeError("x is not a function") }], [{ say: "I see" }]) });
  await world.pass(hour);
  expect(world.node()).toMatchObject({ status: "failed", reason: { code: "fault" } });
  expect(world.notices.map((problem) => problem.message)).toEqual([
    "internal error in the loop of ann: x is not a function",
  ]);
  expect(world.of("coordinator")).toHaveLength(2);
});

test("a backend that cannot even say its price pauses the agent and is not asked again and again", async () => {
  let asked = 0;
  const backend = {
    worst() {
      if (++asked > 1_000) return { usd: 0, tokens: 0 };
      throw new TypeError("no price");
    },
    async *call() {
      yield { type: "end" as const, cost: { usd: 0, tokens: 0 } };
    },
  };
  const world = await ready({ backend });
  await world.pass(hour);
  expect(asked).toBeLessThan(3);
  expect(world.state().agent).toMatchObject({ status: "paused", reason: { code: "fault" } });
});

test("no tool is run from an answer that was cut off", async () => {
  const { tool, keys } = countingTool();
  const cut = (_request: unknown, attempt: number): Answer => ({ ...use("poke"), cut: attempt === 1 });
  const world = await ready({ play: { coordinator: [cut] }, tools: [tool] });
  await world.until(() => world.asked[0]?.outcome === "failed");
  await world.pass(100);
  expect(keys).toEqual([]);
  await world.pass(hour);
  expect(keys).toHaveLength(1);
  expect(world.asked.map((one) => one.turns)).toEqual([1, 1, 2]);
});

test("no tool is run from an answer that ended in an error", async () => {
  const { tool, keys } = countingTool();
  const broken = (_request: unknown, attempt: number): Answer =>
    attempt === 1 ? { ...use("poke"), error: new BackendError("transient", "reset") } : { say: "no" };
  const world = await ready({ play: { coordinator: [broken] }, tools: [tool] });
  await world.pass(hour);
  expect(keys).toEqual([]);
  expect(world.asked).toHaveLength(2);
});

test("an unknown tool, bad input and a tool that throws each give one error result that says what is wrong", async () => {
  const throwing = countingTool({ name: "throws", run: async () => Promise.reject(new Error("the moon is full")) });
  const calls = [
    { tool: "fly", input: {} },
    { tool: "write_file", input: { path: 7 } },
    { tool: "send_message", input: { to: "nobody", content: "hi" } },
    { tool: "throws" },
    { tool: "write_plan", input: { content: "fine" } },
  ];
  const world = await ready({ play: { coordinator: [{ calls }] }, tools: [throwing.tool] });
  await world.pass(hour);
  expect(results(world.asked[1]!)).toEqual([
    {
      call: "c1",
      outcome: "error",
      result: expect.stringMatching(/^There is no tool of that name. You have .*write_plan/),
    },
    { call: "c2", outcome: "error", result: expect.stringMatching(/^write_file: path: /) },
    { call: "c3", outcome: "error", result: expect.stringContaining('there is no participant "nobody"') },
    { call: "c4", outcome: "error", result: "the moon is full" },
    { call: "c5", outcome: "ok", result: "The plan is in _plan.md." },
  ]);
});

test("a tool that is not for this participant is as good as unknown", async () => {
  const ann = [{ calls: [{ tool: "retire_worker", input: { worker_id: "ann" } }] }, use("publish", { summary: "s" })];
  const world = await ready({ play: withAnn(ann) });
  await world.pass(hour);
  expect(results(world.of("ann")[1]!)).toMatchObject([
    { outcome: "error", result: expect.stringContaining("no tool") },
  ]);
  expect(world.of("ann")[0]!.tools.map((tool) => tool.name)).not.toContain("retire_worker");
  expect(world.of("coordinator")[0]!.tools.map((tool) => tool.name)).not.toContain("publish");
});

const oddIds = {
  "the same id twice": ["a", "a"],
  "no id": ["", "", ""],
  "ids that look like ours": ["a-3", "a", "a"],
  "one that looks like the next": ["call-2", "", "call-1", ""],
  "a very long id": ["x".repeat(500), "x".repeat(500)],
};

test.each(Object.entries(oddIds))("a model that gives %s still gets one result for each call", async (_about, ids) => {
  const { tool, keys } = countingTool();
  const calls = ids.map((id, n) => ({ id, tool: "poke", input: { what: `${n}` } }));
  const world = await ready({ play: { coordinator: [{ calls }] }, tools: [tool] });
  await world.pass(hour);
  expect(world.notices).toEqual([]);
  expect(world.asked).toHaveLength(2);
  const [, answer, ...rest] = world.asked[1]!.lines;
  const asked = answer?.role === "assistant" ? answer.calls.map((call) => call.id) : [];
  expect(new Set(asked).size).toBe(ids.length);
  expect(rest.map((line) => line.role === "tool" && line.call)).toEqual(asked);
  expect(results(world.asked[1]!).map((one) => one.result)).toEqual(ids.map((_, n) => `poked ${n}`));
  expect(new Set(keys).size).toBe(ids.length);
});

test.each([
  ["empty", ""],
  ["endless", "x".repeat(500)],
])("an %s tool name gives an error result", async (_about, tool) => {
  const world = await ready({ play: { coordinator: [{ calls: [{ tool }] }] } });
  await world.pass(hour);
  expect(world.notices).toEqual([]);
  expect(results(world.asked[1]!)).toMatchObject([{ outcome: "error" }]);
});

test.each([null, 7, "x", [], undefined])("the input %j of a tool gives an error result", async (input) => {
  const calls = [{ tool: "send_message", input }];
  const world = await ready({ play: { coordinator: [{ calls }] } });
  await world.pass(hour);
  expect(results(world.asked[1]!)).toMatchObject([{ outcome: "error" }]);
});

test("a long result is cut in the middle", async () => {
  const { tool } = countingTool({ run: async () => `begin${"x".repeat(200_000)}end` });
  const world = await ready({ play: { coordinator: [use("poke")] }, tools: [tool] });
  await world.pass(hour);
  const { result } = results(world.asked[1]!)[0]!;
  expect(result.length).toBeLessThan(100_100);
  expect(result).toMatch(/^begin/);
  expect(result).toMatch(/end$/);
  expect(result).toContain("[… 100008 characters left out …]");
});

test("without a reservation there is no call: the agent is paused with reason budget, and goes on when it has more", async () => {
  const play = { coordinator: [{ usd: 0.4, ...use("write_plan", { content: "p" }) }, { usd: 0.4 }, {}] };
  const world = await ready({ play }, { budget: { usd: 0.7 } });
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { code: "budget", next_mover: "human", message: expect.stringContaining("allows 0.7 usd; 0.4 are spent") },
  });
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  expect(world.state().agent?.status).toBe("paused");

  await world.send("a1", { type: "budget.set", scope: { of: "agent" }, limit: { usd: 1 } });
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked.map((one) => one.turns)).toEqual([1, 2]);
  expect(world.state().accounts.get("agent")).toMatchObject({ spent: { usd: 0.8 }, reserved: { usd: 0 } });
});

test("the price is reserved while the call runs and settled when it ends", async () => {
  const world = await ready({ play: { coordinator: [{ usd: 0.4, seconds: 10 }] } }, { budget: { usd: 1 } });
  await world.pass(5_000);
  expect(world.state().accounts.get("agent")).toMatchObject({ spent: { usd: 0 }, reserved: { usd: 0.4 } });
  await world.pass(10_000);
  expect(world.state().accounts.get("agent")).toMatchObject({ spent: { usd: 0.4 }, reserved: { usd: 0 } });
});

test("a node over its budget fails with limit.budget, and nobody else stops", async () => {
  const ann = [
    { usd: 0.3, seconds: 10, ...use("write_file", { path: "a", content: "A" }) },
    { usd: 0.3, ...use("publish", { summary: "s" }) },
  ];
  const world = await ready({ play: withAnn(ann, [{ say: "I see" }]) });
  await world.pass(1_000);
  await world.send("a1", { type: "budget.set", scope: { of: "node", node: "n1-work" }, limit: { usd: 0.5 } });
  await world.pass(hour);
  expect(world.state().agent?.status).toBe("active");
  expect(world.node()).toMatchObject({
    status: "failed",
    reason: { code: "limit.budget", message: expect.stringContaining("node:n1-work"), next_mover: "coordinator" },
  });
  expect(world.of("ann")).toHaveLength(1);
  expect(mail(world.of("coordinator")[1]!).at(-1)).toMatch(
    /^n1-work failed: the budget of node:n1-work allows 0.5 usd/,
  );
});
