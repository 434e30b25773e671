/**
 * node scripts/patterns.ts: no pattern of the product takes more than proportional time on any text.
 *
 * One that does stops the only thread of the daemon, or the tab, for as long as whoever wrote the text likes. Each pattern in the source that is
 * constant (`/…/`, and `new RegExp` of constant text) is looked at by scslre, which finds repetitions that can trade or move what they match. It does
 * not look into backreferences, so a pattern with one is reported as well. What sees only short texts, or our own, is in patterns-known.ts with the
 * reason; an entry that is not needed any more is a mistake too.
 * Not covered: patterns put together while running, of which there should be none but escaped words.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { type Known, known } from "./patterns-known.ts";

export interface Pattern {
  path: string;
  line: number;
  /** As it would be written: `/a+/g`. */
  text: string;
}

/** The constant patterns of one file. */
export function patternsIn(path: string, text: string): Pattern[] {
  const found: Pattern[] = [];
  const { program } = parseSync(path, text);
  const constants = new Map<string, Node>();
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length;
  const add = (offset: number, source: string, flags: string) =>
    found.push({ path, line: lineOf(offset), text: `/${source}/${flags}` });
  const made = ({ start, callee, arguments: given }: { start: number; callee: Node; arguments: Node[] }) => {
    if (callee.type !== "Identifier" || callee.name !== "RegExp" || !given[0]) return;
    const source = textOf(given[0], constants);
    const flags = given[1] ? textOf(given[1], constants) : "";
    if (source !== undefined && flags !== undefined) add(start, source, flags);
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init) constants.set(id.name, init as Node);
    },
  }).visit(program);
  new Visitor({
    Literal(node) {
      if ("regex" in node && node.regex) add(node.start, node.regex.pattern, node.regex.flags);
    },
    NewExpression: (node) => made(node as never),
    CallExpression: (node) => made(node as never),
  }).visit(program);
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: any node of the syntax tree
type Node = any;

/** What a text is that is put together of constants of the same file; undefined if it is not. */
function textOf(node: Node, constants: ReadonlyMap<string, Node>, depth = 0): string | undefined {
  if (depth > 20) return undefined;
  const inner = (one: Node) => textOf(one, constants, depth + 1);
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "Identifier" && constants.has(node.name)) return inner(constants.get(node.name));
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [inner(node.left), inner(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  if (node.type === "TemplateLiteral") {
    const parts = node.expressions.map(inner);
    if (parts.includes(undefined)) return undefined;
    return node.quasis.map((quasi: Node, index: number) => quasi.value.cooked + (parts[index] ?? "")).join("");
  }
  return undefined;
}

const scslre = await import("scslre").catch((error) => {
  if (!import.meta.main || process.env.CI) throw error;
  console.error("patterns were not looked at: scslre is not installed; npm install does it");
  process.exit(0);
});

/** Why a pattern may take long; undefined if it does not. */
export function slownessOf(text: string): string | undefined {
  const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  const { reports } = scslre.analyse({ source, flags });
  const [first] = reports;
  if (first) return `${first.exponential ? "exponential" : "quadratic or worse"} time: ${how[first.type]}`;
  return /(?:^|[^\\])(?:\\\\)*\\(?:[1-9]|k<)/.test(source)
    ? "it has a backreference, which is not looked into"
    : undefined;
}

const how = {
  Trade: "two repetitions can share what they match in many ways",
  Self: "a repetition can match the same in several ways",
  Move: "it is tried again from every place of what it repeats",
};

/** What is wrong, in lines. */
export function complaints(patterns: readonly Pattern[], allowed: readonly Known[]): string[] {
  const used = new Set<Known>();
  const slow = new Map<string, string | undefined>();
  const found: string[] = [];
  for (const { path, line, text } of patterns) {
    if (!slow.has(text)) slow.set(text, slownessOf(text));
    const why = slow.get(text);
    const exception = why && allowed.find((one) => one.path === path && one.pattern === text);
    if (exception) used.add(exception);
    else if (why) found.push(`src/${path}:${line}: ${text}: ${why}`);
  }
  for (const one of allowed)
    if (!used.has(one)) found.push(`scripts/patterns-known.ts: ${one.path} ${one.pattern} is not needed any more`);
  return found;
}

const isProduct = (path: string): boolean =>
  /\.tsx?$/.test(path) && !/(\.test|\.test-help|[./]contract)\.tsx?$/.test(path);

if (import.meta.main) {
  const src = fileURLToPath(new URL("../src/", import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const patterns = files
    .filter(isProduct)
    .sort()
    .flatMap((path) => patternsIn(path, readFileSync(join(src, path), "utf8")));
  const found = complaints(patterns, known);
  for (const line of found) console.error(line);
  if (found.length)
    console.error(
      `${found.length} of ${patterns.length} patterns may hold everybody up: write them without the repetition, or say in scripts/patterns-known.ts why they cannot`,
    );
  process.exitCode = found.length ? 1 : 0;
}
