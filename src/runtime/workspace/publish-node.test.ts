/** What whoever publishes is told, what the manifest says of it, and what a crash in between leaves. The folders themselves: publish.test.ts. */
import { expect, test } from "vitest";
import type { Event } from "../../schema/event.ts";
import type { Check } from "../../schema/evidence.ts";
import { mail, type Play, type Step, use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";

const hour = 3_600_000;
const r1 = "/home/agents/a1/runs/r1";
const n1 = `${r1}/nodes/n1-first`;
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const publish = { tool: "publish", input: { summary: "made it" } };
const finish = (text: string, more: object = {}) => ({
  calls: [write("a.md", text), { tool: "finish", input: { summary: text, ...more } }],
});

/** Ann does one node with these checks; each of her steps is a turn. */
const team = (checks: Check[], ann: Step[], node: object = {}, worker: object = {}): Play => ({
  coordinator: [
    {
      usd: 0.125,
      calls: [
        { tool: "spawn_worker", input: { name: "Ann", ...worker } },
        { tool: "create_work_node", input: { task: "first", worker: "Ann", checks, ...node } },
        { tool: "wait_for_nodes" },
      ],
    },
    use("finish", { summary: "done" }),
  ],
  ann,
  reviewer: [{ say: JSON.stringify({ passes: true, findings: [] }) }],
});

async function begun(play: Play) {
  const world = start({ play });
  await world.begin();
  await world.create();
  return world;
}
async function played(play: Play) {
  const world = await begun(play);
  await world.pass(hour);
  return world;
}
type World = Awaited<ReturnType<typeof played>>;
const peek = (world: World, path: string): string => String(world.sim.disk.peek(path));
const manifest = (world: World, folder: string) => JSON.parse(peek(world, `${folder}/published/manifest.json`));
const ended = async (world: World, tool: string) =>
  (await world.events()).flatMap((event: Event) =>
    event.type === "tool.ended" && event.data.tool === tool ? [event.data] : [],
  );
const never: Check[] = [{ file: "b.md" }];

test("the manifest of a node says what its own calls cost, not what the run did, and the model of its worker", async () => {
  const world = await played(
    team(
      [],
      [
        { usd: 0.5, calls: [write("a.md", "x")] },
        { usd: 0.25, calls: [publish] },
      ],
      {},
      { model: "scripted/ann" },
    ),
  );
  expect(manifest(world, n1)).toMatchObject({ worker: "ann", model: "scripted/ann", cost: { usd: 0.75 } });
  expect(manifest(world, r1)).toMatchObject({ worker: "coordinator", model: "scripted/test", cost: { usd: 0.875 } });
});

test("a node that fails by its checks is told so, with the limit that made it publish", async () => {
  const insists: Step[] = [1, 2, 3].map((n) => ({ calls: [write("a.md", `text ${n}`), publish] }));
  const world = await played(team(never, insists, { if_unverified: "fail" }));
  const { reason } = world.state().nodes.get("n1-first") as { reason: { code: string; message: string } };
  expect(reason.code).toBe("limit.checks");
  expect((await ended(world, "publish")).at(-1)?.result).toBe(`Nothing was published. ${reason.message}.`);
  const late = await played(
    team(never, [{ calls: [write("a.md", "text")] }, {}], { if_unverified: "fail", max_turns: 1 }),
  );
  expect(late.state().nodes.get("n1-first")).toMatchObject({ status: "failed", reason: { code: "limit.turns" } });
});

test("a worker whose result was rejected just before a crash is told what was wrong, as the words of others", async () => {
  const world = await begun(
    team(never, [{ calls: [write("a.md", "x"), publish] }, { calls: [write("b.md", "x"), publish] }]),
  );
  expect(await world.dies("publish.judged", 1)).toBe(true);
  await world.restart();
  await world.pass(hour);
  const [rejected, ...rest] = await ended(world, "publish");
  expect(rejected).toMatchObject({ outcome: "error", outside: "a command" });
  expect(rejected!.result).toContain("Not published: 1 of 1 checks did not pass.");
  expect(rejected!.result).toContain("Check 1 failed (b.md is there; by runtime)");
  expect(rest).toMatchObject([{ outcome: "ok" }]);
  expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "completed", rejections: 1 });
});

