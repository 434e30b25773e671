import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../../schema/problem.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";

const ids = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

describe("agents over HTTP", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      async folder(path) {
        if (path === "secret") throw new Problem("invalid", "folder: not this one");
        return `/real${path}`;
      },
    });
  });
  afterAll(() => server.close());

  test("one that is created is listed, and found by its id", async () => {
    const made = await server.ask("POST /agents", { goal: "Read the news" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ id: "read-the-news", goal: "Read the news", mode: "finite", run: "r1" });
    expect((await server.ask("GET /agents/read-the-news")).body.id).toBe("read-the-news");
    expect(ids(await server.ask("GET /agents"))).toContain("read-the-news");
  });

  test("an unknown one is named, with those there are", async () => {
    const { status, body } = await server.ask("GET /agents/nobody");
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: "not_found", message: expect.stringContaining("read-the-news") });
  });

  test("a field that nobody knows is refused, not ignored", async () => {
    const { status, body } = await server.ask("POST /agents", { goal: "x", budget: { dollars: 1 } });
    expect([status, body.error.code]).toEqual([400, "invalid"]);
    expect(body.error.message).toContain("dollars");
    expect((await server.ask("POST /agents/read-the-news/pause", { why: "x" })).status).toBe(400);
  });

  test("its tools, its window and its folder are what was asked for, and each is refused where it makes no sense", async () => {
    const given = { tools: ["read_file"], context_window: 20_000, folder: "/srv/project" };
    const made = await server.ask("POST /agents", { goal: "x", name: "given", start: false, ...given });
    expect(made.status).toBe(201);
    const { body } = await server.ask("GET /agents/given/events?limit=1");
    expect(body.items[0]).toMatchObject({ type: "agent.created", data: { ...given, folder: "/real/srv/project" } });
    const refused = async (rest: object) => {
      const { status, body } = await server.ask("POST /agents", { goal: "x", name: "refused", ...rest });
      expect([status, body.error.code]).toEqual([400, "invalid"]);
      return body.error.message as string;
    };
    expect(await refused({ tools: ["read_fil"] })).toMatch(/"read_fil"; tools: .*read_file/);
    expect(await refused({ tools: "read_file" })).toContain("tools");
    expect(await refused({ context_window: 100 })).toContain("context_window");
    expect(await refused({ folder: "secret" })).toBe("folder: not this one");
    expect((await server.ask("GET /agents/refused")).status).toBe(404);
    await server.ask("DELETE /agents/given");
  });

  test("it pauses, goes on, stops and begins a new run", async () => {
    const at = "/agents/read-the-news";
    expect((await server.ask(`POST ${at}/pause`)).body).toMatchObject({ status: "paused", reason: { code: "human" } });
    expect((await server.ask(`POST ${at}/resume`)).body.status).not.toBe("paused");
    expect(await server.ask(`POST ${at}/runs`, { goal: "Again" })).toMatchObject({ status: 409 });
    const { words } = (await server.ask(`GET ${at}/stop`)).body;
    expect([words.ends.length, words.kept]).toEqual([1, expect.stringMatching(/^Kept: all files/)]);
    expect((await server.ask(`POST ${at}/stop`)).body.status).toBe("stopped");
    const run = await server.ask(`POST ${at}/runs`, { goal: "Again", budget: { usd: 1 } });
    expect(run).toMatchObject({ status: 201, body: { id: "r2", goal: "Again", status: "open" } });
    expect(ids(await server.ask(`GET ${at}/runs`))).toEqual(["r2", "r1"]);
    const first = await server.ask(`GET ${at}/runs?limit=1`);
    expect(ids(await server.ask(`GET ${at}/runs?limit=1&cursor=${first.body.next}`))).toEqual(["r1"]);
  });

  test("its budget is changed field by field", async () => {
    const at = "PATCH /agents/read-the-news/budget";
    expect((await server.ask(at, { usd: 5, turns: 7 })).body.limit).toEqual({ usd: 5, turns: 7 });
    expect((await server.ask(at, { usd: null, tokens: 3 })).body.limit).toEqual({ turns: 7, tokens: 3 });
    expect((await server.ask(at, { of: "day", usd: 2 })).body.limit).toEqual({ usd: 2 });
    expect((await server.ask(at, { usd: -1 })).status).toBe(400);
    expect((await server.ask(at, { euro: 1 })).status).toBe(400);
  });

  test("lists come in pages, without what was archived", async () => {
    for (const name of ["p1", "p2", "p3", "p4"]) await server.ask("POST /agents", { goal: "x", name, start: false });
    expect((await server.ask("DELETE /agents/p2")).body.status).toBe("archived");
    const seen: string[] = [];
    for (let next = ""; ; ) {
      const { body } = await server.ask(`GET /agents?limit=2${next && `&cursor=${next}`}`);
      seen.push(...ids({ body }));
      next = body.next;
      if (!next) break;
    }
    expect(seen).toEqual(["p1", "p3", "p4", "read-the-news"]);
    expect(ids(await server.ask("GET /agents?archived=true"))).toContain("p2");
    expect((await server.ask("POST /agents/p2/resume")).body.error.code).toBe("wrong_state");
    expect((await server.ask("GET /agents?cursor=nonsense")).body.error.code).toBe("invalid");
    expect(server.faults).toEqual([]);
  });
});

test("an agent whose log is damaged is shown as quarantined, with the reason; the others are there", async () => {
  const one = await startTestServer();
  for (const name of ["good", "bad"]) await one.ask("POST /agents", { goal: "x", name, start: false });
  await one.close("keep");
  const log = join(one.home, "agents/bad/events.jsonl");
  const lines = readFileSync(log, "utf8");
  writeFileSync(log, lines.replace('"goal"', '"gaol"'));
  appendFileSync(log, lines);
  const two = await startTestServer({ home: one.home });
  try {
    const { body } = await two.ask("GET /agents");
    expect(body.items).toMatchObject([
      { id: "bad", status: "quarantined", reason: { code: "log_corrupt", next_mover: "human" } },
      { id: "good", status: "idle" },
    ]);
    expect((await two.ask("GET /agents/bad")).body.status).toBe("quarantined");
    expect((await two.ask("POST /agents/bad/pause")).body.error.code).toBe("log_corrupt");
    expect((await two.ask("GET /inbox")).status).toBe(200);
    expect(two.faults).toEqual([]);
  } finally {
    await two.close();
  }
});

test("a list and the inbox open no agent that rests, and are right when one was changed in between", async () => {
  const one = await startTestServer();
  for (let n = 0; n < 5; n++) await one.ask("POST /agents", { goal: "x", name: `a${n}`, start: false });
  await one.close("keep");
  const two = await startTestServer({ home: one.home, restAfterMs: 20 });
  try {
    const opened = () => [0, 1, 2, 3, 4].filter((n) => two.runtime.opened(`a${n}`));
    expect(opened()).toEqual([]);
    expect((await two.ask("GET /agents")).body.items).toHaveLength(5);
    expect((await two.ask("GET /inbox")).body.items).toEqual([]);
    expect(opened()).toEqual([]);
    await two.ask("POST /agents/a3/pause");
    const cursor = Buffer.from("agents:a2").toString("base64url");
    const status = async () => (await two.ask(`GET /agents?limit=1&cursor=${cursor}`)).body.items[0].status;
    expect(await status()).toBe("paused");
    await expect.poll(opened).toEqual([]);
    expect(await status()).toBe("paused");
    expect((await two.ask("GET /inbox")).body.items).toMatchObject([{ agent: "a3", id: "paused" }]);
    expect(opened()).toEqual([]);
  } finally {
    await two.close();
  }
});
