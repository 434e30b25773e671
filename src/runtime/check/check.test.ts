import { expect, test } from "vitest";
import { checkCommand } from "../../../sim/processes.ts";
import { BackendError } from "../../backend/backend.ts";
import type { Event } from "../../schema/event.ts";
import type { Check } from "../../schema/evidence.ts";
import { createBash } from "../../tool/bash.ts";
import { type Answer, mail, type Play, results, type Step, use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";
import { sha256 } from "../workspace/publish.ts";

const hour = 3_600_000;
const n1 = "/home/agents/a1/runs/r1/nodes/n1-first";
const bash = createBash({ sandbox: { bash: "required", network: [], other_hosts: "deny" } });
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const publish = (more: object = {}) => ({ tool: "publish", input: { summary: "made it", ...more } });

/** Ann does one node with these checks; each of her steps is a turn. */
const team = (
  checks: Check[],
  ann: Step[],
  more: { node?: object; reviewer?: Step[]; finish?: object } = {},
): Play => ({
  coordinator: [
    {
      calls: [
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "spawn_worker", input: { name: "Bea", role: "reads closely" } },
        { tool: "create_work_node", input: { task: "first", worker: "Ann", checks, ...more.node } },
        { tool: "wait_for_nodes" },
      ],
    },
    use("finish", { summary: "done", ...more.finish }),
  ],
  ann,
  reviewer: more.reviewer ?? [],
});

async function played(play: Play, options: Parameters<typeof start>[0] = {}) {
  const world = start({ play, tools: [bash], ...options });
  await world.begin();
  await world.create();
  await world.pass(hour);
  return world;
}
type World = Awaited<ReturnType<typeof played>>;

const node = (world: World) => world.state().nodes.get("n1-first")!;
const of = async <T extends Event["type"]>(world: World, type: T) =>
  (await world.events()).filter((event): event is Extract<Event, { type: T }> => event.type === type);
const peek = (world: World, path: string): string => String(world.sim.disk.peek(path));
const said = (world: World, who = "ann") => results(world.asked.filter((one) => one.participant === who).at(-1)!);
const passes = JSON.stringify({ passes: true, findings: [{ file: "a.md", text: "a good start" }] });
const fails = JSON.stringify({ passes: false, findings: [{ file: "a.md", text: "the year is missing" }] });

test("a node whose checks pass on what is published is verified, in the log, in the manifest and for whoever waits for it", async () => {
  const checks = [{ run: checkCommand }, { file: "a.md", matches: "^text" }];
  const world = await played(team(checks, [{ calls: [write("a.md", "text 5"), publish()] }]));
  const [done] = await of(world, "node.completed");
  const on = sha256(JSON.stringify(done!.data.files));
  expect(done!.data.evidence).toBe("verified");
  const shown = [
    { check: 1, on, what: checks[0], outcome: "passed", by: "runtime" },
    { check: 2, on, what: checks[1], outcome: "passed", by: "runtime", output: "a.md: 6 bytes" },
  ];
  expect(node(world)).toMatchObject({ status: "completed", evidence: "verified", results: shown });
  expect(JSON.parse(peek(world, `${n1}/published/manifest.json`))).toMatchObject({
    evidence: "verified",
    checks: shown,
  });
  expect(mail(world.asked.findLast((one) => one.participant === "coordinator")!)).toContain(
    "n1-first completed, verified: made it",
  );
  expect(peek(world, `${n1}/_status.md`)).toContain("Evidence: verified");
});

test("a check that edits what it checks changes nothing that is published, and nothing of its copy is left", async () => {
  const world = await played(
    team([{ run: checkCommand }, { run: checkCommand }], [{ calls: [write("a.md", "text 5"), publish()] }]),
  );
  expect(node(world)).toMatchObject({ evidence: "verified" });
  expect(peek(world, `${n1}/published/a.md`)).toBe("text 5");
  expect(world.sim.disk.paths().filter((path) => path.includes("/checking/"))).toEqual([]);
});

