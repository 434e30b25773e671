import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBounds, findInFiles } from "../../runtime/workspace/find-in-files.ts";
import { startTeam, type Team } from "../team.test-help.ts";

describe("words in files, and files as they were", () => {
  let team: Team;
  let workspace = "";
  beforeAll(async () => {
    team = await startTeam();
    workspace = join(team.home, "agents", team.agent, "runs/r1");
  });
  afterAll(async () => {
    await team.close();
    expect(team.faults).toEqual([]);
  });

  const find = (query: string, more = "") =>
    team.ask(`GET ${team.at}/find?query=${encodeURIComponent(query)}${more}`).then(({ body }) => body);
  const paths = (body: { items: { path: string }[] }) => body.items.map(({ path }) => path);

  test("names and lines are found whatever their case, with the place of the words", async () => {
    mkdirSync(join(workspace, "larch"));
    writeFileSync(join(workspace, "larch/a.txt"), "one\r\n  the LARCH (one), larch\r\n\nLarch");
    writeFileSync(join(workspace, "b.txt"), `${"x".repeat(500)}larch${"y".repeat(500)}`);
    const { items, next, skipped } = await find("larch");
    expect([next, skipped]).toEqual([null, 0]);
    expect(items).toMatchObject([
      { path: "b.txt", named: false, more: false, lines: [{ line: 1, from: 101, to: 106 }] },
      {
        path: "larch/a.txt",
        named: true,
        lines: [
          { line: 2, text: "the LARCH (one), larch", from: 4, to: 9 },
          { line: 4, text: "Larch", from: 0, to: 5 },
        ],
      },
    ]);
    const { text, from, to } = items[0].lines[0];
    expect(text.slice(from, to)).toBe("larch");
    expect(text.length).toBeLessThan(210);
    // As it is written: nothing in it is a pattern.
    expect(paths(await find("(one)"))).toEqual(["larch/a.txt"]);
    expect(paths(await find(".*"))).toEqual([]);
  });

  test("links, second names, bytes and very large files are left out, and nothing beyond the tree is looked at", async () => {
    writeFileSync(join(team.home, "secret.txt"), "CANARY");
    symlinkSync(join(team.home, "secret.txt"), join(workspace, "link.txt"));
    symlinkSync(team.home, join(workspace, "folder"));
    linkSync(join(team.home, "secret.txt"), join(workspace, "twin.txt"));
    writeFileSync(join(workspace, "bytes.bin"), Buffer.from("CANARY\0"));
    writeFileSync(join(workspace, "huge.txt"), `CANARY${"x".repeat(5_000_000)}`);
    const body = await find("canary");
    expect([body.items, body.skipped]).toEqual([[], 3]);
    expect((await find("canary", "&of=memory")).items).toEqual([]);
    expect(paths(await find("SQLite", "&of=memory"))).toEqual(["knowledge/databases.md"]);
    expect(paths(await find("two things", "&of=memory"))).toContain("GOAL.md");
    for (const bad of ["query=", "query=a%0Ab", "query=a&run=../x", "query=a&limit=0", "query=a&cursor=x", ""])
      expect((await team.ask(`GET ${team.at}/find?${bad}`)).status, bad).toBe(400);
    expect((await team.ask(`GET ${team.at}/find?query=a&run=r9`)).status).toBe(404);
    expect((await team.ask("GET /agents/nobody/find?query=a")).status).toBe(404);
  });

  test("page by page everything is found once", async () => {
    for (const folder of ["p", "p/q", "p-q", "p/q/r"]) {
      mkdirSync(join(workspace, folder), { recursive: true });
      for (const name of ["a.txt", "b.txt", "q.txt"])
        writeFileSync(join(workspace, folder, name), "needle\n".repeat(30));
    }
    const whole = await find("needle");
    expect(whole.items.length).toBe(12);
    expect(whole.items[0]).toMatchObject({ more: true });
    expect(whole.items[0].lines.length).toBe(20);
    for (const limit of [1, 5]) {
      const seen: string[] = [];
      let cursor = "";
      for (let pages = 0; pages < 50; pages++) {
        const body = await find("needle", `&limit=${limit}${cursor}`);
        seen.push(...paths(body));
        expect(body.items.length).toBeLessThanOrEqual(limit);
        if (body.next === null) break;
        cursor = `&cursor=${body.next}`;
      }
      expect(seen).toEqual(paths(whole));
    }
  });

  test("one call looks at so much, and says where to go on", async () => {
    const { files } = await team.runtime.reading(team.agent);
    const clock = { now: () => 0, mono: () => 0, after: () => () => undefined };
    for (const [name, few] of Object.entries({ files: 2, bytes: 10, ms: 0 })) {
      const seen: string[] = [];
      let after: string | undefined;
      let calls = 0;
      for (; calls < 100; calls++) {
        const wanted = { query: "needle", limit: 100, after };
        const found = await findInFiles(files, clock, { of: "workspace" }, wanted, { ...findBounds, [name]: few });
        seen.push(...found.files.map(({ path }) => path));
        if (found.next === null) break;
        after = found.next;
      }
      expect(seen, name).toEqual(paths(await find("needle")));
      expect(calls, name).toBeGreaterThan(5);
    }
  });

  test("what was published is compared with the log: a change, a file that is gone and one that came are told", async () => {
    const sealed = () => team.ask(`GET ${team.at}/sealed/n1-first`).then(({ body }) => body);
    expect(await sealed()).toMatchObject({ whole: true, added: [], files: [{ path: "page.html", found: "same" }] });
    const folder = join(workspace, "nodes/n1-first/published");
    for (const path of [folder, join(folder, "page.html")]) chmodSync(path, 0o755);
    writeFileSync(join(folder, "more.txt"), "x");
    expect(await sealed()).toMatchObject({ whole: false, added: ["more.txt"], files: [{ found: "same" }] });
    writeFileSync(join(folder, "page.html"), "other");
    expect(await sealed()).toMatchObject({ whole: false, added: ["more.txt"], files: [{ found: "changed" }] });
    rmSync(join(folder, "page.html"));
    expect(await sealed()).toMatchObject({ whole: false, files: [{ found: "missing" }] });
    expect((await team.ask(`GET ${team.at}/sealed/n2-second`)).status).toBe(404);
    expect((await team.ask(`GET ${team.at}/sealed/n1-first?run=r9`)).status).toBe(404);
  });

  test("a document has its versions, each with its text; what was not kept says so", async () => {
    const document = `${team.at}/workspace/documents/plan.md`;
    const { sha256 } = (await team.ask(`PUT ${document}`, { text: "# One\n" })).body;
    await team.ask(`PUT ${document}`, { text: "# Two\n" }, { "if-match": `"${sha256}"` });
    const versions = (path: string, more = "") =>
      team.ask(`GET ${team.at}/versions?path=${encodeURIComponent(path)}${more}`).then(({ body }) => body);
    const { items } = await versions("documents/plan.md");
    expect(items).toMatchObject([
      { version: 2, by: "human", kept: true, removed: false },
      { version: 1, by: "human", kept: true, sha256 },
    ]);
    const first = await team.ask(`GET ${team.at}/versions/${items[1].seq}`);
    expect(first.body).toMatchObject({ text: "# One\n", size: 6, truncated: false, version: 1 });
    const page = await versions("documents/plan.md", "&limit=1");
    expect(page.items).toMatchObject([{ version: 2 }]);
    expect((await versions("documents/plan.md", `&limit=1&cursor=${page.next}`)).items).toMatchObject([{ version: 1 }]);

    const soul = `${team.at}/memory/SOUL.md`;
    const before = (await team.ask(`GET ${soul}`)).body;
    await team.ask(`PUT ${soul}`, { text: "Mine" }, { "if-match": `"${before.sha256}"` });
    const souls = (await versions("SOUL.md", "&of=memory")).items;
    expect(souls.map(({ by, kept }: { by: string; kept: boolean }) => [by, kept])).toEqual([
      ["human", true],
      ["system", true],
    ]);
    expect((await team.ask(`GET ${team.at}/versions/${souls[1].seq}`)).body.text).toBe(before.text);
    const notes = (await versions("knowledge/databases.md", "&of=memory")).items;
    expect(notes).toMatchObject([{ by: "coordinator", kept: true, removed: false }]);
    expect((await team.ask(`GET ${team.at}/versions/${notes[0].seq}`)).body.text).toContain("SQLite is enough");
    const specs = (await versions("nodes/n1-first/_spec.md")).items;
    expect(specs).toMatchObject([{ by: "system", kept: false, removed: false }]);
    expect((await team.ask(`GET ${team.at}/versions/${specs[0].seq}`)).body.error.code).toBe("not_found");
    for (const seq of ["1", "99999"]) expect((await team.ask(`GET ${team.at}/versions/${seq}`)).status, seq).toBe(404);
    expect((await versions("no/such.md")).items).toEqual([]);
    expect((await team.ask(`GET ${team.at}/versions?path=a&run=r9`)).status).toBe(404);
  });
});
