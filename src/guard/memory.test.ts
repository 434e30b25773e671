import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { files as disk } from "../lib/machine/files.ts";
import { noon, pathsOf, start } from "./memory.test-help.ts";
import { withEntry } from "./memory-log.ts";
import { listing } from "./memory-opening.ts";
import { workerPlace } from "./memory-place.ts";

describe("files", () => {
  test("what was written is read back, whatever it is, under whatever path is allowed", async () => {
    const { memory, again } = await start();
    const step = fc.stringMatching(/^[a-z0-9äß日][a-z0-9 _äß日-]{0,8}[a-z0-9]$/u);
    const path = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => `${steps.join("/")}.md`);
    const text = fc.string({ unit: "binary", maxLength: 300 }).map((one) => one.toWellFormed());
    const written = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(path, text, async (name, content) => {
        await memory.read(name);
        const { path: said } = await memory.write(name, content);
        expect(said).toBe(`memory/${name}`);
        written.set(said, content);
        expect(await memory.read(name)).toBe(content);
        expect(await memory.read(said)).toBe(content);
      }),
      { numRuns: 60 },
    );
    const other = again();
    for (const [name, content] of written) expect(await other.read(name)).toBe(content);
    expect((await other.list()).map((one) => one.path).sort()).toEqual([...written.keys()].sort());
  });

  test.each([
    "../SOUL.md",
    "knowledge/../../SOUL.md",
    "/etc/passwd.md",
    "memory/../../x.md",
    "..",
    "..\\x.md",
    "C:/x.md",
    "memory\\..\\x.md",
  ])("%j leaves the memory and is refused", async (path) => {
    const { memory } = await start();
    for (const attempt of [memory.read(path), memory.write(path, "x"), memory.edit(path, () => "x")])
      await expect(attempt).rejects.toMatchObject({ code: "path_escapes" });
  });

  test.each([
    "",
    " ",
    "a",
    "a.txt",
    "a//b.md",
    "a/.md",
    ".hidden.md",
    "a/.git/b.md",
    "a\0b.md",
    "a\nb.md",
    "a/b.md/",
    "memory/",
    "a:b.md",
    `${"x".repeat(250)}.md`,
    `${"d/".repeat(9)}x.md`,
  ])("%j is not a path to a note", async (path) => {
    const { memory } = await start();
    await expect(memory.write(path, "x")).rejects.toMatchObject({ code: "invalid" });
  });

  test("no path, however strange, leads out of the memory or to anything but a note", async () => {
    const { memory, root } = await start();
    writeFileSync(join(root, "SOUL.md"), "soul");
    writeFileSync(join(root, "events.jsonl"), "log");
    const piece = fc.constantFrom(
      "..",
      ".",
      "/",
      "\\",
      "memory",
      "SOUL.md",
      "events.jsonl",
      "a",
      "~",
      "%2e%2e",
      "\0",
      " ",
      "x.md",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.constantFrom("", "/"), async (pieces, joint) => {
        await memory.write(pieces.join(joint), "stolen").catch(() => undefined);
        expect(readFileSync(join(root, "SOUL.md"), "utf8")).toBe("soul");
        expect(readFileSync(join(root, "events.jsonl"), "utf8")).toBe("log");
        const there = await disk.list(root);
        for (const { name } of there) expect(["SOUL.md", "events.jsonl", "memory"]).toContain(name);
      }),
      { numRuns: 300 },
    );
  });

  test("a link is never followed, neither a folder's nor a file's, and never listed", async () => {
    const { memory, root, home } = await start();
    mkdirSync(join(root, "memory"));
    writeFileSync(join(home, "secret.md"), "outside");
    mkdirSync(join(home, "out"));
    writeFileSync(join(home, "out", "x.md"), "outside");
    symlinkSync(join(home, "out"), join(root, "memory", "folder"));
    symlinkSync(join(home, "secret.md"), join(root, "memory", "file.md"));
    for (const path of ["folder/x.md", "folder/new.md", "file.md"]) {
      await expect(memory.read(path)).rejects.toMatchObject({ code: "path_escapes" });
      await expect(memory.write(path, "x")).rejects.toMatchObject({ code: "path_escapes" });
    }
    expect(await memory.list()).toEqual([]);
    expect((await memory.search("outside", 5)).found).toEqual([]);
    expect(await memory.opening(noon)).toBe("");
    expect(readFileSync(join(home, "out", "x.md"), "utf8")).toBe("outside");
  });

  test("a memory folder that is a link is as good as none", async () => {
    const { memory, root, home } = await start();
    mkdirSync(join(home, "out"));
    writeFileSync(join(home, "out", "x.md"), "outside");
    symlinkSync(join(home, "out"), join(root, "memory"));
    expect(await memory.list()).toEqual([]);
    await expect(memory.read("x.md")).rejects.toMatchObject({ code: "path_escapes" });
    await expect(memory.write("y.md", "y")).rejects.toMatchObject({ code: "path_escapes" });
  });

  test("a folder in the place of a note, and a note in the place of a folder, are said", async () => {
    const { memory } = await start();
    await memory.write("a.md/b.md", "x");
    await expect(memory.write("a.md", "x")).rejects.toThrow("memory/a.md is a folder; choose another path");
    await expect(memory.read("a.md/b.md/c.md")).rejects.toThrow("memory/a.md/b.md is a file; choose another path");
  });

  test("MEMORY.md means the main file of whoever calls; a worker has a notebook; nobody sees another's", async () => {
    const { home, memory, of } = await start();
    const ann = of(workerPlace(home, "a1", "r1", "ann"));
    const bob = of(workerPlace(home, "a1", "r1", "bob"));
    await memory.write("MEMORY.md", "the agent's zebra");
    expect(await ann.write("MEMORY.md", "ann's zebra")).toMatchObject({ path: "memory.md", outcome: "created" });
    await ann.write("notebook.md", "scratch");
    expect(readFileSync(join(home, "agents/a1/runs/r1/workers/ann/notebook.md"), "utf8")).toBe("scratch");
    expect(await bob.read("MEMORY.md")).toBe(null);
    expect(pathsOf(await bob.search("zebra", 5))).toEqual([]);
    expect((await ann.search("zebra", 5)).found.map((one) => one.text)).toEqual(["ann's zebra"]);
    expect((await memory.search("zebra", 5)).found.map((one) => one.text)).toEqual(["the agent's zebra"]);
    expect(await memory.write("notebook.md", "x")).toMatchObject({ path: "memory/notebook.md" });
  });

  test("nobody overwrites what they have not seen: a person's edit is read first", async () => {
    const { memory, edit, again } = await start();
    await memory.write("knowledge/a.md", "one");
    expect(await memory.write("knowledge/a.md", "two")).toMatchObject({ outcome: "replaced" });
    await edit("memory/knowledge/a.md", "by hand");
    await expect(memory.write("knowledge/a.md", "three")).rejects.toMatchObject({ code: "stale" });
    expect(await memory.read("knowledge/a.md")).toBe("by hand");
    await memory.write("knowledge/a.md", "by hand, and three");
    await expect(again().write("knowledge/a.md", "four")).rejects.toMatchObject({ code: "stale" });
    expect(await again().write("knowledge/a.md", "by hand, and three")).toMatchObject({ outcome: "unchanged" });
  });

  test("what a person puts there is kept until the owner has read it, and is refused by whoever admits it not", async () => {
    const { memory } = await start();
    await memory.write("knowledge/a.md", "mine");
    const seen: (string | null)[] = [];
    await memory.put("knowledge/a.md", "theirs", (there) => void seen.push(there));
    await memory.put("knowledge/b.md", "new", (there) => void seen.push(there));
    expect(seen).toEqual(["mine", null]);
    await expect(memory.write("knowledge/a.md", "mine again")).rejects.toMatchObject({ code: "stale" });
    expect(await memory.read("knowledge/a.md")).toBe("theirs");
    await memory.write("knowledge/a.md", "both");
    const refuse = () => {
      throw new Error("no");
    };
    await expect(memory.put("knowledge/a.md", "x", refuse)).rejects.toThrow("no");
    const secret = `sk-ant-api03-${"a".repeat(90)}`;
    await expect(memory.put("knowledge/a.md", secret, () => undefined)).rejects.toMatchObject({ code: "forbidden" });
    expect(await memory.read("knowledge/a.md")).toBe("both");
    await expect(memory.put("../SOUL.md", "x", () => undefined)).rejects.toMatchObject({ code: "path_escapes" });
  });

  test("who changed a part of a file has not seen the rest of it", async () => {
    const { memory, edit } = await start();
    await edit("TODO.md", "by hand\n");
    expect(await memory.edit("TODO.md", (text) => `${text}more\n`)).toMatchObject({ outcome: "replaced" });
    await expect(memory.write("TODO.md", "all new")).rejects.toMatchObject({ code: "stale" });
    expect(await memory.read("TODO.md")).toBe("by hand\nmore\n");
    expect(await memory.edit("TODO.md", (text) => `${text}and more\n`)).toMatchObject({ outcome: "replaced" });
    await memory.write("TODO.md", "all new");
  });

  test("a note that is too large is refused", async () => {
    const { memory } = await start();
    await expect(memory.write("a.md", "é".repeat(600_000))).rejects.toMatchObject({ code: "too_large" });
  });
});