test("a failing check is the result of the call: nothing is published, and the worker goes on, mends it and publishes", async () => {
  const world = await played(
    team(
      [{ file: "a.md", matches: "2026" }],
      [{ calls: [write("a.md", "no year"), publish()] }, { calls: [write("a.md", "in 2026"), publish()] }],
    ),
  );
  const [, refused] = results(world.asked.filter((one) => one.participant === "ann")[1]!);
  expect(refused).toMatchObject({ outcome: "error" });
  expect(refused!.result).toContain("Check 1 failed (a.md: /2026/; by runtime):\na.md: nothing in it matches /2026/");
  expect(refused!.result).toContain("Not published: 1 of 1 checks did not pass. n1-first is still yours.");
  expect(refused!.result).toContain("you have 2 more attempts");
  expect((await of(world, "node.rejected")).map(({ data }) => data)).toMatchObject([
    { node: "n1-first", worker: "ann", failed: [1], attempt: 1, attempts: 3 },
  ]);
  expect(node(world)).toMatchObject({ status: "completed", evidence: "verified", rejections: 1 });
  expect(peek(world, `${n1}/published/a.md`)).toBe("in 2026");
});

const never = [{ file: "b.md" }];
const insists: Step[] = [1, 2, 3, 4].map((n) => ({ calls: [write("a.md", `text ${n}`), publish()] }));

test("after its attempts a node is completed as claimed, with what failed", async () => {
  const world = await played(team(never, insists));
  expect(node(world)).toMatchObject({ status: "completed", evidence: "claimed", rejections: 2 });
  expect(node(world).results).toMatchObject([{ outcome: "failed" }]);
  expect(world.state().run).toMatchObject({ evidence: "claimed", claimed: ["n1-first"] });
  expect(said(world, "coordinator").at(-1)!.result).toContain("n1-first");
});

test("or it fails, if that was asked for, and nothing of it is published", async () => {
  const world = await played(team(never, insists, { node: { if_unverified: "fail" } }));
  expect(node(world)).toMatchObject({ status: "failed", reason: { code: "limit.checks" } });
  expect(world.sim.disk.paths().filter((path) => path.startsWith(`${n1}/publish`))).toEqual([]);
});

test("whoever says that its result is partial is not held back, and the result is claimed", async () => {
  const world = await played(team(never, [{ calls: [write("a.md", "text 5"), publish({ partial: true })] }]));
  expect(node(world)).toMatchObject({ status: "completed", partial: true, evidence: "claimed" });
  expect(await of(world, "node.rejected")).toEqual([]);
});

test("whoever runs out of turns publishes what it has; its checks say what that is worth, and nobody is asked for a review", async () => {
  const play = team([...never, { review: true }], [{ calls: [write("a.md", "text 5")] }, {}], {
    node: { max_turns: 1 },
  });
  const world = await played(play);
  expect(node(world)).toMatchObject({ status: "completed", limit: "limit.turns", evidence: "claimed" });
  expect(node(world).results).toMatchObject([{ check: 1, outcome: "failed" }]);
  expect(world.asked.filter((one) => one.participant === "reviewer")).toEqual([]);
});

test.each<[string, Check, string, "passed" | "failed" | "errored", RegExp]>([
  ["is missing", { file: "b.md" }, "x", "failed", /b\.md is not among the published files \(a\.md\)/],
  ["is too small", { file: "a.md", min_bytes: 5 }, "x", "failed", /it has 1 bytes; at least 5 are needed/],
  ["is too large", { file: "a.md", max_bytes: 2 }, "xxx", "failed", /at most 2 are allowed/],
  ["fits its sizes", { file: "a.md", min_bytes: 3, max_bytes: 3 }, "xxx", "passed", /3 bytes/],
  ["is no JSON", { file: "a.md", schema: {} }, "x", "failed", /it is not valid JSON/],
  [
    "has the wrong shape",
    { file: "a.md", schema: { type: "object", properties: { year: { type: "number" } }, required: ["year"] } },
    '{"year":"2026"}',
    "failed",
    /a\.md: year: .*number/,
  ],
  [
    "has the right shape",
    { file: "a.md", schema: { type: "array", items: { type: "string" } } },
    '["a"]',
    "passed",
    /5 bytes/,
  ],
  [
    "has a link that leads nowhere",
    { links: true },
    "[b](b.md) [c](#c)",
    "failed",
    /b\.md is not among.*\n.*#c names an anchor that a\.md does not have/,
  ],
  [
    "has links that lead somewhere",
    { links: "a.md" },
    "# C d\n[a](a.md#c-d) [c](#c-d) `[x](y)`",
    "passed",
    /2 links in 1 files resolve/,
  ],
  ["has a link out", { links: true }, "[b](../n2/b.md)", "failed", /leads out of what is published/],
  ["has a page that answers", { links: true }, "<https://example.com/>", "errored", /no web_fetch/],
])("a file that %s", async (_, check, content, outcome, output) => {
  const world = await played(team([check], [{ calls: [write("a.md", content), publish({ partial: true })] }]));
  expect(node(world).results).toMatchObject([{ outcome, output: expect.stringMatching(output) }]);
});

