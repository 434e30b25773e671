import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import picocolors from "picocolors";
import { expect, test } from "vitest";
import { afterThisTest } from "../../lib/cleanup.test-help.ts";
import type { Diff, FileDiff } from "../../schema/diff.ts";
import { widthOf } from "../terminal/text.ts";
import { diffLines, statLines } from "./diff-lines.ts";
import { sideBySideLines } from "./side-by-side.ts";

const colors = picocolors.createColors(false);
const file = (path: string, more: Partial<FileDiff> = {}): FileDiff => ({
  ...{ path, status: "modified", binary: false, added: 0, removed: 0, hunks: [] },
  ...more,
});
const prices = file("src/prices.ts", {
  ...{ added: 2, removed: 1 },
  hunks: [
    {
      ...{ old_start: 1, old_lines: 3, new_start: 1, new_lines: 4, header: "price" },
      lines: [
        { kind: "context", text: "export function price() {" },
        { kind: "removed", text: "\treturn 1;" },
        { kind: "added", text: "\tconst one = 1;" },
        { kind: "added", text: "\treturn one;" },
        { kind: "context", text: "}" },
      ],
    },
  ],
});
const diffOf = (files: FileDiff[], more: Partial<Diff> = {}): Diff => ({
  ...{ base: "a".repeat(40), commit: "b".repeat(40), files, added: 2, removed: 1 },
  ...more,
});

test("git applies what is printed, with the list of files before it", () => {
  const folder = mkdtempSync(join(tmpdir(), "agiraph-diff-"));
  afterThisTest(() => rmSync(folder, { recursive: true }));
  execFileSync("git", ["init", "-q", folder]);
  execFileSync("mkdir", [join(folder, "src")]);
  writeFileSync(join(folder, "src/prices.ts"), "export function price() {\n\treturn 1;\n}\n");
  const made = file("new.md", {
    ...{ status: "added", added: 1 },
    hunks: [
      { old_start: 0, old_lines: 0, new_start: 1, new_lines: 1, header: "", lines: [{ kind: "added", text: "# New" }] },
    ],
  });
  const diff = diffOf([prices, made]);
  const text = [...statLines(diff, { width: 80, colors }), "", ...diffLines(diff, { colors })].join("\n");
  execFileSync("git", ["-C", folder, "apply", "-"], { input: `${text}\n` });
  expect(readFileSync(join(folder, "src/prices.ts"), "utf8")).toBe(
    "export function price() {\n\tconst one = 1;\n\treturn one;\n}\n",
  );
  expect(readFileSync(join(folder, "new.md"), "utf8")).toBe("# New\n");
});

test("the list of files fits the width, however long a name or large a change is", () => {
  const long = file(`src/${"very-".repeat(30)}long.ts`, { added: 4_000, removed: 900 });
  const lines = statLines(diffOf([long, prices, file("logo.png", { binary: true })]), { width: 80, colors });
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
  expect(lines[1]).toMatch(/^ src\/prices\.ts +\| +3 \+-$/);
  expect(lines[2]).toMatch(/binary$/);
  expect(lines.at(-1)).toBe(" 3 files changed, 2 added, 1 removed");
});

test("what is not there is said: binary content, what was cut, what was renamed", () => {
  const lines = diffLines(
    diffOf([
      file("logo.png", { binary: true }),
      file("b.ts", { status: "renamed", old_path: "a.ts" }),
      file("huge.csv", { cut: "12 MB are not shown" }),
      file("odd\nname.ts", { status: "deleted" }),
    ]),
    { colors },
  );
  expect(lines).toEqual([
    "diff --git a/logo.png b/logo.png",
    "Binary files a/logo.png and b/logo.png differ",
    "diff --git a/a.ts b/b.ts",
    "rename from a.ts",
    "rename to b.ts",
    "diff --git a/huge.csv b/huge.csv",
    "# 12 MB are not shown",
    'diff --git "a/odd\\nname.ts" "b/odd\\nname.ts"',
    "deleted file mode 100644",
  ]);
});

test("side by side, what was removed is beside what replaced it; a long line continues below and nothing is cut", () => {
  const lines = sideBySideLines(diffOf([prices]), { width: 41, colors }).map((line) => line.trimEnd());
  expect(lines).toEqual([
    "src/prices.ts, modified",
    "@@ -1,3 +1,4 @@ price",
    "1   export function │ 1   export function",
    "     price() {      │      price() {",
    "2 -   return 1;     │ 2 +   const one = 1",
    "                    │     ;",
    "                    │ 3 +   return one;",
    "3   }               │ 4   }",
    "",
  ]);
});

test("with colours, comments, strings, numbers and keywords of a known language are drawn; a piped diff has none", () => {
  const on = picocolors.createColors(true);
  const code = (path: string, text: string) =>
    diffLines(
      diffOf([
        file(path, {
          hunks: [
            { old_start: 1, old_lines: 0, new_start: 1, new_lines: 1, header: "", lines: [{ kind: "context", text }] },
          ],
        }),
      ]),
      { colors: on },
    ).at(-1);
  expect(code("a.py", "def f(): return 'a # b'  # why 2")).toBe(
    ` ${on.magenta("def")} f(): ${on.magenta("return")} ${on.yellow("'a # b'")}  ${on.gray("# why 2")}`,
  );
  expect(code("b.ts", 'const x = "a\\"b" + 12; // see "c"')).toBe(
    ` ${on.magenta("const")} x = ${on.yellow('"a\\"b"')} + ${on.cyan("12")}; ${on.gray('// see "c"')}`,
  );
  expect(code("Makefile", "all: # every")).toBe(` all: ${on.gray("# every")}`);
  expect(code("notes.txt", "return 'a' 12")).toBe(" return 'a' 12");
});