describe("the daily log", () => {
  test("grows by entries with their time; the same words are kept once", async () => {
    const { memory, at } = await start();
    expect(await memory.write("2026-11-15.md", "first thing")).toMatchObject({
      path: "memory/2026-11-15.md",
      outcome: "appended",
    });
    at("2026-11-15T13:05:00Z");
    await memory.write("memory/2026-11-15.md", "second\n\n## 09:00\n\nthing\n");
    expect(await memory.write("2026-11-15.md", "second\n\n## 09:00\n\nthing")).toMatchObject({ outcome: "unchanged" });
    await memory.write("2026-11-15.md", "thing");
    expect(await memory.read("2026-11-15.md")).toBe(
      "# 2026-11-15\n\n## 12:00\n\nfirst thing\n\n## 13:05\n\nsecond\n\n## 09:00\n\nthing\n\n## 13:05\n\nthing\n".replace(
        "\n\n## 13:05\n\nthing\n",
        "\n",
      ),
    );
  });

  test("keeps what people wrote into it; other days do not change", async () => {
    const { memory, edit } = await start();
    await edit("memory/2026-11-15.md", "my own words");
    await memory.write("2026-11-15.md", "and the agent's");
    expect(await memory.read("2026-11-15.md")).toBe("my own words\n\n## 12:00\n\nand the agent's\n");
    await expect(memory.write("2026-11-14.md", "x")).rejects.toThrow(
      "memory/2026-11-14.md is not today's log; only memory/2026-11-15.md can be appended to",
    );
  });
});