test("a check that can never be done is refused when it is given", async () => {
  const wrong: Check[][] = [
    [{ file: "a", matches: "(" }],
    [{ file: "a", schema: { type: "strange" } }],
    [{ review: true, by: "Ann" }],
  ];
  for (const checks of wrong) {
    const world = await played(team(checks, []));
    expect(world.state().nodes.size).toBe(0);
    expect(results(world.asked[1]!).find(({ outcome }) => outcome === "error")?.result).toMatch(
      /cannot be used|cannot review it/,
    );
  }
});

test("a command takes no longer than its check allows, and failed then", async () => {
  const world = await played(
    team([{ run: "work", seconds: 0.001 }], [{ calls: [write("a.md", "x"), publish({ partial: true })] }]),
  );
  expect(node(world).results).toMatchObject([
    { outcome: "failed", output: expect.stringContaining("it took longer than 0.001 s") },
  ]);
});

test("the time that a check takes does not count for its node, while it runs and afterwards", async () => {
  const slow: Step = Object.assign(() => ({ say: passes, seconds: 250 }), { usd: 0 });
  const play = team([{ run: checkCommand }, { review: true }], [{ calls: [write("a.md", "text 5"), publish()] }], {
    node: { timeout_seconds: 60 },
    reviewer: [slow],
  });
  const world = await played(play);
  expect(node(world)).toMatchObject({ status: "completed", evidence: "verified" });
  const [first, second] = await of(world, "check.started");
  expect([first!.data, second!.data]).toMatchObject([
    { check: 1, by: "runtime" },
    { check: 2, by: "scripted/test" },
  ]);
  const [begun] = await of(world, "node.started");
  const { started_at } = node(world) as { started_at: string };
  expect(Date.parse(started_at) - Date.parse(begun!.ts)).toBeGreaterThanOrEqual(250_000);
});

test("a check gets no further than its author: where the policy does not let it use bash, nothing is run and nothing is verified", async () => {
  for (const rule of ["deny", "ask"] as const) {
    const play = team([{ run: checkCommand }], [{ calls: [write("a.md", "text 5"), publish()] }]);
    const world = await played(play, { policy: [{ tool: "bash", do: rule }] });
    expect(node(world)).toMatchObject({ status: "completed", evidence: "claimed" });
    expect(node(world).results).toMatchObject([
      { outcome: "errored", output: expect.stringContaining("it needs bash, and") },
    ]);
  }
});

test("tests are found by the files of the project", async () => {
  const commandOf = async (path: string, content: string) => {
    const world = await played(
      team([{ tests: true }], [{ calls: [write(path, content), publish({ partial: true })] }]),
    );
    return node(world).results![0]!.output.split("\n")[0];
  };
  expect(await commandOf("package.json", '{"scripts":{"test":"vitest"}}')).toBe("$ npm test");
  expect(await commandOf("Makefile", "test:\n\tx")).toBe("$ make test");
  expect(await commandOf("Cargo.toml", "")).toBe("$ cargo test");
  expect(await commandOf("go.mod", "")).toBe("$ go test ./...");
  expect(await commandOf("test_a.py", "")).toBe("$ python3 -m pytest -q");
  expect(await commandOf("a.md", "")).toMatch(/^it is not known how its tests are run/);
});

test("a review that passes makes it reviewed; its findings are kept, and its price counts", async () => {
  const play = team([{ review: "is the year there?" }], [{ calls: [write("a.md", "in 2026"), publish()] }], {
    node: { acceptance: "it names the year" },
    reviewer: [{ say: passes, usd: 0.25 }],
  });
  const world = await played(play);
  expect(node(world)).toMatchObject({ status: "completed", evidence: "reviewed" });
  expect(node(world).results).toMatchObject([
    { outcome: "passed", by: "scripted/test", findings: [{ file: "a.md", text: "a good start" }] },
  ]);
  const asked = world.asked.find((one) => one.participant === "reviewer")!;
  expect(mail(asked)[0]).toMatch(
    /first\n\nDone means:\nit names the year\n\nLook in particular at this: is the year there\?/,
  );
  expect(asked.data).toContain("in 2026");
  expect(world.state().accounts.get("node:n1-first")).toMatchObject({ spent: { usd: 0.25 }, reserved: { usd: 0 } });
});

