import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "./server.test-help.ts";

describe("agents over HTTP", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  test("one that is created is listed, and found by its id", async () => {
    const made = await server.ask("POST /agents", { goal: "Read the news" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ id: "read-the-news", goal: "Read the news", mode: "finite", run: "r1" });
    expect((await server.ask("GET /agents/read-the-news")).body.id).toBe("read-the-news");
    expect((await server.ask("GET /agents")).body.items.map(({ id }: { id: string }) => id)).toContain("read-the-news");
  });

  test("an unknown one is named, with those there are", async () => {
    const { status, body } = await server.ask("GET /agents/nobody");
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ code: "not_found", message: expect.stringContaining("read-the-news") });
  });

  test("without a token there is nothing but health", async () => {
    expect((await server.ask("GET /agents", undefined, { authorization: "" })).status).toBe(401);
    expect((await server.ask("GET /health", undefined, { authorization: "" })).body.status).toBe("ready");
  });
});
