import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request as rawRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTeam, type Team } from "../team.test-help.ts";

describe("files over HTTP", () => {
  let team: Team;
  let [agentHome, workspace, page] = ["", "", ""];
  beforeAll(async () => {
    team = await startTeam();
    agentHome = join(team.home, "agents", team.agent);
    workspace = join(agentHome, "runs/r1");
    page = `${team.at}/workspace/nodes/n1-first/published/page.html`;
  });
  afterAll(async () => {
    await team.close();
    expect(team.faults).toEqual([]);
  });

  /** Sends the path as it is; fetch would tidy it first. */
  function raw(path: string, method = "GET"): Promise<{ status: number; body: string }> {
    const { hostname, port } = new URL(team.url);
    const headers = { authorization: `Bearer ${team.token}` };
    return new Promise((resolve, reject) => {
      const sent = rawRequest({ hostname, port, path, method, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (part) => {
          body += part;
        });
        response.on("end", () => resolve({ status: response.statusCode!, body }));
      });
      sent.on("error", reject).end();
    });
  }

  test("a folder is listed, a file is told with its text and version", async () => {
    const top = await team.ask(`GET ${team.at}/workspace`);
    expect(top.body).toMatchObject({ kind: "folder", path: "" });
    expect(top.body.entries.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["_plan.md", "nodes"]),
    );
    expect((await team.ask(`GET ${team.at}/workspace/nodes/`)).body.entries).toMatchObject([
      { name: "n1-first", kind: "folder" },
      { name: "n2-second", kind: "folder" },
    ]);
    expect((await team.ask(`GET ${page}`)).body).toMatchObject({
      kind: "file",
      size: 25,
      type: "text/plain; charset=utf-8",
      text: "<script>alert(1)</script>",
      truncated: false,
    });
    writeFileSync(join(workspace, "bytes.bin"), Buffer.from([0, 255, 1]));
    expect((await team.ask(`GET ${team.at}/workspace/bytes.bin`)).body).toMatchObject({ text: null, size: 3 });
    expect((await team.ask(`GET ${team.at}/workspace/no/such`)).body.error.code).toBe("not_found");
    expect((await team.ask(`GET ${team.at}/workspace/_plan.md/x`)).status).toBe(404);
    for (const path of ["workspace/", "memory/"])
      expect((await team.ask(`GET ${team.at}/${path}`)).body).toMatchObject({ kind: "folder", path: "" });
    for (const query of ["raw=maybe", "run=../r1", "run=r1%2f..", "raw=1"])
      expect((await team.ask(`GET ${team.at}/workspace?${query}`)).status, query).toBe(400);
    expect((await team.ask(`GET ${team.at}/workspace?run=r9`)).body.error.message).toContain("r1");
  });

  test("memory is shown with goal and soul, and nothing else of the home", async () => {
    const { entries } = (await team.ask(`GET ${team.at}/memory`)).body;
    expect(entries.map(({ name }: { name: string }) => name)).toEqual(["GOAL.md", "SOUL.md", "knowledge"]);
    expect((await team.ask(`GET ${team.at}/memory/knowledge/databases.md`)).body.text).toContain("SQLite");
    expect((await team.ask(`GET ${team.at}/memory/memory/knowledge/databases.md`)).body.text).toContain("SQLite");
    expect((await team.ask(`GET ${team.at}/memory/GOAL.md`)).body.text).toContain("Look at two things");
    for (const other of ["runs", "blobs", "triggers.json", "events.jsonl", "log"])
      expect((await team.ask(`GET ${team.at}/memory/${other}`)).status, other).toBe(404);
  });

  test("no path leads out: not by dots, encodings, slashes, backslashes, links or second names", async () => {
    writeFileSync(join(team.home, "secret.txt"), "CANARY");
    await team.ask("POST /agents", { goal: "Another" });
    symlinkSync(join(team.home, "secret.txt"), join(workspace, "link.txt"));
    symlinkSync(team.home, join(workspace, "folder"));
    linkSync(join(team.home, "secret.txt"), join(workspace, "twin.txt"));
    const out = ["../../../../secret.txt", "../../secret.txt", "../another/GOAL.md"];
    const written = out.flatMap((path) => [
      path,
      path.replaceAll("..", "%2e%2e"),
      path.replaceAll("..", ".%2E"),
      path.replaceAll("/", "%2f"),
      path.replaceAll("..", "%2e%2e").replaceAll("/", "%2F"),
      path.replaceAll("/", "%5c"),
      path.replaceAll("/", "\\"),
      `x/${path}`,
      `%2e/${path}`,
      encodeURIComponent(encodeURIComponent(path)),
    ]);
    const absolute = [
      join(team.home, "secret.txt"),
      `/${team.home}/secret.txt`,
      "/etc/passwd",
      "%2fetc%2fpasswd",
      "~/x",
    ];
    const odd = [
      "a%00b",
      "_plan.md%00.png",
      "%00",
      "C:%5cx",
      "C:/x",
      "a%0ab",
      "a//b",
      "./a",
      "%ff",
      "%u2215",
      "a%e2%80%a8b",
    ];
    for (const tree of ["workspace", "memory"])
      for (const path of [...written, ...absolute, ...odd, "link.txt", "folder", "folder/secret.txt", "twin.txt"])
        for (const end of ["", "?raw=1"]) {
          const { status, body } = await raw(`${team.at}/${tree}/${path}${end}`);
          expect(body, path).not.toContain("CANARY");
          expect(body, path).not.toContain("root:");
          if (!path.includes(team.home)) expect(body, path).not.toContain(team.home);
          expect([400, 403, 404], `${tree}/${path}: ${status} ${body}`).toContain(status);
        }
    const refused = ["..%2f..%2fx", "link.txt", "twin.txt", "folder/secret.txt", "a%00b", "..%5cx"];
    for (const path of refused) {
      const { status, body } = await raw(`${team.at}/workspace/${path}`);
      expect([status, JSON.parse(body).error.code], path).toEqual([403, "path_escapes"]);
    }
  });

  test("bytes come with an ETag, and only if they changed", async () => {
    const first = await team.ask(`GET ${page}?raw=1`);
    expect([first.status, first.body]).toEqual([200, "<script>alert(1)</script>"]);
    const etag = first.headers.get("etag")!;
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await team.ask(`GET ${page}?raw=1`, undefined, { "if-none-match": tags });
      expect([again.status, again.body, again.headers.get("etag")], tags).toEqual([304, "", etag]);
    }
    expect((await team.ask(`GET ${page}?raw=1`, undefined, { "if-none-match": '"x"' })).status).toBe(200);
    const head = await team.ask(`HEAD ${page}?raw=1`);
    expect([head.status, head.body, head.headers.get("etag")]).toEqual([200, "", etag]);
  });

  test("a part of the bytes is given as asked, and a range outside is refused", async () => {
    const part = async (range: string, more = {}) => {
      const { status, body, headers } = await team.ask(`GET ${page}?raw=1`, undefined, { range, ...more });
      return [status, body, headers.get("content-range")];
    };
    expect(await part("bytes=0-7")).toEqual([206, "<script>", "bytes 0-7/25"]);
    expect(await part("bytes=16-")).toEqual([206, "</script>", "bytes 16-24/25"]);
    expect(await part("bytes=-9")).toEqual([206, "</script>", "bytes 16-24/25"]);
    expect(await part("bytes=0-999")).toEqual([206, "<script>alert(1)</script>", "bytes 0-24/25"]);
    expect((await part("bytes=-999"))[2]).toBe("bytes 0-24/25");
    for (const outside of ["bytes=25-", "bytes=25-30", "bytes=-0", "bytes=99999999999999999999-"]) {
      const [status, body, place] = await part(outside);
      expect([status, place], outside).toEqual([416, "bytes */25"]);
      expect((body as unknown as { error: { code: string } }).error.code).toBe("invalid");
    }
    for (const ignored of ["bytes=7-0", "lines=0-1", "bytes=0-1,3-4", "bytes=", "x"])
      expect((await part(ignored))[0], ignored).toBe(200);
    expect((await part("bytes=0-7", { "if-range": '"another"' }))[0]).toBe(200);
    const { headers } = await team.ask(`GET ${page}?raw=1`);
    expect((await part("bytes=0-7", { "if-range": headers.get("etag")! }))[0]).toBe(206);
  });

  test("nothing is given out as a type that could run", async () => {
    const names =
      "a.html a.htm a.xhtml a.svg a.xml a.js a.mjs a.css a.md a.HTML a.svgz a.swf a.exe a.zip a a.wasm a.mhtml a.hta".split(
        " ",
      );
    for (const name of [...names, "a.png", "a.pdf"]) {
      writeFileSync(join(workspace, name), "<svg onload=alert(1)>");
      const { headers } = await team.ask(`GET ${team.at}/workspace/${name}?raw=1`);
      const type = headers.get("content-type")!;
      expect(type, name).toMatch(
        /^(text\/plain; charset=utf-8|application\/octet-stream|image\/png|application\/pdf)$/,
      );
      expect(headers.get("content-security-policy")).toContain("sandbox");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      const disposition = type === "application/octet-stream" ? /^attachment;/ : /^inline;/;
      expect(headers.get("content-disposition"), name).toMatch(disposition);
    }
    const [resource] = (await team.ask(`GET ${team.at}/resources`)).body.items;
    const { headers, body } = await team.ask(`GET ${team.at}/resources/${resource.id}?raw=1`);
    expect([headers.get("content-type"), body]).toEqual(["text/plain; charset=utf-8", "<script>alert(1)</script>"]);
    expect(headers.get("content-disposition")).toBe("inline; filename*=UTF-8''A%20%3Cpage%3E");
  });

  test("a name cannot end a header", async () => {
    const name = `q"';\u00e9\u202e (1).txt`;
    writeFileSync(join(workspace, name), "x");
    const { headers } = await team.ask(`GET ${team.at}/workspace/${encodeURIComponent(name)}?raw=1`);
    expect(headers.get("content-disposition")).toMatch(/^inline; filename\*=UTF-8''[\w%.-]+$/);
  });

  test("people replace what they have read; a version they have not read is a conflict, and stays", async () => {
    const soul = `${team.at}/memory/SOUL.md`;
    const { sha256 } = (await team.ask(`GET ${soul}`)).body;
    const blind = await team.ask(`PUT ${soul}`, { text: "Mine" });
    expect([blind.status, blind.body.error]).toMatchObject([409, { code: "conflict", details: { sha256 } }]);
    const mine = await team.ask(`PUT ${soul}`, { text: "Mine" }, { "if-match": `"${sha256}"` });
    expect(mine).toMatchObject({ status: 200, body: { path: "SOUL.md", size: 4 } });
    expect(readFileSync(join(agentHome, "SOUL.md"), "utf8")).toBe("Mine");
    const late = await team.ask(`PUT ${soul}`, { text: "Yours" }, { "if-match": `"${sha256}"` });
    expect(late.status).toBe(409);
    const repeated = await team.ask(`PUT ${soul}`, { text: "Mine" }, { "if-match": `"${sha256}"` });
    expect(repeated.status).toBe(200);
    expect((await team.ask(`PUT ${soul}`, { text: "Ours" }, { "if-match": "*" })).status).toBe(200);
    expect((await team.ask(`PUT ${soul}`, { text: "x" }, { "if-match": "abc" })).status).toBe(400);
    const edited = (await history()).filter(({ type }) => type === "file.edited");
    expect(edited.map(({ actor, data }) => [actor, data.path])).toEqual([
      ["human", "SOUL.md"],
      ["human", "SOUL.md"],
    ]);
  });

  test("of writers who have read the same version, one is heard and the others are told", async () => {
    for (const path of ["memory/GOAL.md", "memory/knowledge/databases.md", "workspace/nodes/n1-first/_spec.md"]) {
      const { sha256 } = (await team.ask(`GET ${team.at}/${path}`)).body;
      const write = (text: string) => team.ask(`PUT ${team.at}/${path}`, { text }, { "if-match": `"${sha256}"` });
      const answers = await Promise.all(["one", "two", "three", "four"].map(write));
      const heard = answers.filter(({ status }) => status === 200);
      expect(heard.length, path).toBe(1);
      expect(answers.filter(({ status }) => status === 409).length, path).toBe(3);
      expect((await team.ask(`GET ${team.at}/${path}`)).body.sha256).toBe(heard[0]!.body.sha256);
    }
  });

  test("a folder with very much in it is told in part", async () => {
    mkdirSync(join(workspace, "many"));
    for (let n = 0; n < 1_001; n++) writeFileSync(join(workspace, "many", String(n)), "");
    const { body } = await team.ask(`GET ${team.at}/workspace/many`);
    expect([body.entries.length, body.truncated]).toEqual([1_000, true]);
  });

  test("a note is written, found, and not overwritten by who has not read it", async () => {
    const note = `${team.at}/memory/people/anna.md`;
    const made = await team.ask(`PUT ${note}`, { text: "# Anna\n\nPlays the bassoon.\n" });
    expect(made.status).toBe(200);
    expect(readFileSync(join(agentHome, "memory/people/anna.md"), "utf8")).toContain("bassoon");
    const { found } = (await team.ask(`POST ${team.at}/memory/search`, { query: "bassoon" })).body;
    expect(found[0].path).toBe("memory/people/anna.md");
    expect((await team.ask(`PUT ${note}`, { text: "x" })).status).toBe(409);
    expect((await team.ask(`PUT ${note}`, { text: "# Anna\n" }, { "if-match": `"${made.body.sha256}"` })).status).toBe(
      200,
    );
    const secret = await team.ask(`PUT ${team.at}/memory/keys.md`, { text: `key: sk-ant-api03-${"a".repeat(90)}` });
    expect([secret.status, secret.body.error.code]).toEqual([403, "forbidden"]);
    expect(existsSync(join(agentHome, "memory/keys.md"))).toBe(false);
  });

  test("a document is written in versions, a spec is replaced, and nothing else of a workspace is", async () => {
    const document = `${team.at}/workspace/documents/decisions.md`;
    const first = await team.ask(`PUT ${document}`, { text: "# One\n" });
    expect(first.status).toBe(200);
    expect((await team.ask(`PUT ${document}`, { text: "# Two\n" })).status).toBe(409);
    const second = await team.ask(`PUT ${document}`, { text: "# Two\n" }, { "if-match": `"${first.body.sha256}"` });
    expect(second.status).toBe(200);
    expect((await team.ask(`GET ${team.at}/documents`)).body.items).toMatchObject([
      { name: "decisions.md", version: 2, by: "human", sha256: second.body.sha256, size: 6 },
    ]);
    expect((await team.ask(`GET ${document}`)).body.text).toBe("# Two\n");
    const spec = `${team.at}/workspace/nodes/n2-second/_spec.md`;
    const { sha256 } = (await team.ask(`GET ${spec}`)).body;
    expect((await team.ask(`PUT ${spec}`, { text: "Do it well" }, { "if-match": `"${sha256}"` })).status).toBe(200);
    expect((await team.ask(`GET ${team.at}/board/n2`)).body.spec).toBe("Do it well");
    for (const path of [
      "nodes/n1-first/published/page.html",
      "_plan.md",
      "new.md",
      "nodes/n9/_spec.md",
      "documents/a/b.md",
    ])
      expect(
        (await team.ask(`PUT ${team.at}/workspace/${path}`, { text: "x" }, { "if-match": "*" })).status,
        path,
      ).toBe(403);
    for (const path of ["documents/a.exe", "documents/Decisions.md"])
      expect((await team.ask(`PUT ${team.at}/workspace/${path}`, { text: "x" })).status, path).toBeGreaterThanOrEqual(
        400,
      );
    expect(existsSync(join(workspace, "documents/Decisions.md"))).toBe(false);
  });

  test("a write leads nowhere else, and has to be a text", async () => {
    mkdirSync(join(team.home, "elsewhere"));
    symlinkSync(join(team.home, "elsewhere"), join(agentHome, "memory/away"));
    for (const path of [
      "..%2fx.md",
      "..%2f..%2fanother%2fSOUL.md",
      "away/x.md",
      "x.txt",
      "a%00.md",
      ".hidden.md",
      "knowledge",
    ]) {
      const { status } = await team.ask(`PUT ${team.at}/memory/${path}`, { text: "x" }, { "if-match": "*" });
      expect([400, 403, 404, 409], path).toContain(status);
    }
    expect(existsSync(join(team.home, "elsewhere/x.md"))).toBe(false);
    for (const body of [{}, { text: 1 }, { text: "x", tekst: "y" }, [], "no json"])
      expect((await team.ask(`PUT ${team.at}/memory/x.md`, body)).status, JSON.stringify(body)).toBe(400);
    expect((await team.ask(`PUT ${team.at}/memory/x.md`, '{"text":"\\ud800"}')).status).toBe(400);
    expect((await team.ask(`PUT ${team.at}/memory/x.md`, { text: "x".repeat(2_000_001) })).status).toBe(400);
  });

  async function history() {
    // biome-ignore lint/suspicious/noExplicitAny: looked at as it is
    const all: any[] = [];
    for await (const events of (await team.runtime.reading(team.agent)).events(0)) all.push(...events);
    return all;
  }
});
