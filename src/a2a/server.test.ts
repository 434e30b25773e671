/** A task handed over by the official client of the protocol, in both versions. */
import { Role, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server/server.test-help.ts";
import { createA2a } from "./server.ts";

const script = `
participants:
  coordinator:
    - calls: [{ tool: ask_human, input: { question: "Which colour?", options: [red, blue] } }]
    - calls: [{ tool: finish, input: { summary: "It is blue." } }]
    - calls: [{ tool: finish, input: { summary: "Still blue." } }]
    - seconds: 60
      say: Never.
`;
/** Takes as long as whoever waits must be told about it. */
const slow = `
participants:
  coordinator:
    - seconds: 1
      calls: [{ tool: finish, input: { summary: "It took long." } }]
`;

let server: TestServer;
beforeAll(async () => {
  const isSecure = (host: string) => host.startsWith("localhost:");
  server = await startTestServer({
    script,
    mounts: ({ client, ...given }) => createA2a({ ...given, client: client("a2a"), isSecure, beatMs: 50 }),
  });
});
afterAll(() => server.close());

const withToken =
  (token: string): typeof fetch =>
  (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  };

async function connect(version: string): Promise<Client> {
  const fetchImpl = withToken(server.token);
  const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(server.url);
  const supportedInterfaces = card.supportedInterfaces.filter((one) => one.protocolVersion === version);
  expect(supportedInterfaces).toHaveLength(1);
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })];
  return new ClientFactory({ transports }).createFromAgentCard({ ...card, supportedInterfaces });
}

