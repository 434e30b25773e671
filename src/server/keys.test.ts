import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "./server.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function restart() {
  await server.close("keep");
  server = await startTestServer({ home: server.home });
}
const key = (name: string) => ({ "idempotency-key": name });
const logged = (agent: string) => server.runtime.read(agent, ({ seq }) => seq);

test("a request repeated with its idempotency key runs once and gets the same answer, also after a restart", async () => {
  const wishes: [what: string, body: object | undefined, k: string][] = [
    ["POST /agents", { goal: "Keep", name: "keep", budget: { usd: 1 } }, "create"],
    ["POST /agents/keep/send", { message: "hello", to: "coordinator" }, "send"],
    ["POST /agents/keep/nudge", { message: "look" }, "nudge"],
    ["POST /agents/keep/pause", undefined, "pause"],
    ["POST /agents/keep/resume", {}, "resume"],
    ["PATCH /agents/keep/budget", { usd: 3 }, "budget"],
    ["POST /agents/keep/stop", undefined, "stop"],
    ["POST /agents/keep/runs", { goal: "Second" }, "run"],
  ];
  const first = [];
  for (const [what, body, k] of wishes) first.push(await server.ask(what, body, key(k)));
  expect(first.map(({ status }) => status)).toEqual([201, 202, 202, 200, 200, 200, 200, 201]);
  await expect.poll(async () => (await server.ask("GET /agents/keep")).body.status).toBe("idle");
  const before = await logged("keep");
  for (const life of [1, 2]) {
    for (const [n, [what, body, k]] of wishes.entries()) {
      const again = await server.ask(what, body, key(k));
      expect([what, again.status, again.body]).toEqual([what, first[n]!.status, first[n]!.body]);
    }
    expect(await logged("keep")).toBe(before);
    expect((await server.ask("GET /agents")).body.items).toHaveLength(1);
    if (life === 1) await restart();
  }
});

test("a key for something else is refused, whatever it is and after a restart too", async () => {
  for (const _life of [1, 2]) {
    for (const [what, body] of [
      ["POST /agents", { goal: "Keep", name: "keep", budget: { usd: 2 } }],
      ["POST /agents", { goal: "Other" }],
      ["POST /agents/keep/pause", undefined],
    ] as const)
      expect(await server.ask(what, body, key("create"))).toMatchObject({
        status: 422,
        body: { error: { code: "key_reused" } },
      });
    const reordered = await server.ask(
      "POST /agents",
      { budget: { usd: 1 }, name: "keep", goal: "Keep" },
      key("create"),
    );
    expect(reordered.status).toBe(201);
    await restart();
  }
  expect((await server.ask("GET /agents")).body.items).toHaveLength(1);
});

test("when the kept answers are lost nothing is done twice, and what was sent is named the same", async () => {
  const wishes: [what: string, body: object | undefined, k: string][] = [
    ["POST /agents", { goal: "Lose", name: "lose" }, "l1"],
    ["POST /agents/lose/send", { message: "hello" }, "l2"],
    ["POST /agents/lose/stop", undefined, "l3"],
    ["POST /agents/lose/runs", { goal: "Second" }, "l4"],
  ];
  const first = [];
  for (const [what, body, k] of wishes) first.push(await server.ask(what, body, key(k)));
  await expect.poll(async () => (await server.ask("GET /agents/lose")).body.status).toBe("idle");
  const before = await logged("lose");
  await server.close("keep");
  rmSync(join(server.home, "answers.jsonl"));
  server = await startTestServer({ home: server.home });
  for (const [n, [what, body, k]] of wishes.entries()) {
    const again = await server.ask(what, body, key(k));
    expect([what, again.status, again.body.id, again.body.to, again.body.goal]).toEqual([
      what,
      first[n]!.status,
      first[n]!.body.id,
      first[n]!.body.to,
      what === "POST /agents" ? "Lose" : first[n]!.body.goal,
    ]);
  }
  expect(await logged("lose")).toBe(before);
  for (const [what, , k] of wishes) {
    const other = await server.ask(what, { goal: "Third", message: undefined }, key(k));
    expect([what, other.status]).toEqual([what, expect.toBeOneOf([400, 422])]);
  }
});

test("many at once with one key are one, and get one answer", async () => {
  const all = await Promise.all(
    Array.from({ length: 8 }, () => server.ask("POST /agents", { goal: "Crowd", name: "crowd" }, key("crowd"))),
  );
  expect(new Set(all.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
  expect(all[0]).toMatchObject({ status: 201, body: { id: "crowd" } });
  const sent = await Promise.all(
    Array.from({ length: 8 }, () => server.ask("POST /agents/crowd/send", { message: "hi" }, key("crowd-send"))),
  );
  expect(new Set(sent.map(({ body }) => body.seq)).size).toBe(1);
});

test("what was refused was not done, and may be asked again with its key", async () => {
  const refused = await server.ask("POST /agents/none/pause", undefined, key("later"));
  expect(refused.status).toBe(404);
  await server.ask("POST /agents", { goal: "None", name: "none" });
  expect((await server.ask("POST /agents/none/pause", undefined, key("later"))).status).toBe(200);
});

test("a key that cannot be one is refused", async () => {
  for (const bad of ["", "a#b", "a b", "x".repeat(201)])
    expect((await server.ask("POST /agents", { goal: "x" }, key(bad))).body.error).toMatchObject({ code: "invalid" });
  expect(server.faults).toEqual([]);
});
