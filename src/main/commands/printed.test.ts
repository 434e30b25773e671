/**
 * Every command that is printed anywhere exists, with the options it is printed with. All texts of the source are looked at: a command stands in a
 * call of lib/command-line.ts (or in `examples`), is read as the command line would read it, and stands nowhere else. Then the docs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { newProgram } from "./program.test-help.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** What the command line would say to these words; nothing if they are right. */
function complaint(words: readonly string[]): string | undefined {
  let said: string | undefined;
  const program = newProgram((message) => {
    said = message;
  });
  const still = (command: Command) => {
    command.action(() => undefined).exitOverride();
    command.commands.forEach(still);
  };
  program.commands.forEach(still);
  try {
    program.parse(words, { from: "user" });
    return undefined;
  } catch (error) {
    return said ?? String(error);
  }
}

/** As a shell splits them; what is piped on or explained after them is another matter. */
const wordsOf = (line: string): string[] =>
  (line.replace(/\s+(#|\||>|&&|or {3}).*$/, "").match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []).map((word) =>
    word.replace(/^(["'])(.*)\1$/, "$2"),
  );

// biome-ignore lint/suspicious/noExplicitAny: any node of the syntax tree
type Node = any;

const variables: Record<string, string> = {
  whose: " --agent ann",
  again: "skill accept sly",
};
/** Of a text that is put together: numbers, names and choices as somebody could see them. */
function textOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "Identifier") return variables[node.name];
  if (node.type === "TemplateLiteral")
    return node.quasis
      .map(({ value }: Node, index: number) => {
        const inner = node.expressions[index];
        return value.cooked + (inner ? (textOf(inner) ?? "x") : "");
      })
      .join("");
  if (node.type === "ConditionalExpression") return textOf(node.consequent);
  return undefined;
}

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test(-help)?\.tsx?$/.test(path) && path !== "lib/command-line.ts")
  .sort();
const given = ["shellLine", "commandRef"];
const names = newProgram().commands.flatMap((command) => [command.name(), ...command.aliases()]);
const bare = new RegExp(`\\bagiraph (?:--?[a-z]+ )?(?:${names.join("|")})\\b`);

const printed: { at: string; text: string | undefined }[] = [];
const loose: string[] = [];
for (const path of files) {
  const source = readFileSync(join(root, "src", path), "utf8");
  const lineOf = (offset: number) => `${path}:${source.slice(0, offset).split("\n").length}`;
  const look = (offset: number, text: string) => {
    if (bare.test(text)) loose.push(`${lineOf(offset)}: ${text.trim()}`);
  };
  new Visitor({
    CallExpression({ start, callee, arguments: [first] }: Node) {
      if (callee.type !== "Identifier" || !first) return;
      if (given.includes(callee.name)) printed.push({ at: lineOf(start), text: textOf(first) });
      if (callee.name === "examples")
        for (const { elements } of first.elements) printed.push({ at: lineOf(start), text: textOf(elements[0]) });
    },
    Literal: ({ start, value }: Node) => void (typeof value === "string" && look(start, value)),
    TemplateElement: ({ start, value }: Node) => look(start, value.cooked ?? ""),
    JSXText: ({ start, value }: Node) => look(start, value),
  }).visit(parseSync(path, source).program);
}

test("no text of the source names a command by itself", () => {
  expect(loose).toEqual([]);
});

/** The words come from whoever calls them. */
const passedOn = [
  "cli/terminal/wrap-commands.ts",
  "main/actions/accept.ts",
  "main/commands/examples.ts",
  "web/parts/text/with-commands.tsx",
];

test("every command that is printed exists, with its arguments and options", () => {
  expect(printed.length).toBeGreaterThan(60);
  const unknown = printed.filter(({ text }) => text === undefined).map(({ at }) => at.split(":")[0]!);
  expect(unknown.filter((path) => !passedOn.includes(path))).toEqual([]);
  for (const { at, text } of printed)
    if (text) expect([at, text, complaint(wordsOf(text))]).toEqual([at, text, undefined]);
});

test("a command or an option that does not exist is found", () => {
  expect(complaint(wordsOf("nonsense"))).toContain("nonsense");
  expect(complaint(wordsOf("ls --nonsense"))).toContain("--nonsense");
  expect(complaint(wordsOf("resume"))).toContain("missing required argument");
  expect(complaint(wordsOf("resume a b"))).toContain("too many arguments");
});

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? `docs/${name}` : [])),
];

test.each(pages)("the commands in %s exist, with their arguments and options", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const fenced = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    block!.replaceAll("\\\n", " ").split("\n"),
  );
  const inline = [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  for (const line of [...fenced, ...inline]) {
    const [, words] = /^(?:\$ )?(?:\w+=\S+ )*(?:npx )?agiraph (?!…|\.\.\.|COMMAND)(.*)$/.exec(line.trim()) ?? [];
    const wrong = words && complaint(wordsOf(words));
    // In a sentence a command may be spoken of without all that it wants.
    const isName = inline.includes(line) && /missing required argument/.test(wrong ?? "");
    if (words && !isName) expect([line, wrong]).toEqual([line, undefined]);
  }
});