test("a review that fails holds it back with what it found; verified needs every check, the review too", async () => {
  const play = team(
    [{ review: true, by: "Bea" }, { file: "a.md" }],
    [{ calls: [write("a.md", "text"), publish()] }, { calls: [write("a.md", "in 2026"), publish()] }],
    { reviewer: [{ say: fails }, { say: passes }] },
  );
  const world = await played(play);
  const [, refused] = results(world.asked.filter((one) => one.participant === "ann")[1]!);
  expect(refused!.result).toContain("Check 1 failed (review; by bea):\n- a.md: the year is missing");
  expect(node(world)).toMatchObject({ evidence: "verified", rejections: 1 });
  expect(world.asked.find((one) => one.participant === "reviewer")?.system).toMatch(/^You are Bea\. reads closely/);
});

const looks = (...calls: NonNullable<Answer["calls"]>): Answer => ({ calls, usd: 0.25, tokens: 100 });
/** The nth call of one review gets the nth of these; the last again and again. */
const inTurn = (...answers: Answer[]): Step =>
  Object.assign((_: unknown, attempt: number) => answers[Math.min(attempt, answers.length) - 1]!, { usd: 0.5 });

test("a worker that reviews reads files and runs commands on a copy before it judges; all its calls are paid for", async () => {
  const reviewer = inTurn(
    looks({ tool: "read_file", input: { path: "a.md" } }, { tool: "bash", input: { command: checkCommand } }),
    // Whatever it calls its calls.
    looks(
      { id: "c1", tool: "read_file", input: { path: "b.md" } },
      { id: "", tool: "publish" },
      { id: "look-1", tool: "bash", input: {} },
    ),
    { say: passes, usd: 0.5, tokens: 10 },
  );
  const play = team([{ review: true, by: "Bea" }], [{ calls: [write("a.md", "text 5"), publish()] }], {
    reviewer: [reviewer],
  });
  const world = await played(play);
  expect(node(world)).toMatchObject({ status: "completed", evidence: "reviewed" });
  expect(node(world).results).toMatchObject([
    {
      outcome: "passed",
      by: "bea",
      output: `Looked at by itself: read a.md; ran ${checkCommand}\n- a.md: a good start`,
    },
  ]);
  const asked = world.asked.filter((one) => one.participant === "reviewer");
  expect(asked.map(({ tools }) => tools.map(({ name }) => name))).toEqual(Array(3).fill(["read_file", "bash"]));
  const tried = asked[2]!.lines.flatMap((line) => (line.role === "tool" ? [[line.outcome, line.result]] : []));
  expect(tried).toEqual([
    ["ok", expect.stringContaining("text 5")],
    ["ok", expect.stringContaining(`$ ${checkCommand}`)],
    ["error", "there is no file b.md"],
    ["error", "there is no tool publish; tools: read_file, bash"],
    ["error", expect.stringContaining("command")],
  ]);
  const ids = asked[2]!.lines.flatMap((line) => (line.role === "tool" ? [line.call] : []));
  expect(new Set(ids).size).toBe(5);
  expect(asked[0]!.data).toContain("made it"); // what its author says of it
  // What a command does to its copy changes nothing.
  expect(peek(world, `${n1}/published/a.md`)).toBe("text 5");
  expect(world.sim.disk.paths().filter((path) => path.includes("/checking/"))).toEqual([]);
  expect(world.state().accounts.get("node:n1-first")).toMatchObject({ spent: { usd: 1 }, reserved: { usd: 0 } });
  expect(world.state().accounts.get("worker:bea")).toMatchObject({ spent: { usd: 1 }, reserved: { usd: 0 } });
  expect((await of(world, "check.started")).map(({ data }) => data.usage?.input)).toEqual([undefined, 100, 100]);
});

