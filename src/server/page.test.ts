import { describe, expect, test } from "vitest";
import { servePage } from "./page.ts";

const built: Record<string, string> = {
  "index.html": "<!doctype html>the page",
  "assets/main-abc123.js": "run()",
  "theme.js": "dark()",
  "secret.env": "KEY",
};
const asked: string[] = [];
const read = async (path: string) => {
  asked.push(path);
  const text = built[path];
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text));
};
const get = async (path: string) => {
  const response = await servePage(read, path, true);
  return { text: await response.text(), headers: response.headers };
};

describe("the page for people", () => {
  test("is what every address of it gives that is no file", async () => {
    for (const path of ["", "agents/x/talk", "agents/x.y/talk", "needs-you"])
      expect((await get(path)).text).toBe("<!doctype html>the page");
  });

  test("may run our own scripts and nothing else, and is asked for each time", async () => {
    const { headers } = await get("");
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get("cache-control")).toBe("no-cache");
  });

  test("has files that are kept for good when their name has their print, with their own type", async () => {
    const { text, headers } = await get("assets/main-abc123.js");
    expect(text).toBe("run()");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect((await get("theme.js")).headers.get("cache-control")).toBe("no-cache");
    await expect(servePage(read, "assets/gone-1.js", true)).rejects.toMatchObject({ code: "not_found" });
  });

  test("T6 gives nothing that lies beside it", async () => {
    asked.length = 0;
    for (const path of [
      "../secret.env",
      "assets/../../x.js",
      "..%2fx.js",
      "/etc/passwd",
      "secret.env",
      ".env",
      "a\\b.js",
    ])
      expect((await servePage(read, path, true).catch(() => new Response("refused"))).status).toBe(200);
    expect(asked.filter((path) => path !== "index.html")).toEqual([]);
  });

  test("says how it is built where it was not", async () => {
    expect(await (await servePage(async () => undefined, "", true)).text()).toContain("npm run build");
    expect(await (await servePage(undefined, "", true)).text()).toContain("npm run build");
  });
});
