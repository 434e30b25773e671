import { afterAll, beforeAll, expect, test } from "vitest";
import { sign } from "../../channel/sign.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let server: TestServer;
let agent: string;
beforeAll(async () => {
  const script = "participants:\n  coordinator:\n    - calls: [{ tool: ask_human, input: { question: Which? } }]\n";
  server = await startTestServer({ script });
  agent = (await server.ask("POST /agents", { goal: "choose" })).body.id;
  for await (const events of server.runtime.follow(agent, 0))
    if (events.some(({ type }) => type === "question.asked")) break;
});
afterAll(() => server.close());

const post = (body: unknown, signature: string, channel = "hook") =>
  server.ask(`POST /channels/${channel}/answers`, JSON.stringify(body), {
    authorization: "",
    "content-type": "application/json",
    "agiraph-signature": signature,
  });
const signed = (body: unknown, secret = "s3cret", now = Date.now()) => sign(secret, JSON.stringify(body), now);

test("what is not signed with the channel's own secret, or too late, answers nothing", async () => {
  const body = { agent, question: "q1", answer: "this" };
  for (const [signature, channel] of [
    ["", "hook"],
    [signed(body, "other"), "hook"],
    [signed({ ...body, answer: "that" }), "hook"],
    [signed(body, "s3cret", Date.now() - 400_000), "hook"],
    [signed(body), "nobody"],
  ] as const)
    expect((await post(body, signature, channel)).status).toBe(403);
  expect((await server.ask(`GET /agents/${agent}/questions?status=open`)).body.items).toHaveLength(1);
});

test("a signed answer reaches the asker, once however often it is sent", async () => {
  const body = { agent, question: "q1", answer: "this" };
  const signature = signed(body);
  const first = await post(body, signature);
  expect([first.status, first.body]).toEqual([200, { question: "q1", answer: "this", seq: expect.any(Number) }]);
  expect((await post(body, signature)).body).toEqual(first.body);
  const { items } = (await server.ask(`GET /agents/${agent}/questions`)).body;
  expect(items).toMatchObject([{ id: "q1", status: "answered", answer: "this" }]);
  const other = { agent: "nobody", question: "q1", answer: "x" };
  expect((await post(other, signed(other))).status).toBe(404);
  expect(server.faults).toEqual([]);
});