test("a worker that reviews runs no command that it, or the author, may not run itself", async () => {
  const reviewer = inTurn(looks({ tool: "bash", input: { command: checkCommand } }), { say: passes });
  for (const worker of ["bea", "ann"]) {
    const play = team([{ review: true, by: "Bea" }], [{ calls: [write("a.md", "text 5"), publish()] }], {
      reviewer: [reviewer],
    });
    const world = await played(play, { policy: [{ tool: "bash", do: "deny", worker, why: "no shell" }] });
    const [first, second] = world.asked.filter((one) => one.participant === "reviewer");
    expect(first!.tools.map(({ name }) => name)).toEqual(worker === "bea" ? ["read_file"] : ["read_file", "bash"]);
    expect(second!.lines.at(-1)).toMatchObject({ outcome: "error", result: expect.stringContaining("no shell") });
    expect(node(world).results).toMatchObject([{ outcome: "passed", output: "- a.md: a good start" }]);
  }
});

test("a worker that reviews and never comes to an end has reviewed nothing; a model that reviews has no tools", async () => {
  const endless = looks({ tool: "read_file", input: { path: "a.md" } });
  const write5 = [{ calls: [write("a.md", "text 5"), publish()] }];
  const world = await played(team([{ review: true, by: "Bea" }], write5, { reviewer: [inTurn(endless)] }));
  expect(node(world)).toMatchObject({ evidence: "claimed", results: [{ outcome: "errored" }] });
  const asked = world.asked.filter((one) => one.participant === "reviewer");
  expect(asked).toHaveLength(14);
  expect(asked.slice(11).map(({ note }) => note !== undefined)).toEqual([false, true, true]);
  for (const { reserved } of world.state().accounts.values()) expect(reserved.usd).toBe(0);
  const model = await played(team([{ review: true }], write5, { reviewer: [inTurn(endless)] }));
  expect(model.asked.filter((one) => one.participant === "reviewer").map(({ tools }) => tools)).toEqual([[], []]);
  expect(node(model)).toMatchObject({ evidence: "claimed", results: [{ outcome: "errored" }] });
});

test("what its author says of it is part of what is reviewed: other words are reviewed anew", async () => {
  const play = team(
    [{ review: true }],
    [{ calls: [write("a.md", "x"), publish({ summary: "wrong" })] }, { calls: [publish({ summary: "right" })] }],
    { reviewer: [{ say: fails }, { say: passes }] },
  );
  const world = await played(play);
  expect(node(world)).toMatchObject({ evidence: "reviewed", summary: "right", rejections: 1 });
  const [first, second] = world.asked.filter((one) => one.participant === "reviewer");
  expect([first!.data?.includes("wrong"), second!.data?.includes("right")]).toEqual([true, true]);
});

test("nobody is asked for a review of what fails a check that costs nothing", async () => {
  const world = await played(team([{ review: true }, ...never], insists, { reviewer: [{ say: passes }] }));
  expect(world.asked.filter((one) => one.participant === "reviewer")).toEqual([]);
  expect(node(world)).toMatchObject({ evidence: "claimed" });
});

