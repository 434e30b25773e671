import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

const script = `
participants:
  coordinator:
    - calls:
        - { tool: write_file, input: { path: a.txt, content: one } }
        - { tool: ask_human, input: { question: "And?" } }
    - { calls: [{ tool: write_file, input: { path: b.txt, content: two } }] }
    - { say: done }
`;

describe("what agents want of the human", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ script, policy: [{ do: "ask", tool: "write_file", why: "files are dear" }] });
    for (const name of ["ann", "bob"]) {
      await server.ask("POST /agents", { goal: "Write", name });
      await until(name, "question.asked", 1);
    }
  });
  afterAll(() => server.close());

  async function until(agent: string, type: string, count: number) {
    let seen = 0;
    for await (const events of server.runtime.follow(agent, 0)) {
      seen += events.filter((event) => event.type === type).length;
      if (seen >= count) return;
    }
  }

  test("the inbox is over all agents, longest waiting first, and comes in pages", async () => {
    const all = await server.ask("GET /inbox");
    expect(all.body.items).toMatchObject([
      { agent: "ann", id: "q1", kind: "approval", waiting_since: expect.any(String) },
      { agent: "bob", id: "q1", kind: "approval" },
    ]);
    const one = await server.ask("GET /inbox?limit=1");
    expect(one.body.items).toMatchObject([{ agent: "ann" }]);
    const two = await server.ask(`GET /inbox?limit=1&cursor=${one.body.next}`);
    expect(two.body).toMatchObject({ items: [{ agent: "bob" }], next: null });
  });

  test("a program that speaks for the human decides no approval, by any route; and says a protocol that there is", async () => {
    for (const through of ["mcp", "a2a"])
      for (const [path, body] of [
        ["respond", { response: "allow" }],
        ["respond", { response: "allow", question_id: "q1" }],
        ["approvals/q1", { decision: "allow" }],
      ] as const) {
        const refused = await server.ask(`POST /agents/ann/${path}`, body, { "agiraph-through": through });
        expect(refused).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
        expect(refused.body.error.message).toContain(`approvals: { ${through}: true }`);
      }
    const other = await server.ask("GET /inbox?questions=true&agent=ann", undefined, { "agiraph-through": "smoke" });
    expect(other.body.error.code).toBe("invalid");
    const { body } = await server.ask("GET /inbox?questions=true&agent=bob");
    expect(body.items).toMatchObject([{ agent: "bob", id: "q1" }]);
  });

  test("an approval shows what would be done, and is decided once", async () => {
    const { body } = await server.ask("GET /agents/ann/approvals?status=open");
    expect(body.items).toMatchObject([
      { id: "q1", by: "coordinator", tool: "write_file", input: { path: "a.txt", content: "one" }, status: "open" },
    ]);
    const path = "POST /agents/ann/approvals/q1";
    expect((await server.ask(path, { decision: "perhaps" })).body.error).toMatchObject({ code: "invalid" });
    expect((await server.ask(path, { decision: "allow", reason: "x" })).status).toBe(400);
    const allowed = await server.ask(path, { decision: "allow", remember: true });
    expect(allowed).toMatchObject({ status: 200, body: { id: "q1", decision: "allow", remember: true } });
    expect((await server.ask(path, { decision: "deny" })).body.error).toMatchObject({ code: "wrong_state" });
    await until("ann", "question.asked", 2);
    const wrong = await server.ask("POST /agents/ann/approvals/q2", { decision: "allow" });
    expect(wrong).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining("respond") } } });
  });

  test("a no has its reason, and both are told as the policy's decisions", async () => {
    const denied = await server.ask("POST /agents/bob/approvals/q1", { decision: "deny", reason: "not there" });
    expect(denied.body).toMatchObject({ decision: "deny", reason: "not there" });
    expect((await server.ask("GET /agents/bob/policy")).body).toMatchObject({
      rules: [{ do: "ask", tool: "write_file", why: "files are dear" }],
      decisions: [{ id: "q1", tool: "write_file", verdict: "denied", reason: "not there" }],
    });
    expect((await server.ask("GET /agents/ann/policy")).body.decisions).toMatchObject([
      { verdict: "allowed", remember: true },
    ]);
  });

  test("with several questions open an answer must say which", async () => {
    await until("bob", "question.asked", 2);
    await server.runtime.send(
      "bob",
      { type: "question.ask", by: "coordinator", text: "Once more?" },
      { actor: "coordinator" },
    );
    const which = await server.ask("POST /agents/bob/respond", { response: "yes" });
    expect(which).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", details: { open: ["q2", "q3"] } } },
    });
    const told = await server.ask("POST /agents/bob/respond", { response: "yes", question_id: "q3" });
    expect(told.body).toMatchObject({ question: "q3", answer: "yes" });
    expect(server.faults).toEqual([]);
  });

  test("what was read or archived is not in the inbox any more", async () => {
    await server.ask("DELETE /agents/bob");
    const { body } = await server.ask("GET /inbox");
    expect(body.items.filter(({ agent }: { agent: string }) => agent === "bob")).toEqual([]);
    const read = await server.ask("POST /agents/ann/read", {});
    expect(read.body.upto).toBeGreaterThan(0);
    const left = (await server.ask("GET /inbox")).body.items;
    expect(left.every(({ waiting_since }: { waiting_since?: string }) => waiting_since)).toBe(true);
  });
});
