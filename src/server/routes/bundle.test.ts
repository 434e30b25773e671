import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../client/index.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let [here, there]: TestServer[] = [];
beforeAll(async () => {
  [here, there] = [await startTestServer(), await startTestServer()];
});
afterAll(async () => {
  await here!.close();
  await there!.close();
});

test("an agent goes from one daemon to another as one file", async () => {
  const [from, to] = [createClient(here!), createClient(there!)];
  const { id } = await from.createAgent({ body: { goal: "Read the news" } });
  const file = await from.exportAgent({ params: { agent: id } });
  expect(file.headers.get("content-disposition")).toContain("read-the-news.agiraph");
  const made = await to.importAgent({ stream: file.body! });
  expect(made).toMatchObject({ id, goal: "Read the news", status: "paused" });
  expect((await to.listAgents()).items.map((one) => one.id)).toEqual([id]);
});

test("what is no such file, or comes as something else, is refused and leaves nothing", async () => {
  const bad = new Response("no bundle").body!;
  await expect(createClient(there!).importAgent({ stream: bad })).rejects.toMatchObject({ code: "invalid" });
  expect((await there!.ask("POST /agents/import", { goal: "x" })).status).toBe(400);
  expect((await there!.ask("GET /agents/nobody/export")).status).toBe(404);
  expect(there!.faults).toEqual([]);
});
