/** A worker whose node is large brings workers for its parts and waits for them. */
import { expect, test } from "vitest";
import { mail, use } from "../runtime/model.test-help.ts";
import type { Reason } from "../schema/agent.ts";
import { call, node, spawn, team } from "../toolkit/tool.test-help.ts";

const publish = use("publish", { summary: "done" });

/** The coordinator gives Ann one node; what Ann does is the test's. */
const withAnn = (ann: Parameters<typeof team>[0][string], rest: Parameters<typeof team>[0] = {}, kit = {}) => ({
  coordinator: [{ calls: [spawn("Ann", kit), node("build it", { worker: "ann" }), call("wait_for_nodes")] }],
  ann,
  ...rest,
});

test("a worker brings workers for its sub-nodes, waits for them without a slot of its own, and goes on", async () => {
  const world = await team(
    withAnn(
      [
        {
          calls: [
            spawn("Bea"),
            node("backend", { worker: "bea" }),
            spawn("Cas"),
            node("frontend", { worker: "cas" }),
            call("wait_for_nodes"),
          ],
        },
        publish,
      ],
      { bea: [publish], cas: [publish] },
    ),
    { limits: { concurrency: 1 } },
  );
  const nodes = [...world.state().nodes.values()].map(({ id, status, depth, parent }) => [id, status, depth, parent]);
  expect(nodes).toEqual([
    ["n1-build-it", "completed", 0, undefined],
    ["n2-backend", "completed", 1, "n1-build-it"],
    ["n3-frontend", "completed", 1, "n1-build-it"],
  ]);
  expect(await world.all("worker.unparked")).toEqual([]); // nobody was thought to be in a deadlock
  expect(world.state().participants.get("bea")).toMatchObject({ spawner: "ann" });
});

test("a worker that creates a node nobody is free for is told, and brings somebody", async () => {
  const world = await team(
    withAnn([{ calls: [node("part")] }, { calls: [spawn("Bea"), call("wait_for_nodes")] }, publish], {
      bea: [publish],
    }),
  );
  expect(world.told("ann")[0]).toMatch(
    /"status":"pending","next":"No worker is free for it: bring one with spawn_worker/,
  );
  expect([...world.state().nodes.values()].map(({ status }) => status)).toEqual(["completed", "completed"]);
});

test("a sub-node that wants nobody goes to whom its creator brought, and takes nobody for whom another node waits", async () => {
  const world = await team(
    withAnn(
      [
        {
          calls: [
            spawn("Bea"),
            spawn("Cas"),
            spawn("Dan"),
            node("backend", { worker: "bea" }),
            node("frontend", { worker: "cas", depends_on: ["n2-backend"] }),
            call("wait_for_nodes"),
          ],
        },
        publish,
      ],
      { bea: [{ calls: [spawn("Eve"), node("tables"), node("rows"), call("wait_for_nodes")] }, publish] },
    ),
  );
  const by = [...world.state().nodes.values()].map((one) => [one.name, "worker" in one ? one.worker : undefined]);
  expect(Object.fromEntries(by)).toMatchObject({ backend: "bea", frontend: "cas", tables: "eve", rows: "dan" });
});

test("what was begun for a node that is cancelled is cancelled with it, all the way down; workers are told", async () => {
  const world = await team({
    coordinator: [
      { calls: [spawn("Ann"), node("build it", { worker: "ann" })] },
      { seconds: 10, calls: [call("cancel_node", { node_id: "n1-build-it", reason: "changed my mind" })] },
      use("wait_for_nodes"),
    ],
    ann: [{ calls: [spawn("Bea"), node("part", { worker: "bea" }), call("wait_for_nodes")] }],
    bea: [{ calls: [spawn("Cas"), node("detail", { worker: "cas" }), call("wait_for_nodes")] }],
    cas: [{ seconds: 60, calls: [call("publish", { summary: "too late" })] }],
  });
  expect([...world.state().nodes.values()].map(({ id, status }) => [id, status])).toEqual([
    ["n1-build-it", "cancelled"],
    ["n2-part", "cancelled"],
    ["n3-detail", "cancelled"],
  ]);
  const reasons = (await world.all("node.cancelled")).map(({ data }) => (data as { reason: Reason }).reason.message);
  expect(reasons).toEqual([
    "changed my mind",
    "it is part of n1-build-it, which was cancelled",
    "it is part of n2-part, which was cancelled",
  ]);
});