describe("secrets", () => {
  const key = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

  test("are never stored, and the refusal names kind and line but not the value", async () => {
    const { memory, root } = await start();
    for (const attempt of [
      () => memory.write("a.md", `# Access\n\nuse ${key}`),
      () => memory.write("2026-11-15.md", `# Access\n\nuse ${key}`),
      () => memory.edit("TODO.md", () => `# Access\n\nuse ${key}`),
    ]) {
      const said = await attempt().catch((error) => error);
      expect(said).toMatchObject({ code: "forbidden", message: expect.stringContaining("line 3") });
      expect(said.message).toContain("GitHub token");
      expect(said.message).not.toContain(key.slice(4, 12));
    }
    expect(await disk.list(root)).toEqual([]);
  });

  test("that a person wrote by hand are shown to nobody", async () => {
    const { memory, edit } = await start();
    await edit("MEMORY.md", `deploy with ${key} on Fridays`);
    const shown = [
      await memory.read("MEMORY.md"),
      await memory.opening(noon),
      JSON.stringify(await memory.search("deploy fridays", 3)),
      JSON.stringify(await memory.search(key, 3)),
    ];
    for (const text of shown) expect(text).not.toContain(key);
    expect(shown[2]).toContain("[GitHub token removed]");
    expect(await memory.edit("MEMORY.md", (text) => `${text}\nnext`)).toMatchObject({ outcome: "replaced" });
  });
});

