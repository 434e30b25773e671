import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { docsPage } from "../../api/docs-page.ts";
import { routes } from "../../api/index.ts";
import { openapi } from "../../api/openapi.ts";
import { startTestServer, type TestServer } from "../server.test-help.ts";

describe("the document over HTTP", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  test("is the one of the routes, and needs the token like all else", async () => {
    const { status, body } = await server.ask("GET /openapi.json");
    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(openapi(routes, "0.0.0"))));
    expect((await server.ask("GET /openapi.json", undefined, { authorization: "" })).status).toBe(401);
    expect((await server.ask("GET /docs", undefined, { authorization: "" })).status).toBe(401);
  });

  test("is a page for people that runs nothing and loads nothing, and whose style is allowed", async () => {
    const { status, body, headers } = await server.ask("GET /docs");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = headers.get("content-security-policy")!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'/);
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(body)!;
    expect(policy).toContain(createHash("sha256").update(style!).digest("base64"));
    expect(body).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|https?:|javascript:/i);
    for (const name of Object.keys(routes)) expect(body).toContain(`id="${name}"`);
  });

  test("shows whatever stands in it as text", () => {
    const evil = `<img src=x onerror=alert(1)>"'&`;
    const document = openapi(routes, evil);
    document.info.description = evil;
    document.tags[0]!.description = evil;
    Object.values(document.paths)[0]!.get!.summary = evil;
    const page = docsPage(document);
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;");
  });
});
