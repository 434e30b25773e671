import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

const script = `
participants:
  coordinator:
    - say: I am here.
    - calls: [{ tool: check_messages, input: {} }]
    - calls: [{ tool: finish, input: { summary: All done. } }]
`;

/** The first bytes of a picture: no text. */
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 0xff, 0xfe]);

describe("what people give an agent", () => {
  let server: TestServer;
  const at = "/agents/clerk";
  beforeAll(async () => {
    server = await startTestServer({ script });
    await server.ask("POST /agents", { goal: "Keep", name: "clerk", start: false });
  });
  afterAll(() => server.close());
  const give = (body: object, headers = {}) => server.ask(`POST ${at}/resources`, body, headers);

  test("without a run nothing is taken, and the answer says so", async () => {
    const { status, body } = await give({ title: "a.txt", text: "a" });
    expect([status, body.error.code]).toEqual([409, "wrong_state"]);
    expect(body.error.message).toContain("run");
    await server.ask(`POST ${at}/runs`, {});
  });

  test("a text is kept under its hash, by the human, and read again as it was", async () => {
    const { status, body } = await give({ title: "prices.csv", type: "text/csv", text: "chip,price\nH100,9\n" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      title: "prices.csv",
      type: "text/csv",
      size: 18,
      by: "human",
      preview: expect.stringMatching(/^chip/),
    });
    expect((await server.ask(`GET ${at}/resources/${body.id}`)).body.text).toBe("chip,price\nH100,9\n");
    const again = await give({ title: "other.csv", text: "chip,price\nH100,9\n" });
    expect(again.body).toMatchObject({ id: body.id, title: "prices.csv" });
  });

  test("bytes are kept as they are, are a file of the run, and are given out as a picture that runs nothing", async () => {
    const { body } = await give({ title: "shot.png", type: "image/png", base64: picture.toString("base64") });
    expect(body).toMatchObject({ size: picture.length, type: "image/png", preview: "" });
    const raw = await fetch(`${server.url}${at}/resources/${body.id}?raw=1`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(Buffer.from(await raw.arrayBuffer()).equals(picture)).toBe(true);
    expect(raw.headers.get("content-type")).toBe("image/png");
    expect(raw.headers.get("content-security-policy")).toContain("sandbox");
    await server.restart();
    const folder = join(server.home, "agents/clerk/runs/r1/resources");
    const name = readdirSync(folder).find((one) => one.endsWith(".png"))!;
    expect(readFileSync(join(folder, name)).equals(picture)).toBe(true);
  });

  test("what claims to be text and is none is not called one; a page is given out as plain text", async () => {
    const bytes = await give({ title: "x", type: "text/html", base64: picture.subarray(2).toString("base64") });
    expect(bytes.body.type).toBe("application/octet-stream");
    const page = await give({ title: "p.html", type: "text/html", text: "<script>alert(1)</script>" });
    const { headers } = await server.ask(`GET ${at}/resources/${page.body.id}?raw=1`);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  test("what is too large or said wrongly is refused with what would be allowed", async () => {
    const large = await give({ title: "big.bin", base64: Buffer.alloc(2_500_001).toString("base64") });
    expect([large.status, large.body.error.code]).toEqual([413, "too_large"]);
    expect(large.body.error.message).toContain("2500000 are allowed");
    expect((await give({ title: "a", text: "a", base64: "YQ==" })).body.error.message).toContain(
      "either text or base64",
    );
    expect((await give({ title: "a" })).status).toBe(400);
    expect((await give({ title: "a", base64: "no base64!" })).status).toBe(400);
    expect((await give({ title: "a", text: "a", more: 1 })).status).toBe(400);
    expect((await server.ask("POST /agents/nobody/resources", { title: "a", text: "a" })).status).toBe(404);
  });

  test("a key is used once: the same again is the same answer, another body is refused", async () => {
    const key = { "idempotency-key": "give-1" };
    const first = await give({ title: "k.txt", text: "one" }, key);
    expect((await give({ title: "k.txt", text: "one" }, key)).body).toEqual(first.body);
    expect((await give({ title: "k.txt", text: "two" }, key)).status).toBe(422);
  });

  test("a message names what goes with it; what the run does not have is refused", async () => {
    const { body } = await give({ title: "notes.md", text: "# Notes" });
    const sent = await server.ask(`POST ${at}/send`, { message: "Read this", resources: [body.id] });
    expect(sent.status).toBe(202);
    const { items } = (await server.ask(`GET ${at}/conversation`)).body;
    const said = items.find(({ id }: { id: string }) => id === sent.body.id);
    expect(said).toMatchObject({ text: "Read this", attachments: [{ id: body.id, title: "notes.md" }] });
    const alone = await server.ask(`POST ${at}/send`, { resources: [body.id] });
    expect(alone.status).toBe(202);
    const unknown = await server.ask(`POST ${at}/send`, { message: "x", resources: ["0".repeat(64)] });
    expect([unknown.status, unknown.body.error.message]).toEqual([404, expect.stringContaining("notes.md")]);
    expect((await server.ask(`POST ${at}/send`, {})).status).toBe(400);
  });

  test("to one that is completed something can be given, and the message opens its run again", async () => {
    for await (const events of server.runtime.follow("clerk", 0))
      if (events.some(({ type }) => type === "run.completed")) break;
    const { status, body } = await give({ title: "late.md", text: "later" });
    expect(status).toBe(201);
    expect((await server.ask(`GET ${at}`)).body.status).toBe("completed");
    expect((await server.ask(`POST ${at}/send`, { message: "one more", resources: [body.id] })).status).toBe(202);
    expect((await server.ask(`GET ${at}`)).body.status).not.toBe("completed");
  });
});

test("what was given to a run is read after the next one has begun; it is not of that one, and no other content is", async () => {
  const finish = { calls: [{ tool: "finish", input: { summary: "Done." } }] };
  const server = await startTestServer({
    script: JSON.stringify({
      goal: "x",
      participants: { coordinator: [{ say: "I am here." }, finish, { say: "Again." }] },
    }),
  });
  onTestFinished(() => server.close());
  await server.ask("POST /agents", { goal: "Keep", name: "clerk" });
  const { body } = await server.ask("POST /agents/clerk/resources", { title: "notes.md", text: "# Notes" });
  await server.ask("POST /agents/clerk/send", { message: "Read this", resources: [body.id] });
  for await (const events of server.runtime.follow("clerk", 0))
    if (events.some(({ type }) => type === "run.completed")) break;
  await server.ask("POST /agents/clerk/runs", { goal: "Anew" });
  expect((await server.ask("GET /agents/clerk/resources")).body.items).toEqual([]);
  const found = await server.ask(`GET /agents/clerk/resources/${body.id}`);
  expect([found.status, found.body]).toEqual([200, { ...body, text: "# Notes", truncated: false }]);
  expect((await server.ask(`GET /agents/clerk/resources/${body.id}?raw=1`)).status).toBe(200);
  expect((await server.ask(`GET /agents/clerk/resources/${"0".repeat(64)}`)).status).toBe(404);
});

test("agents read what they were given: a text as it is, bytes as a file that is named", async () => {
  const table = "chip,price\nH100,9\n";
  const hash = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
  const calls = [
    { tool: "resource_read", input: { id: hash(table) } },
    { tool: "resource_read", input: { id: hash(picture) } },
    { tool: "read_file", input: { path: `_resources/prices-${hash(table).slice(0, 8)}.csv` } },
    { tool: "write_file", input: { path: "_resources/mine.md", content: "x" } },
  ];
  const turns = [{ say: "I am here." }, { calls }, { say: "Read." }];
  const server = await startTestServer({ script: JSON.stringify({ goal: "x", participants: { coordinator: turns } }) });
  onTestFinished(() => server.close());
  await server.ask("POST /agents", { goal: "Read", name: "reader" });
  const given = [
    { title: "prices.csv", text: table },
    { title: "shot.png", base64: picture.toString("base64") },
  ];
  const made = await Promise.all(given.map((one) => server.ask("POST /agents/reader/resources", one)));
  const resources = made.map(({ body }) => body.id);
  for await (const events of server.runtime.follow("reader", 0))
    if (events.some(({ type }) => type === "message.posted")) break;
  const results: string[] = [];
  await server.ask("POST /agents/reader/send", { message: "Read these", resources });
  for await (const events of server.runtime.follow("reader", 0)) {
    for (const event of events) if (event.type === "tool.ended") results.push(event.data.result);
    if (results.length === calls.length) break;
  }
  expect(results[0]).toContain("H100,9");
  expect(results[1]).toMatch(/shot.png is image\/png \(14 bytes\) and no text.*_resources\/shot-[0-9a-f]{8}\.png/);
  expect(results[2]).toContain("H100,9");
  expect(results[3]).toContain("resources never change");
});

test("what was given with a key is answered the same when the answer was lost, the next run began and the agent is archived", async () => {
  const server = await startTestServer({ script });
  onTestFinished(() => server.close());
  await server.ask("POST /agents", { goal: "Keep", name: "clerk" });
  const give = () =>
    server.ask("POST /agents/clerk/resources", { title: "a.txt", text: "a" }, { "idempotency-key": "k1" });
  const first = await give();
  expect(first.status).toBe(201);
  for (const changes of [["POST /agents/clerk/stop", "POST /agents/clerk/runs"], ["DELETE /agents/clerk"]]) {
    for (const change of changes) expect((await server.ask(change, {})).status).toBeLessThan(300);
    await server.restart(async () => rmSync(join(server.home, "answers.jsonl"), { force: true }));
    expect(await give()).toMatchObject({ status: 201, body: first.body });
  }
});