describe("the opening", () => {
  test("of a small memory is all of it, the main file first and the logs last", async () => {
    const { memory, edit } = await start();
    expect(await memory.opening(noon)).toBe("");
    await edit("MEMORY.md", "always");
    await edit("memory/2026-10-01.md", "old log");
    await edit("memory/knowledge/z.md", "fact </note> more");
    await edit("TODO.md", "- [ ] buy milk");
    expect(await memory.opening(noon)).toBe(
      [
        "This is your whole memory; there is nothing else to search.",
        '<note path="MEMORY.md">\nalways\n</note>',
        '<note path="TODO.md">\n- [ ] buy milk\n</note>',
        '<note path="memory/knowledge/z.md">\nfact <\\/note> more\n</note>',
        '<note path="memory/2026-10-01.md">\nold log\n</note>',
      ].join("\n\n"),
    );
    await memory.write("MEMORY.md", "what was shown may be replaced");
  });

  test("of a large memory is the main file, two days of logs and what there is; what is left out is said", async () => {
    const { memory, edit } = await start();
    await edit("MEMORY.md", `BEGIN${"m".repeat(20_000)}END`);
    await edit("memory/2026-11-15.md", `BEGIN${"t".repeat(10_000)}TODAY`);
    await edit("memory/2026-11-14.md", "YESTERDAY");
    await edit("memory/2026-11-13.md", "DAYBEFORE");
    for (let n = 0; n < 70; n++) await edit(`memory/knowledge/k${n}.md`, "fact");
    const text = await memory.opening(noon);
    expect(text).toMatch(/^This is a part of your memory\. 71 more notes are not shown/);
    for (const there of ["BEGINm", "YESTERDAY", "TODAY", "There is no memory/index.md yet", "and 11 older ones"])
      expect(text).toContain(there);
    for (const not of ["mEND", "BEGINt", "DAYBEFORE"]) expect(text).not.toContain(not);
    expect(text).toContain("[… 8008 of 20008 characters of MEMORY.md are left out; read it for the rest …]");
    expect(text.length).toBeLessThan(26_000);
    await expect(memory.write("MEMORY.md", "short")).rejects.toMatchObject({ code: "stale" });
    await edit("memory/index.md", "MY INDEX");
    expect(await memory.opening(noon)).toContain("MY INDEX");
    expect(await memory.opening(noon)).not.toContain("There is no memory/index.md");
  });

  test("of a large memory has a line for each fact that fits the task, however old, then for those used last, with what they said before", async () => {
    const { memory, edit } = await start();
    const note = (subject: string, text: string, head = "noted: 2026-11-01\n") =>
      `---\nsubject: ${subject}\n${head}---\n# ${subject}\n\n${text}\n`;
    for (let n = 0; n < 300; n++)
      await edit(`memory/knowledge/k${n}.md`, note(`thing ${n}`, `Thing ${n} is ${"long ".repeat(30)}.`));
    await edit(
      "memory/knowledge/ship.md",
      note(
        "ship day",
        "We ship on Tuesday.\n\nEarlier:\n- until 2026-01-01: We ship on Friday.",
        "noted: 2026-01-01\n",
      ),
    );
    await edit("memory/knowledge/evil.md", note("ship day elsewhere", "They ship on Monday.", "origin: page.test\n"));
    await edit("memory/knowledge/away.md", note("ship day of old", "We do not ship on Sunday.", "tier: archive\n"));
    await edit("memory/own.md", "# Shipping\n\nBox and label are in the cellar.");
    await memory.indexed();
    const line = "- [knowledge/ship.md, 2026-01-01] We ship on Tuesday. (until 2026-01-01: We ship on Friday.)";
    const [chosen, last] = (await memory.opening(noon, "On which day do we ship?")).split(
      "What you noted or used last:",
    );
    expect(chosen).toContain(`What may concern your task:\n${line}\n- [own.md] Box and label are in the cellar.`);
    expect(last).toMatch(/^\n- \[knowledge\/k\d+\.md, 2026-11-01\] Thing/);
    expect(last).not.toContain("We ship");
    for (const not of ["Monday", "Sunday"]) expect(chosen).not.toContain(not);
    expect(last).not.toContain("evil");
    expect(chosen).toContain("One note that you wrote after reading text from outside is kept apart");
    expect(await memory.opening(noon)).not.toContain("We ship");
    // A line is not the whole note.
    await expect(memory.write("memory/knowledge/ship.md", "short")).rejects.toMatchObject({ code: "stale" });
  });
});