let count = 0;
const say = (text: string, more: { contextId?: string; taskId?: string; messageId?: string } = {}, now = false) => ({
  tenant: "",
  message: {
    messageId: more.messageId ?? `m-${++count}`,
    contextId: more.contextId ?? "",
    taskId: more.taskId ?? "",
    role: Role.ROLE_USER,
    parts: [{ content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: now },
  metadata: undefined,
});

// biome-ignore lint/suspicious/noExplicitAny: a task or a message, looked at as it is
const brief = (given: any) => ({
  id: given.id,
  context: given.contextId,
  state: TaskState[given.status.state]!.replace("TASK_STATE_", ""),
  says: given.status.message?.parts[0].content.value,
  output: given.artifacts.map((one: { parts: { content: { value: string } }[] }) => one.parts[0]!.content.value),
});

describe.each(["1.0", "0.3"])("a client of version %s", (version) => {
  const name = `find-the-colour-of-${version.replace(".", "-")}`;
  const goal = `Find the colour of ${version}`;

  test("hands over a task, answers what it asks, and gets the output; what is said after that is a new task", async () => {
    const client = await connect(version);
    const first = brief(await client.sendMessage(say(goal)));
    expect(first).toEqual({
      id: `${name}:r1:1`,
      context: name,
      state: "INPUT_REQUIRED",
      says: "q1 (coordinator asks): Which colour?\nOptions: red, blue",
      output: [],
    });
    const of = { contextId: first.context, taskId: first.id, messageId: `answer-${version}` };
    const done = brief(await client.sendMessage(say("blue", of)));
    expect(done).toMatchObject({ id: first.id, state: "COMPLETED", output: ["It is blue."] });
    const again = brief(await client.sendMessage(say("blue", of)));
    expect(again).toEqual(done);
    await expect(client.sendMessage(say("more", { taskId: first.id }))).rejects.toThrow(
      /is completed; omit the task id/,
    );

    const next = brief(await client.sendMessage(say("Are you sure?", { contextId: first.context })));
    expect(next).toMatchObject({ id: `${name}:r1:2`, context: name, state: "COMPLETED", output: ["Still blue."] });
    const earlier = brief(await client.getTask({ tenant: "", id: first.id, historyLength: undefined }));
    expect(earlier).toMatchObject({ state: "COMPLETED", output: ["It is blue."] });

    const third = brief(await client.sendMessage(say("And now?", { contextId: first.context }, true)));
    expect(third).toMatchObject({ id: `${name}:r1:3`, output: [] });
    expect(["WORKING", "SUBMITTED"]).toContain(third.state);
    const canceled = brief(await client.cancelTask({ tenant: "", id: third.id, metadata: undefined }));
    expect(canceled).toMatchObject({ id: third.id, state: "CANCELED" });
    await expect(client.cancelTask({ tenant: "", id: third.id, metadata: undefined })).rejects.toThrow(/is canceled/);
    await expect(client.sendMessage(say("Hello?", { contextId: first.context }))).rejects.toThrow(/is stopped/);
    expect(server.faults).toEqual([]);
  });

  test("watches a task until it asks, and until it is done", async () => {
    const client = await connect(version);
    const seen = async (given: ReturnType<typeof say>) => {
      const all: string[] = [];
      for await (const { payload } of client.sendMessageStream(given)) {
        if (payload?.$case === "task") all.push(`task ${TaskState[payload.value.status!.state]}`);
        if (payload?.$case === "statusUpdate") all.push(TaskState[payload.value.status!.state]!);
        // biome-ignore lint/suspicious/noExplicitAny: as it is
        if (payload?.$case === "artifactUpdate") all.push((payload.value as any).artifact.parts[0].content.value);
      }
      return all.map((one) => one.replace("TASK_STATE_", ""));
    };
    const id = `watch-${version.replace(".", "-")}`;
    const first = await seen(say(`Watch ${version}`));
    expect(first[0]).toMatch(/^task /);
    expect(first.at(-1)).toMatch(/INPUT_REQUIRED$/);
    const second = await seen(say("red", { contextId: id }));
    expect(second.slice(-2)).toEqual(["It is blue.", "COMPLETED"]);
  });

  test("may lose a stream and take it up again; one that has ended is refused", async () => {
    const client = await connect(version);
    const task = brief(await client.sendMessage(say(`Take it up ${version}`, {}, true)));
    const seen: string[] = [];
    for await (const { payload } of client.resubscribeTask({ tenant: "", id: task.id }))
      if (payload?.$case === "task" || payload?.$case === "statusUpdate")
        seen.push(TaskState[payload.value.status!.state]!);
    expect(seen.at(-1)).toBe("TASK_STATE_INPUT_REQUIRED");
    await client.cancelTask({ tenant: "", id: task.id, metadata: undefined });
    const after = client.resubscribeTask({ tenant: "", id: task.id });
    await expect(after.next()).rejects.toThrow(/is canceled; get it instead/);
    await expect(client.resubscribeTask({ tenant: "", id: "nobody:r1:1" }).next()).rejects.toThrow(/there is no task/);
  });

  test("is told what is not there", async () => {
    const client = await connect(version);
    for (const id of ["nothing", "nobody:r1:1", `${name}:r9:1`, `${name}:r1:99`])
      await expect(client.getTask({ tenant: "", id, historyLength: undefined })).rejects.toThrow(/there is no task/);
    await expect(client.sendMessage(say("x", { contextId: "nobody" }))).rejects.toThrow(/there is no context nobody/);
    await expect(client.sendMessage(say(" "))).rejects.toThrow(/only text, and files as bytes/);
  });
});

describe("who may come in", () => {
  const get = { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "x" } };

  test("nobody without the human's token, not even for the card, and no participant", async () => {
    const secret = server.secrets.give("a1", "r1", "coordinator");
    for (const [authorization, status] of [
      ["", 401],
      ["Bearer wrong", 401],
      [`Bearer ${secret}`, 403],
    ] as const) {
      expect((await server.ask("GET /.well-known/agent-card.json", undefined, { authorization })).status).toBe(status);
      expect((await server.ask("POST /a2a", get, { authorization })).status).toBe(status);
    }
  });

  test("the card names no agent, no model, no path and no token", async () => {
    const { body } = await server.ask("GET /.well-known/agent-card.json");
    expect(body.url).toBe(`${server.url}/a2a`);
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`colour|scripted|${server.home}|${server.token}`));
  });

  test("the card leads to where people came by, is kept for a minute, and whoever has no token is told how to come in", async () => {
    const { host } = new URL(server.url.replace("127.0.0.1", "localhost"));
    const get = (headers = {}) => withToken(server.token)(`http://${host}/.well-known/agent-card.json`, { headers });
    const first = await get();
    const url = `https://${host}/a2a`;
    expect(await first.json()).toMatchObject({ url, supportedInterfaces: [{ url }, { url }] });
    expect(first.headers.get("cache-control")).toMatch(/max-age/);
    expect((await get({ "if-none-match": first.headers.get("etag") })).status).toBe(304);
    const stranger = await server.ask("GET /.well-known/agent-card.json", undefined, { authorization: "" });
    expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="agiraph"']);
  });

  test("what is no request is refused as JSON-RPC does", async () => {
    const code = async (body: unknown, headers = {}) => (await server.ask("POST /a2a", body, headers)).body.error.code;
    expect(await code({ hello: 1 })).toBe(-32600);
    expect(await code({ ...get, method: "constructor" })).toBe(-32601);
    expect(await code({ ...get, params: {} })).toBe(-32602);
    expect(await code(get)).toBe(-32001);
    expect(await code({ ...get, params: [] })).toBe(-32602);
    expect(await code({ ...get, method: "CreateTaskPushNotificationConfig" })).toBe(-32003);
    expect(await code({ ...get, method: "tasks/pushNotificationConfig/set" })).toBe(-32003);
    expect(await code(get, { "a2a-version": "9.0" })).toBe(-32009);
    expect(await code(get, { "content-type": "text/plain" })).toBe(-32700);
    const message = (text: string) => ({ messageId: "twice", parts: [{ text }] });
    const send = (text: string) => ({ ...get, method: "message/send", params: { message: message(text) } });
    await server.ask("POST /a2a", send("One thing"));
    expect(await code(send("Another"))).toBe(-32602);
    expect((await server.ask("GET /a2a")).status).toBe(405);
    expect(server.faults).toEqual([]);
  });
});