test("whoever publishes before its sub-nodes have ended is told which, and so is who hears that it failed", async () => {
  const slow = { seconds: 60, calls: [call("publish", { summary: "done" })] };
  const world = await team(
    withAnn(
      [{ calls: [spawn("Bea"), node("part", { worker: "bea" })] }, { calls: [call("publish", { summary: "s" })] }],
      {
        bea: [slow],
      },
    ),
  );
  expect(world.told("ann").at(-1)).toBe(
    "Published no files; claimed. Not part of it: n2-part, still under way; cancel what nobody needs.",
  );
  const failing = await team({
    coordinator: [
      { calls: [spawn("Ann"), node("build it", { worker: "ann", timeout_seconds: 5 }), call("wait_for_nodes")] },
    ],
    ann: [{ calls: [spawn("Bea"), node("part", { worker: "bea" })] }, { seconds: 30 }],
    bea: [slow],
  });
  expect(failing.state().nodes.get("n1-build-it")).toMatchObject({ status: "failed" });
  expect(mail(failing.asked.filter((one) => one.participant === "coordinator")[1]!).join("\n")).toMatch(
    /n1-build-it failed: .*\n.*\nStill under way, created for it: n2-part/,
  );
});

test("that a sub-node failed wakes the worker whose it is; the coordinator hears of it, and waits on", async () => {
  const world = await team(
    withAnn(
      [
        { calls: [spawn("Bea"), node("part", { worker: "bea", max_turns: 1 }), call("wait_for_nodes")] },
        { calls: [call("write_file", { path: "a.md", content: "done myself" }), call("publish", { summary: "s" })] },
      ],
      { bea: [{ calls: [call("list_files")] }] },
    ),
  );
  expect(world.state().nodes.get("n1-build-it")).toMatchObject({ status: "completed" });
  expect(world.state().nodes.get("n2-part")).toMatchObject({ status: "failed" });
  const turns = (who: string) => world.asked.filter((one) => one.participant === who);
  expect(mail(turns("ann")[1]!).join("\n")).toContain("n2-part failed");
  const lead = turns("coordinator").filter(({ lines }) => lines.length > 1);
  expect(lead.map((one) => mail(one).join("\n"))).toEqual([
    expect.stringMatching(/n2-part failed[\s\S]*n1-build-it completed/),
  ]);
});

test("how deep it goes and how many there are is limited, and the refusal says what to do", async () => {
  const world = await team(withAnn([{ calls: [spawn("Bea"), spawn("Cas")] }, publish]), {
    limits: { workers_per_run: 2 },
  });
  expect(world.told("ann").slice(0, 2)).toEqual([
    "Bea is here as bea and idle.",
    "error: this run already has 2 workers, the maximum; retire one or reuse an idle one",
  ]);
  const flat = await team(withAnn([{ calls: [spawn("Bea")] }, publish]), { limits: { spawn_depth: 1 } });
  expect(flat.told("ann")[0]).toMatch(/^error: n1-build-it is 1 levels deep and may have no sub-nodes \(limit 1\)/);
});

test("a sub-worker has no tool that its spawner does not have", async () => {
  const kit = { tools: ["spawn_worker", "create_work_node", "write_file", "wait_for_nodes", "publish"] };
  const world = await team(
    withAnn(
      [
        {
          calls: [
            spawn("Bea", { tools: ["write_file", "web_fetch"] }),
            spawn("Cas", { agent_command: "claude" }),
            spawn("Dan"),
            node("part", { worker: "dan" }),
            call("wait_for_nodes"),
          ],
        },
        publish,
      ],
      { dan: [publish] },
      kit,
    ),
  );
  expect(world.told("ann").slice(0, 3)).toEqual([
    expect.stringMatching(/^error: there is no tool web_fetch for workers/),
    "error: Ann may not run commands (bash), so it cannot bring a program",
    "Dan is here as dan and idle.",
  ]);
  const tools = world.asked.find((one) => one.participant === "dan")?.tools.map(({ name }) => name);
  expect(tools).toEqual(expect.arrayContaining(["write_file", "publish"]));
  expect(tools).not.toContain("send_message");
});

test("what a sub-worker may spend is taken from its spawner's budget", async () => {
  const world = await team(
    withAnn(
      [{ calls: [spawn("Bea", { budget_usd: 0.3 }), spawn("Cas"), spawn("Dan", { budget_usd: 5 })] }, publish],
      {},
      {
        budget_usd: 1,
      },
    ),
  );
  const limit = (id: string) => world.state().accounts.get(`worker:${id}`)?.limit.usd ?? Number.NaN;
  expect(limit("bea")).toBe(0.3);
  expect(limit("ann") + limit("bea") + limit("cas")).toBeCloseTo(1, 8);
  expect(limit("cas")).toBeGreaterThan(0);
  expect(world.told("ann")[2]).toMatch(/^error: Ann has 0\.\d+ usd left and cannot give 5 to another worker/);
});

test("a node has the time and the turns that it was given", async () => {
  const world = await team(
    withAnn(
      [
        {
          calls: [
            spawn("Bea"),
            node("part", { worker: "bea", timeout_seconds: 30, max_turns: 4 }),
            call("wait_for_nodes"),
          ],
        },
        publish,
      ],
      {
        bea: [publish],
      },
    ),
  );
  expect(world.state().nodes.get("n2-part")).toMatchObject({ timeout_seconds: 30, max_turns: 4 });
});
