import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../api/index.ts";
import type { Route } from "../../api/route.ts";
import { reduce } from "../../core/reduce.ts";
import { canonical, emptyState } from "../../core/state.ts";
import { createChannel } from "../../runtime/projection/conversation-pages.ts";
import type { Event } from "../../schema/event.ts";
import { startTeam, type Team } from "../team.test-help.ts";

/** Of routes that answer nothing without them. */
const needed: Record<string, string> = {
  findInFiles: "?query=decisions",
  listVersions: "?path=documents%2Fdecisions.md",
  diffSoul: "?from=1",
};

describe("what can be read of an agent", () => {
  let team: Team;
  beforeAll(async () => {
    team = await startTeam();
    await team.ask(`PUT ${team.at}/workspace/documents/decisions.md`, { text: "# Decisions\n" });
    await team.runtime.send(
      team.agent,
      { type: "proposal.create", text: "Which?", options: ["a", "b"] },
      { actor: "human" },
    );
    await team.ask("PUT /workflows/brief", { text: "agents: {Ada: looks}\n" });
    await team.ask(`POST ${team.at}/triggers`, { type: "on_idle", config: { idle_seconds: 60 }, action: "Look again" });
  });
  afterAll(async () => {
    await team.close();
    expect(team.faults).toEqual([]);
  });

  test("every GET answers what its own shape says, and nothing that the shape does not know", async () => {
    const [resource] = (await team.ask(`GET ${team.at}/resources`)).body.items;
    const [document] = (await team.ask(`GET ${team.at}/versions${needed.listVersions}`)).body.items;
    const [soul] = (await team.ask(`GET ${team.at}/soul`)).body.versions;
    const queries: Record<string, string> = { ...needed, diffSoul: `?from=${soul.seq}` };
    await team.ask(`POST ${team.at}/read`, {}, { "idempotency-key": "the-key" });
    const known: Record<string, string> = {
      agent: team.agent,
      key: "the-key",
      node: "n1",
      run: "r1",
      id: resource.id,
      path: "documents/decisions.md",
      document: "decisions.md",
      workflow: "brief",
      seq: String(document.seq),
    };
    const gets = Object.entries<Route>(routes).filter(([, { method, kind }]) => method === "GET" && kind !== "stream");
    expect(gets.length).toBeGreaterThan(15);
    const before = await team.runtime.read(team.agent, canonical);
    for (const [name, route] of gets) {
      if (name === "getSession") continue; // of the browser alone
      if (/^get(Node)?Diff$/.test(name)) continue; // of an agent with a folder (changes.test.ts)
      const asked = name === "readMemory" ? { ...known, path: "GOAL.md" } : known;
      const path = route.path.replace(/\{(\w+)\*?\}/g, (_, field: string) => asked[field]!);
      const { status, body } = await team.ask(`GET ${path}${queries[name] ?? ""}`);
      expect(status, `${name}: ${JSON.stringify(body)}`).toBe(route.ok);
      const parsed = route.answer.safeParse(body);
      expect(parsed.error?.message ?? "", name).toBe("");
      expect(parsed.data, name).toEqual(body);
    }
    expect(await team.runtime.read(team.agent, canonical), "looking changes nothing").toBe(before);
  });

  test("the board shows nodes with who, how it stands and what it cost", async () => {
    const { body } = await team.ask(`GET ${team.at}/board`);
    expect(body.run).toBe("r1");
    expect(body.plan).toContain("# Plan");
    expect(body.nodes).toMatchObject([
      { id: "n1-first", status: "completed", worker: "ada", headline: "The first thing is good." },
      {
        id: "n2-second",
        status: "waiting",
        worker: "ada",
        depends_on: ["n1-first"],
        refs: { first: "n1-first/page.html" },
      },
    ]);
    expect(body.nodes[0].cost.usd).toBe(0.25);
    expect(body.suggestions).toMatchObject([{ status: "open", by: "ada", node: "n1-first" }]);
  });

  test("one node is told whole, by its number too", async () => {
    const { body } = await team.ask(`GET ${team.at}/board/n1`);
    expect(body.node.id).toBe("n1-first");
    expect(body.spec).toContain("Look at the first thing.");
    expect(body.manifest.files).toMatchObject([{ path: "page.html" }]);
    expect(body.turns.map(({ tools }: { tools: unknown }) => tools)).toEqual([
      [
        { tool: "write_file", outcome: "ok" },
        { tool: "send_message", outcome: "ok" },
        { tool: "suggest_next", outcome: "ok" },
      ],
      [{ tool: "publish", outcome: "ok" }],
    ]);
    expect(body.messages.map(({ text }: { text: string }) => text)).toContain("n1-first is nearly done");
    expect(body.why.words).toBe("n1-first is completed, claimed");
  });

  test("why leads from a node to whoever must act", async () => {
    const { body } = await team.ask(`GET ${team.at}/board/n2-second/why`);
    expect(body.chain.at(-1)).toMatchObject({ code: "question", next_mover: "human" });
    expect(body.words).toContain("Which second thing?");
  });

  test("an unknown node is refused with those there are", async () => {
    for (const path of ["board/n9", "board/n9/why", "board/nobody"]) {
      const { status, body } = await team.ask(`GET ${team.at}/${path}`);
      expect(status).toBe(404);
      expect(body.error.message).toContain("n1-first, n2-second");
    }
  });

  test("workers are told with what they hold, think with, cost and remember", async () => {
    const { items } = (await team.ask(`GET ${team.at}/workers`)).body;
    expect(items.map(({ id, status, node }: Record<string, unknown>) => [id, status, node])).toEqual([
      ["coordinator", "waiting", null],
      ["ada", "waiting", "n2-second"],
    ]);
    expect(items[0].memory).toEqual({ files: 1, bytes: 51 });
    expect(items[1]).toMatchObject({ role: "looks twice", model: "scripted/test", done: ["n1-first"], turns: 3 });
  });

  test("the conversation comes in pages, the newest first, without gap or overlap", async () => {
    const whole = (await team.ask(`GET ${team.at}/conversation`)).body;
    expect(whole.next).toBeNull();
    const all: { seq: number }[] = whole.items;
    expect(all.at(-1)).toMatchObject({ kind: "goal", from: "human", to: ["coordinator"] });
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => b - a));
    expect(await paged(`${team.at}/conversation?limit=1`)).toEqual(all);
  });

  test("the channel of a run comes in pages and can be searched; it has messages only", async () => {
    const { items } = (await team.ask(`GET ${team.at}/channel`)).body;
    expect(items.map(({ text }: { text: string }) => text)).toContain("n1-first is nearly done");
    expect(items.every(({ id, run }: { id: string; run: string }) => /^m\d+$/.test(id) && run === "r1")).toBe(true);
    expect(await paged(`${team.at}/channel?limit=1`)).toEqual(items);
    const found = (await team.ask(`GET ${team.at}/channel?query=NEARLY%20done&from=ada&run=r1`)).body.items;
    expect(found).toMatchObject([{ from: "ada", text: "n1-first is nearly done" }]);
    expect((await team.ask(`GET ${team.at}/channel?from=human&query=nearly`)).body.items).toEqual([]);
    expect((await team.ask(`GET ${team.at}/channel?run=r7`)).status).toBe(404);
    expect((await team.ask(`GET ${team.at}/channel?cursor=99999`)).status).toBe(400);
  });

  test("what a participant was shown, answered and did is there line by line", async () => {
    const path = `${team.at}/conversation?participant=ada`;
    const { items } = (await team.ask(`GET ${path}`)).body;
    const lines = items.map(({ line }: { line: { role: string; tool?: string } }) => line.tool ?? line.role).reverse();
    expect(lines).toEqual([
      "inbox",
      "assistant",
      "write_file",
      "send_message",
      "suggest_next",
      "assistant",
      "publish",
      "inbox",
      "assistant",
      "ask_human",
    ]);
    expect(await paged(`${path}&limit=2`)).toEqual(items);
    const { status, body } = await team.ask(`GET ${team.at}/conversation?participant=nobody`);
    expect([status, body.error.code]).toEqual([404, "not_found"]);
    expect(body.error.message).toContain("ada");
  });

  test("lines that a shortened conversation no longer has are there all the same, once", async () => {
    const { items } = (await team.ask(`GET ${team.at}/conversation?participant=ada`)).body;
    const log: Event[] = [];
    for await (const events of (await team.runtime.reading(team.agent)).events(0)) log.push(...events);
    const { type: _type, data: _data, seq, id, run, ...rest } = log.at(-1)!;
    log.push({
      ...{ ...rest, seq: seq + 1, id: `${id}-next`, run: run!, type: "context.shortened" },
      data: { participant: "ada", lines: 5, turns: 1 },
    });
    log.push({ ...{ ...rest, seq: seq + 2, id: `${id}-last`, run: run!, type: "log.closed" }, data: {} });
    const state = emptyState();
    for (const event of log) reduce(state, event);
    expect(state.participants.get("ada")).toMatchObject({ conversation: { length: items.length - 5 } });
    const channel = createChannel({
      agent: team.agent,
      state: () => state,
      durable: async () => undefined,
      async *past() {
        yield log;
      },
      index: undefined,
      indexing: undefined,
    });
    const lines = (await channel.lines("ada", undefined, 100))!.items;
    expect(lines.map((one) => ({ kind: "line", ...one }))).toEqual(items);
  });

  async function paged(path: string): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let cursor = ""; cursor !== null; ) {
      const { body } = await team.ask(`GET ${path}${cursor && `&cursor=${cursor}`}`);
      items.push(...body.items);
      cursor = body.next;
    }
    return items;
  }

  test("a cursor that means nothing, or that is ahead, is refused", async () => {
    for (const cursor of ["x", "-1", "1e3", "999999", "99999999999999999999", "0x1"]) {
      const { status, body } = await team.ask(`GET ${team.at}/conversation?cursor=${cursor}`);
      expect([status, body.error.code], cursor).toEqual([400, "invalid"]);
    }
    for (const limit of ["0", "501", "x", "1.5"])
      expect((await team.ask(`GET ${team.at}/conversation?limit=${limit}`)).status).toBe(400);
  });

  test("events come in pages by their seq, filtered by type", async () => {
    const all: number[] = [];
    for (let after: string | null = "0"; after !== null; ) {
      const { body } = await team.ask(`GET ${team.at}/events?limit=7&after=${after}`);
      all.push(...body.items.map(({ seq }: { seq: number }) => seq));
      after = body.next;
    }
    const last = await team.runtime.read(team.agent, ({ seq }) => seq);
    expect(all).toEqual(Array.from({ length: last }, (_, at) => at + 1));
    const some = await team.ask(`GET ${team.at}/events?limit=1&types=node.completed`);
    expect(some.body.items.map(({ type }: { type: string }) => type)).toEqual(["node.completed"]);
  });

  test("cost is told by worker, node, model and day, with the budget", async () => {
    const { body } = await team.ask(`GET ${team.at}/cost`);
    expect(Object.keys(body.by.worker)).toEqual(expect.arrayContaining(["coordinator", "ada"]));
    expect(Object.keys(body.by.node)).toEqual(["n1-first", "n2-second"]);
    expect(body.usd).toBe(0.75);
    expect(body.by.worker.coordinator.usd).toBe(0.5);
    expect(body.by.node["n1-first"].usd).toBe(0.25);
    expect(Object.values(body.by.day)).toMatchObject([{ usd: 0.75 }]);
    expect(body.budget).toEqual({ usd: 5 });
    expect(body.reserved_usd).toBe(0);
  });

  test("memory is searched", async () => {
    const { body } = await team.ask(`POST ${team.at}/memory/search`, { query: "single server" });
    expect(body.by).toBe("words");
    expect(body.found[0]).toMatchObject({
      path: "memory/knowledge/databases.md",
      section: expect.stringContaining("Databases"),
    });
    expect((await team.ask(`POST ${team.at}/memory/search`, { query: "x", limmit: 3 })).status).toBe(400);
    expect((await team.ask(`POST ${team.at}/memory/search`)).status).toBe(400);
  });

  test("of an unknown agent there is nothing", async () => {
    for (const [name, { method, path }] of Object.entries<Route>(routes)) {
      if (!path.includes("{agent}") || method !== "GET") continue;
      const asked = path
        .replace("{agent}", "nobody")
        .replace("{id}", "0".repeat(64))
        .replace("{seq}", "1")
        .replace(/\{\w+\*?\}/, "x");
      const { status, body } = await team.ask(`GET ${asked}${needed[name] ?? ""}`);
      expect([status, body.error.code], asked).toEqual([404, "not_found"]);
    }
  });

  test("what was said in a run that is over can still be read", async () => {
    const before = (await team.ask(`GET ${team.at}/conversation`)).body.items;
    const lines = (await team.ask(`GET ${team.at}/conversation?participant=ada`)).body.items;
    await team.runtime.send(team.agent, { type: "agent.stop" }, { actor: "human" });
    await team.runtime.send(team.agent, { type: "run.start", goal: "Another thing" }, { actor: "human" });
    await team.runtime.send(team.agent, { type: "message.post", text: "Hello again" }, { actor: "human" });
    const { items } = (await team.ask(`GET ${team.at}/conversation`)).body;
    expect(items.slice(-before.length)).toEqual(before);
    expect(items.find(({ text }: { text: string }) => text === "Hello again")).toMatchObject({
      run: "r2",
      from: "human",
    });
    const now = (await team.ask(`GET ${team.at}/conversation?participant=ada&limit=500`)).body.items;
    expect(now.slice(-lines.length)).toEqual(lines);
    expect((await team.ask(`GET ${team.at}/board`)).body.run).toBe("r2");
    expect((await team.ask(`GET ${team.at}/workspace/nodes/n1-first/published/page.html?run=r1`)).status).toBe(200);
  });
});