test("a new agent is made with what POST /agents takes, and files come as resources", async () => {
  const send = (message: object, method = "SendMessage") =>
    server.ask("POST /a2a", {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { message, configuration: { returnImmediately: true, blocking: false } },
    });
  const raw = Buffer.from("forty-two").toString("base64");
  const parts = [{ text: "Read it" }, { raw, filename: "a.txt", mediaType: "text/plain" }];
  const metadata = { agiraph: { name: "reader", tools: ["ask_human", "finish"], budget: { usd: 3 } } };
  const { body } = await send({ messageId: "with-files", parts, metadata });
  expect(body.result.task.contextId).toBe("reader");
  const look = () =>
    server.runtime.read("reader", ({ agent, resources, accounts, channel }) => ({
      tools: agent?.tools,
      limit: accounts.get("agent")?.limit,
      titles: [...resources.values()].map(({ title }) => title),
      told: channel.filter(({ from }) => from === "human").length,
    }));
  const once = { tools: ["ask_human", "finish"], limit: { usd: 3 }, titles: ["a.txt"], told: 1 };
  expect(await look()).toEqual(once);
  await send({ messageId: "with-files", parts, metadata });
  expect(await look()).toEqual(once);
  const old = { kind: "file", file: { bytes: Buffer.from("more").toString("base64"), name: "b.txt" } };
  await send({ messageId: "more", contextId: "reader", parts: [{ text: "And this" }, old] }, "message/send");
  expect(await look()).toMatchObject({ titles: ["a.txt", "b.txt"], told: 2 });
  const wrong = await send({ messageId: "wrong", parts, metadata: { agiraph: { bugdet: 1 } } });
  expect(wrong.body.error).toMatchObject({ code: -32602, message: expect.stringContaining("bugdet") });
  const fetched = await send({ messageId: "url", parts: [{ text: "x" }, { url: "https://x.example" }] });
  expect(fetched.body.error.code).toBe(-32005);
});

describe("what takes long", () => {
  let patient: TestServer;
  beforeAll(async () => {
    patient = await startTestServer({
      script: slow,
      mounts: ({ client, ...given }) => createA2a({ ...given, client: client("a2a"), beatMs: 50 }),
    });
  });
  afterAll(() => patient.close());
  const post = async (method: string, messageId: string) => {
    const params = { message: { messageId, parts: [{ text: `Wait ${messageId}` }] } };
    const headers = { authorization: `Bearer ${patient.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return (await fetch(`${patient.url}/a2a`, { method: "POST", headers, body })).text();
  };

  test("says from time to time that it goes on, in an answer and in a stream", async () => {
    const [answer, stream] = await Promise.all([post("SendMessage", "one"), post("SendStreamingMessage", "two")]);
    expect(answer).toMatch(/^ {3,}\{/);
    expect(JSON.parse(answer).result.task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(stream.match(/^: under way$/gm)!.length).toBeGreaterThan(2);
    expect(stream).toContain("It took long.");
  });

  test("eight that are handed over at once are eight tasks, and all of them are listed", async () => {
    const sent = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => JSON.parse(await post("SendMessage", `at once, number ${n}`))),
    );
    const ids = sent.map(({ result }) => result.task.id as string);
    expect(new Set(ids).size).toBe(8);
    const list = async (params: object) =>
      (await patient.ask("POST /a2a", { jsonrpc: "2.0", id: 1, method: "ListTasks", params })).body.result;
    const found: string[] = [];
    for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
      const page: { tasks: { id: string; artifacts?: object[] }[]; nextPageToken: string; totalSize: number } =
        await list({ pageSize: 3, ...(pageToken ? { pageToken } : {}) });
      expect(page.totalSize).toBe(10);
      expect(page.tasks.every(({ artifacts }) => artifacts === undefined)).toBe(true);
      found.push(...page.tasks.map(({ id }) => id));
      pageToken = page.nextPageToken || undefined;
    }
    expect(found).toHaveLength(10);
    expect(found).toEqual(expect.arrayContaining(ids));
    const contextId = ids[0]!.split(":")[0]!;
    const [one] = (await list({ contextId, includeArtifacts: true })).tasks;
    expect(one).toMatchObject({ id: ids[0], artifacts: [{ parts: [{ text: "It took long." }] }] });
    expect((await list({ status: "TASK_STATE_WORKING" })).tasks).toEqual([]);
  });
});