test("a review of a node reads its task, one of the whole reads the goal of the run", async () => {
  const asked = (world: World) => mail(world.asked.find((one) => one.participant === "reviewer")!)[0];
  expect(asked(await played(team([{ review: true }], [{ calls: [write("a.md", "x"), publish] }])))).toMatch(/first/);
  const whole = await played({
    coordinator: [finish("done", { checks: [{ review: true }] })],
    reviewer: [{ say: JSON.stringify({ passes: true, findings: [] }) }],
  });
  expect(asked(whole)).toContain(whole.state().run!.goal);
  expect(whole.state().run).toMatchObject({ evidence: "reviewed" });
  expect(manifest(whole, r1)).toMatchObject({ evidence: "reviewed", checks: [{ check: 1, outcome: "passed" }] });
});

test("the manifest of the run says no more than its answer: a file that is there proves nothing of what a node claims", async () => {
  const play = team([], [{ calls: [write("a.md", "x"), publish] }]);
  const world = await played({
    ...play,
    coordinator: [play.coordinator![0]!, finish("done", { checks: [{ file: "a.md" }] })],
  });
  expect(manifest(world, r1)).toMatchObject({ evidence: "claimed", checks: [{ outcome: "passed" }] });
  expect((await ended(world, "finish")).at(-1)?.result).toContain(
    "The run is finished; the answer is in _output.md. It is claimed. Only claimed: n1-first.",
  );
});

test("what could not be checked keeps the answer back, too, and the coordinator reads why", async () => {
  const world = await played({
    coordinator: [finish("one", { checks: [{ file: "b.md" }] }), finish("two")],
  });
  const [refused, done] = await ended(world, "finish");
  expect(refused).toMatchObject({ outcome: "error" });
  expect(refused!.result).toContain("Not finished: the answer did not pass the checks on the whole.");
  expect(refused!.result).toContain("Check 1 failed (b.md is there; by runtime)");
  expect(done).toMatchObject({ outcome: "ok" });
  expect(peek(world, `${r1}/_output.md`)).toBe("two\n");
});

const answers = (world: World): Record<string, string> =>
  Object.fromEntries(
    world.sim.disk
      .paths()
      .filter((path) => path.startsWith(`${r1}/_output`))
      .map((path) => [path.slice(r1.length + 1), peek(world, path).trim()]),
  );

test("an answer that a person deleted does not keep the next one from being written", async () => {
  const world = await played({ coordinator: [finish("one"), finish("two")] });
  world.sim.disk.edit(`${r1}/_output.md`, null);
  await world.send("a1", { type: "message.post", text: "more" });
  await world.pass(hour);
  expect(answers(world)).toEqual({ "_output.md": "two" });
});

test.each(["publish.written", "publish.ready", "tool.ran"])(
  "a crash at %s while an answer is given leaves the first one under its number, and no other",
  async (point) => {
    for (const nth of [1, 2, 3]) {
      const world = await played({ coordinator: [finish("one"), finish("two")] });
      void world.runtime().send("a1", { type: "message.post", text: "more" });
      if (await world.dies(point, nth)) await world.restart();
      await world.pass(hour);
      expect(world.state().run).toMatchObject({ status: "completed" });
      expect(answers(world)).toEqual({ "_output-1.md": "one", "_output.md": "two" });
    }
  },
);

test("a call that published before its crash says so, and publishes nothing again", async () => {
  const told: string[] = [];
  for (const nth of [1, 2, 3, 4]) {
    const world = await begun(team([], [{ calls: [write("a.md", "x"), publish] }]));
    if (await world.dies("tool.ran", nth)) await world.restart();
    await world.pass(hour);
    expect((await world.events()).filter(({ type }) => type === "node.completed")).toHaveLength(1);
    expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "completed", files: [{ path: "a.md" }] });
    told.push(...(await ended(world, "publish")).map(({ result }) => result));
  }
  expect([...new Set(told)].sort()).toEqual(["Published a.md; claimed.", "Published before."]);
});