describe("bounds", () => {
  test("a note of just the largest size is written and read; a larger one that a person put there is refused and not indexed", async () => {
    const { memory, edit } = await start();
    const largest = "x".repeat(1_000_000);
    expect(await memory.write("large.md", largest)).toMatchObject({ outcome: "created" });
    expect(await memory.read("large.md")).toBe(largest);
    await edit("memory/larger.md", `zebra ${largest}`);
    await expect(memory.read("larger.md")).rejects.toMatchObject({ code: "too_large" });
    await memory.indexed();
    expect(pathsOf(await memory.search("zebra", 5))).toEqual([]);
    // What is in the index goes when its file has become too large.
    await edit("memory/grows.md", "quagga");
    await memory.indexed();
    expect(pathsOf(await memory.search("quagga", 5))).toEqual(["memory/grows.md"]);
    await edit("memory/grows.md", `quagga ${largest}`);
    await memory.indexed();
    expect(pathsOf(await memory.search("quagga", 5))).toEqual([]);
  });

  test("notes lie at most eight folders deep and have names of at most 300 characters", async () => {
    const { memory, edit } = await start();
    const deep = (steps: number) => [...Array.from({ length: steps - 1 }, (_, n) => `d${n}`), "x.md"].join("/");
    expect(await memory.write(deep(8), "here")).toMatchObject({ path: `memory/${deep(8)}` });
    await expect(memory.write(deep(9), "x")).rejects.toMatchObject({ code: "invalid" });
    await edit(`memory/${deep(9)}`, "too deep");
    for (const hidden of ["memory/.hidden/x.md", "memory/.x.md", "memory/x.txt", "memory/md"]) await edit(hidden, "no");
    await edit("memory/ends.", "no");
    expect(await memory.list()).toEqual([{ path: `memory/${deep(8)}`, size: 4 }]);
    const long = (length: number) => `${"abcdefghi/".repeat(7)}${"x".repeat(length - 73)}.md`;
    expect(long(250)).toHaveLength(250);
    expect(await memory.write(long(250), "x")).toMatchObject({ outcome: "created" });
    const flat = (length: number) => `${"y".repeat(180)}/${"x".repeat(length - 184)}.md`;
    expect(await memory.write(flat(300), "x")).toMatchObject({ outcome: "created" });
    await expect(memory.write(flat(301), "x")).rejects.toThrow(/is too long/);
  });

  test("many notes are taken into the index and listed in order, however many are looked at together", async () => {
    const { memory, edit } = await start();
    const names = Array.from({ length: 150 }, (_, n) => `memory/n${String(n).padStart(3, "0")}.md`);
    for (const name of names) await edit(name, `zebra in ${name}`);
    expect((await memory.list()).map(({ path }) => path)).toEqual(names);
    await memory.indexed();
    expect((await memory.search("zebra", 200)).found).toHaveLength(50);
    for (const name of [names[0]!, names[64]!, names[149]!])
      expect(pathsOf(await memory.search(`"${name.slice(7, -3)}"`, 1))).toEqual([name]);
  });
});

test("a list of notes names the sixty newest, in a fixed order, and how many more there are", () => {
  const note = (n: number, changed = n) => ({ path: `memory/${String(n).padStart(2, "0")}.md`, size: n, changed });
  const notes = (count: number) => Array.from({ length: count }, (_, n) => note(n));
  const lines = (count: number) => listing(notes(count)).split("\n").slice(1);
  expect(lines(60)).toHaveLength(60);
  expect(lines(60)[0]).toBe("- memory/59.md (59 bytes)");
  expect(lines(63).slice(-2)).toEqual(["- memory/03.md (3 bytes)", "- … and 3 older ones"]);
  const same = [note(2, 7), note(1, 7), note(3, 7)];
  expect(listing(same).split("\n").slice(1)).toEqual([1, 2, 3].map((n) => `- memory/0${n}.md (${n} bytes)`));
});

test("a memory is shown whole up to twenty thousand characters, and in parts from then on", async () => {
  const opening = async (size: number) => {
    const { memory } = await start();
    await memory.write("MEMORY.md", "m".repeat(10_000));
    await memory.write("one.md", "n".repeat(size - 10_000));
    return memory.opening(noon);
  };
  expect(await opening(20_000)).toMatch(/^This is your whole memory;/);
  expect(await opening(20_001)).toMatch(/^This is a part of your memory. 1 more note is not shown;/);
});

test("a part of just its bound is shown whole, and its writer has seen it; one more character is left out", async () => {
  for (const [size, whole] of [
    [12_000, true],
    [12_001, false],
  ] as const) {
    const { memory, edit } = await start();
    await edit("MEMORY.md", "m".repeat(size));
    await edit("memory/rest.md", "r".repeat(30_000));
    const shown = await memory.opening(noon);
    expect(shown.includes("1 of 12001 characters of MEMORY.md are left out")).toBe(!whole);
    const written = memory.write("MEMORY.md", "new").then(
      () => true,
      () => false,
    );
    expect(await written).toBe(whole);
  }
});

