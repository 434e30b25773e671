import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import { Problem } from "../schema/problem.ts";
import { readSkill } from "./skill.ts";

const head = (name: string, about = "For tests") => `---\nname: ${name}\ndescription: ${about}\n---\n`;

function folder(files: Record<string, string | Buffer>): string {
  const made = mkdtempSync(join(tmpdir(), "agiraph-skill-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), content);
  }
  return made;
}

const read = (at: string) => readSkill(machine.files.within(at));
async function refused(at: string): Promise<string> {
  const problem = await read(at).catch((error) => error);
  expect(problem).toBeInstanceOf(Problem);
  return problem.message;
}

test("a skill is its head, its text and its files; .git beside it is not part of it", async () => {
  const at = folder({
    "SKILL.md": `\ufeff${head("a-1", "What it is").replaceAll("\n", "\r\n")}Do it.`,
    "b/c.md": "c",
    ".git/x": "x",
  });
  const { name, description, text, files } = await read(at);
  expect({ name, description, files: files.map(({ path }) => path) }).toEqual({
    name: "a-1",
    description: "What it is",
    files: ["SKILL.md", "b/c.md"],
  });
  expect(text).toContain("Do it.");
});

test("the hash is the same for the same files, and another for any other name or content", async () => {
  const files = { "SKILL.md": head("a"), "b.md": "b", "c.md": "" };
  const { hash } = await read(folder(files));
  expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect((await read(folder(files))).hash).toBe(hash);
  const others: Record<string, string>[] = [
    { "b.md": "B" },
    { "b.md": "", "c.md": "b" },
    { "d.md": "" },
    { "SKILL.md": `${head("a")} ` },
  ];
  for (const other of others) expect((await read(folder({ ...files, ...other }))).hash).not.toBe(hash);
});

test.each([
  ["no SKILL.md", { "README.md": "x" }, "it has no SKILL.md"],
  ["no head", { "SKILL.md": "# Hello\n" }, "must start with name and description"],
  ["a head without an end", { "SKILL.md": "---\nname: a\n" }, "must start with name and description"],
  ["no description", { "SKILL.md": "---\nname: a\n---\n" }, "SKILL.md: description"],
  ["an empty description", { "SKILL.md": head("a", '" "') }, "SKILL.md: description"],
  ["a long description", { "SKILL.md": head("a", "x".repeat(1025)) }, "SKILL.md: description"],
  ["a name that leads away", { "SKILL.md": head('"../a"') }, "SKILL.md: name"],
  ["a name in capitals", { "SKILL.md": head("Name") }, "SKILL.md: name"],
  ["a head that is no YAML", { "SKILL.md": "---\nname: [\n---\n" }, "is not valid YAML"],
  ["a head of aliases", { "SKILL.md": "---\nname: &a x\ndescription: *a\n---\n" }, "is not valid YAML"],
  ["bytes for a text", { "SKILL.md": Buffer.concat([Buffer.from(head("a")), Buffer.from([0xff])]) }, "not UTF-8"],
  ["a long SKILL.md", { "SKILL.md": head("a") + "x".repeat(100_000) }, "larger than 100,000 bytes"],
  ["too much in it", { "SKILL.md": head("a"), "b.txt": "x".repeat(5_000_000) }, "larger than 5,000,000 bytes"],
  ["a deep folder", { "SKILL.md": head("a"), "1/2/3/4/5/6/7/8/9/x": "" }, "deeper than 8 folders"],
  [
    "too many files",
    { "SKILL.md": head("a"), ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, ""])) },
    "limit of 200 files",
  ],
])("%s is refused", async (_what, files, why) => {
  expect(await refused(folder(files))).toContain(why);
});

test("links and second names are refused", async () => {
  const link = folder({ "SKILL.md": head("a") });
  symlinkSync("/etc/passwd", join(link, "passwd"));
  expect(await refused(link)).toBe("passwd is not a regular file; a skill may contain only files and folders");
  const second = folder({ "SKILL.md": head("a"), "../agiraph-second": "x" });
  onTestFinished(() => rmSync(join(second, "../agiraph-second"), { force: true }));
  linkSync(join(second, "../agiraph-second"), join(second, "b"));
  expect(await refused(second)).toContain("b is a hard link");
});
