import { expect, test } from "vitest";
import { type Asked, mail, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const post = (text: string, to = "coordinator", from = "human") => ({ type: "message.post" as const, from, to, text });

const names = ["Ann", "Bea", "Cai", "Dan", "Eve", "Fay"];

test("no more workers run at once than the limit says, and all of them come to their end", async () => {
  const work = [
    { seconds: 10, ...use("write_file", { path: "a", content: "A" }) },
    { seconds: 10, ...use("publish", { summary: "s" }) },
  ];
  const world = start({
    limits: { concurrency: 2 },
    play: {
      coordinator: [
        {
          calls: [
            ...names.map((name) => ({ tool: "spawn_worker", input: { name } })),
            ...names.map((name) => ({ tool: "create_work_node", input: { task: name, worker: name } })),
            { tool: "wait_for_nodes" },
          ],
        },
        use("finish", { summary: "all" }),
      ],
      ...Object.fromEntries(names.map((name) => [name.toLowerCase(), work])),
    },
  });
  let most = 0;
  await world.begin();
  await world.create();
  await world.until(() => {
    const calls = world.asked.filter((one) => one.outcome === "open");
    most = Math.max(most, calls.length);
    expect(calls.length).toBeLessThanOrEqual(2);
    return world.state().agent?.status === "completed";
  });
  expect(most).toBe(2);
  expect(world.sim.time.now() - Date.UTC(2026, 0, 1)).toBeLessThan(62_000);
  // Whoever's mail is oldest comes first.
  const first = world.asked.filter((one) => one.turns === 1 && one.participant !== "coordinator");
  expect(first.map((one) => one.participant)).toEqual(names.map((name) => name.toLowerCase()));
});

test("the coordinator is heard however many workers are busy", async () => {
  const spawn = ["Ann", "Bea"].map((name) => ({ tool: "spawn_worker", input: { name } }));
  const world = start({
    limits: { concurrency: 1 },
    play: { coordinator: [{ calls: spawn }], ann: [{ seconds: 100 }], bea: [{ seconds: 100 }] },
  });
  await world.begin();
  await world.create();
  await world.send("a1", { type: "message.post", to: ["ann", "bea"], text: "work" });
  await world.pass(1_000);
  await world.send("a1", post("and you?"));
  await world.pass(1_000);
  expect(world.asked.filter((one) => one.outcome === "open").map((one) => one.participant)).toEqual(["ann"]);
  expect(world.asked.map((one) => mail(one).at(-1))).toContain("and you?");
});

test("two who talk without end do not keep a third from its work", async () => {
  const chat = (to: string) =>
    Array.from({ length: 100 }, (_, n) =>
      n % 2 ? { seconds: 1 } : { seconds: 1, ...use("send_message", { to, content: `${n}` }) },
    );
  const world = start({
    limits: { concurrency: 1 },
    play: {
      coordinator: [{ calls: ["Ann", "Bea", "Cai"].map((name) => ({ tool: "spawn_worker", input: { name } })) }],
      ann: chat("bea"),
      bea: chat("ann"),
      cai: [use("publish", { summary: "s" })],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(100);
  await world.send("a1", post("talk to Bea", "ann"));
  await world.pass(10_000);
  await world.send("a1", { type: "node.create", task: "work", worker: "cai" });
  const since = world.sim.time.now();
  await world.until(() => world.state().nodes.get("n1-work")?.status === "completed");
  expect(world.sim.time.now() - since).toBeLessThan(6_000);
  expect(world.asked.length).toBeGreaterThan(6);
});

test("whoever goes on without mail after a wait is not kept waiting by those who talk", async () => {
  const answer = (to: string) => (request: Asked) =>
    request.lines.at(-1)?.role === "inbox" ? { seconds: 1, ...use("send_message", { to, content: "and you?" }) } : {};
  const talk = (to: string) => Array(500).fill(answer(to));
  const spawn = ["Ann", "Bea", "Cai", "Dan"].map((name) => ({ tool: "spawn_worker", input: { name } }));
  const node = (task: string, worker: string) => ({ tool: "create_work_node", input: { task, worker } });
  const world = start({
    limits: { concurrency: 1 },
    play: {
      coordinator: [{ calls: [...spawn, node("ask", "dan"), node("wait", "ann")] }],
      ann: [use("wait_for_nodes", { node_ids: ["n1-ask"] }), use("publish", { summary: "s" })],
      bea: talk("cai"),
      cai: talk("bea"),
      dan: [use("ask_human", { question: "well?" })],
    },
  });
  await world.begin();
  await world.create();
  await world.until(() => world.state().nodes.get("n2-wait")?.status === "waiting");
  await world.send("a1", post("talk to Cai", "bea"));
  await world.pass(10_000);
  await world.send("a1", { type: "node.cancel", node: "n1-ask", reason: "enough" }, { actor: "human" });
  expect(world.state().participants.get("ann")).toMatchObject({ turns: 1, next: "continue", unread: [] });
  await world.pass(20_000);
  expect(world.state().nodes.get("n2-wait")?.status).toBe("completed");
});