test("the log has an entry once, also if its words are part of another", async () => {
  const day = Date.parse("2026-11-15T09:30:00.000Z");
  const log = withEntry(null, "deploy is done and tested", day);
  expect(log).toBe("# 2026-11-15\n\n## 09:30\n\ndeploy is done and tested\n");
  const part = withEntry(log, "deploy is done", day);
  expect(part).toBe(`${log}\n## 09:30\n\ndeploy is done\n`);
  expect(withEntry(part, "  deploy is done ", day)).toBe(part);
  expect(withEntry(part, "done and tested", day)).toBe(`${part}\n## 09:30\n\ndone and tested\n`);
  expect(withEntry(null, "  ", day)).toBe("");
  expect(withEntry(log, " ", day)).toBe(log);
});

describe("a version that its owner has not seen", () => {
  test("is unread until it is read or shown in the opening; a glance, a search and an empty file do not count, nor does a log", async () => {
    const { memory, edit, again } = await start();
    const paths = ["knowledge/a.md", "MEMORY.md", "TODO.md", "2026-11-15.md", "knowledge/none.md"];
    await edit("memory/knowledge/a.md", "by hand");
    await edit("MEMORY.md", "by hand");
    await edit("TODO.md", " \n");
    await memory.write("2026-11-15.md", "an entry");
    const unread = async (one = memory) => {
      const all = await Promise.all(paths.map(async (path) => ((await one.isUnread(path)) ? [path] : [])));
      return all.flat();
    };
    expect(await unread()).toEqual(["knowledge/a.md", "MEMORY.md"]);
    expect(await memory.peek("knowledge/a.md")).toBe("by hand");
    await memory.find("hand", 3);
    expect(await unread()).toEqual(["knowledge/a.md", "MEMORY.md"]);
    await memory.read("knowledge/a.md");
    expect(await unread()).toEqual(["MEMORY.md"]);
    await memory.opening(noon);
    expect(await unread()).toEqual([]);
    // Another process has seen nothing yet.
    expect(await unread(again())).toEqual(["knowledge/a.md", "MEMORY.md"]);
  });

  test("may be replaced if nothing is in it, and a change that changes nothing is not a write", async () => {
    const { memory, edit } = await start();
    await edit("memory/knowledge/a.md", " \n");
    expect(await memory.write("knowledge/a.md", "new")).toMatchObject({ outcome: "replaced", text: "new" });
    expect(await memory.edit("knowledge/a.md", (text) => text)).toEqual({
      path: "memory/knowledge/a.md",
      outcome: "unchanged",
    });
    expect(await memory.edit("knowledge/none.md", (text) => text)).toMatchObject({ outcome: "unchanged" });
    expect(await memory.peek("knowledge/none.md")).toBeNull();
    expect(await memory.edit("knowledge/b.md", () => "first")).toMatchObject({ outcome: "created", text: "first" });
    // Who made the whole file has seen it.
    expect(await memory.write("knowledge/b.md", "second")).toMatchObject({ outcome: "replaced" });
    await memory.put("knowledge/b.md", "second", () => undefined);
    expect(await memory.isUnread("knowledge/b.md")).toBe(false);
  });
});

test("a secret that a person left in a note does not keep others from changing it, a further one does; the refusal counts them", async () => {
  const { memory, edit } = await start();
  const key = (letter: string) => `ghp_${letter}${"1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
  await edit("TODO.md", `use ${key("a")}`);
  expect(await memory.peek("TODO.md")).toBe("use [GitHub token removed]");
  await memory.edit("TODO.md", (text) => `${text}\nnext`);
  await memory.put("TODO.md", `use ${key("a")}\nnext, by hand`, () => undefined);
  const further = (text: string) => `${text}\nand ${key("b")}`;
  await expect(memory.edit("TODO.md", further)).rejects.toMatchObject({
    code: "forbidden",
    message: expect.stringMatching(
      /line 1 has what looks like a secret \(GitHub token\) \(and 1 more\)\. Memory stores no secrets/,
    ),
  });
  await expect(memory.put("TODO.md", further(key("a")), () => undefined)).rejects.toMatchObject({ code: "forbidden" });
  await expect(memory.write("knowledge/x.md", key("a"))).rejects.toMatchObject({
    message: expect.not.stringContaining("more)"),
  });
});

test("the origin of a note is in its head; one that is not there, or has no head, has none", async () => {
  const { memory } = await start();
  await memory.write("knowledge/a.md", "---\norigin: evil.example\n---\ntext");
  await memory.write("knowledge/b.md", "text");
  const origins = ["knowledge/a.md", "knowledge/b.md", "knowledge/none.md"].map((path) => memory.origin(path));
  expect(await Promise.all(origins)).toEqual(["evil.example", undefined, undefined]);
});