test.each<[string, Answer, RegExp]>([
  ["nonsense", { say: "Looks good to me!" }, /the reviewer's answer cannot be read: Looks good/],
  ["no reason", { say: '{"passes": false, "findings": []}' }, /cannot be read/],
  ["an error", { error: new BackendError("permanent", "no such model") }, /no review: no such model/],
])("a reviewer that answers with %s has reviewed nothing", async (_, answer, output) => {
  const world = await played(
    team([{ review: true }], [{ calls: [write("a.md", "x"), publish()] }], { reviewer: [answer] }),
  );
  expect(node(world)).toMatchObject({ status: "completed", evidence: "claimed" });
  expect(node(world).results).toMatchObject([{ outcome: "errored", output: expect.stringMatching(output) }]);
  for (const { reserved } of world.state().accounts.values()) expect(reserved.usd).toBe(0);
});

test("a reviewer that is overloaded is asked again", async () => {
  const reviewer: Step[] = [
    (_, attempt) => (attempt < 3 ? { error: new BackendError("transient", "busy") } : { say: passes }),
  ];
  const world = await played(team([{ review: true }], [{ calls: [write("a.md", "x"), publish()] }], { reviewer }));
  expect(node(world)).toMatchObject({ evidence: "reviewed" });
});

test("a worker that is asked once is told what did not pass, and answers again", async () => {
  const play = team([{ file: "result.md", matches: "2026" }], [{ say: "no year" }, { say: "in 2026" }]);
  const [first] = play.coordinator as [Answer];
  first.calls![0]!.input = { name: "Ann", single_inference: true };
  const world = await played(play);
  expect(mail(world.asked.filter((one) => one.participant === "ann")[1]!).at(-1)).toMatch(
    /Not published: 1 of 1 checks.*nothing in it matches/s,
  );
  expect(node(world)).toMatchObject({ status: "completed", evidence: "verified" });
});

test("the answer of a run is no better proved than the weakest of its nodes, and says what is claimed only", async () => {
  const both = (finish: object = {}): Play => ({
    coordinator: [
      {
        calls: [
          { tool: "spawn_worker", input: { name: "Ann" } },
          { tool: "create_work_node", input: { task: "first", checks: [{ file: "a.md" }] } },
          { tool: "create_work_node", input: { task: "second" } },
          { tool: "wait_for_nodes" },
        ],
      },
      { calls: [write("all.md", "x"), { tool: "finish", input: { summary: "done", ...finish } }] },
      use("finish", { summary: "done after all" }),
    ],
    ann: [
      { calls: [write("a.md", "x"), publish()] },
      { calls: [write("b.md", "x"), publish({ summary: "trust me" })] },
    ],
  });
  const world = await played(both());
  expect(world.state().run).toMatchObject({ status: "completed", evidence: "claimed", claimed: ["n2-second"] });
  expect(peek(world, "/home/agents/a1/runs/r1/_output.md")).toBe(
    "done\n\n---\nEvidence: claimed\n\nClaimed only:\n- n2-second: trust me (no checks)\n",
  );
  const there = await played(both({ checks: [{ file: "all.md" }] }));
  expect(there.state().run).toMatchObject({ evidence: "claimed", results: [{ outcome: "passed" }] });
  expect(peek(there, "/home/agents/a1/runs/r1/_output.md")).toContain(
    "Evidence: claimed\n\nChecks on the whole:\n- 1. passed: all.md is there (by runtime)",
  );
  const whole = await played(both({ checks: [{ run: "true" }] }));
  expect(whole.state().run).toMatchObject({
    evidence: "verified",
    claimed: ["n2-second"],
    results: [{ outcome: "passed" }],
  });
  expect(peek(whole, "/home/agents/a1/runs/r1/_output.md")).toMatch(
    /Evidence: verified\n\nChecks on the whole:\n- 1\. passed: run true \(by runtime\)\n\nClaimed only:\n- n2-second/,
  );
  const failed = await played(both({ checks: [{ file: "missing.md" }] }));
  expect(failed.state().run).toMatchObject({ status: "completed", summary: "done after all", evidence: "claimed" });
  expect(said(failed, "coordinator").at(-1)!.result).toContain(
    "Not finished: the answer did not pass the checks on the whole.",
  );
});

const points = [
  "check.laid",
  "check.done",
  "check.recorded",
  "check.asked",
  "check.heard",
  "publish.judged",
  "publish.written",
  "publish.renamed",
  "publish.ready",
];

test.each(points.flatMap((point) => [1, 2, 3].map((nth) => [point, nth] as const)))(
  "dying at %s for the %ith time leaves nothing half, and repeats no check that has its result",
  async (point, nth) => {
    const checks: Check[] = [{ run: checkCommand }, { file: "a.md", matches: "5" }, { review: true, by: "Bea" }];
    const play = team(
      checks,
      [
        { calls: [write("a.md", "text 1"), publish()] },
        { calls: [write("a.md", "text 5"), publish()] },
        { calls: [publish()] },
      ],
      {
        reviewer: [
          { say: passes, usd: 0.25 },
          // Bea looks for herself first.
          inTurn(looks({ tool: "bash", input: { command: checkCommand } }), { say: passes, usd: 0.25 }),
        ],
      },
    );
    for (const how of ["kill", "power"] as const) {
      const world = start({ play, tools: [bash] });
      await world.begin();
      await world.create();
      if (await world.dies(point, nth, how)) await world.restart(how);
      await world.pass(hour);
      expect(node(world)).toMatchObject({ status: "completed", evidence: "verified", rejections: 1 });
      expect(peek(world, `${n1}/published/a.md`)).toBe("text 5");
      const ended = (await of(world, "check.ended")).map(({ data }) => `${data.on} ${data.check}`);
      expect(ended).toHaveLength(new Set(ended).size);
      expect(world.sim.disk.paths().filter((path) => /\/(checking|publishing)/.test(path))).toEqual([]);
      for (const { reserved } of world.state().accounts.values()) expect(reserved.usd).toBe(0);
    }
  },
);
