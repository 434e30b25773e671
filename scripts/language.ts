/**
 * node scripts/language.ts: texts that people read are idiomatic English, and documents name files that exist.
 *
 * Looks at string literals of product code (prompts, the page and comments have their own rules) and at the Markdown documents. The list of
 * phrases is short on purpose: each is wrong nearly always, and says what to write instead.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";

interface Phrase {
  pattern: RegExp;
  instead: string;
}

const phrases: readonly Phrase[] = [
  { pattern: /(?<!\b[Tt]here )\bis no (?!longer\b)/, instead: '"is not a …"' },
  { pattern: /\bis none of\b/, instead: '"is not one of …"' },
  {
    pattern: /^(whoever|who (waits|asks|does|reads|writes|lost|holds|speaks)) [^?]*$/i,
    instead: "a noun as the subject",
  },
  { pattern: /[;:,] (open|active|allowed) (is|are) \$\{/, instead: '"open questions: …"' },
  { pattern: /; there (is|are) \$\{/, instead: '"…; known agents: …"' },
  { pattern: /\b(fault|one|home|none) of ours\b/, instead: '"internal error", "Agiraph\'s …"' },
  { pattern: /\bnot good any ?more\b/, instead: '"has expired"' },
  { pattern: /\bmend (it|them)\b/, instead: '"fix"' },
  { pattern: /\bnobody (has )?(named|trusted|knows|asked)\b/, instead: '"is not trusted", "is unknown"' },
  { pattern: /\bword (of|from) the human\b/, instead: '"message from the human"' },
];

/** Prompts are written for models, and the page has its own tests. */
const isRead = (path: string): boolean =>
  /\.ts$/.test(path) && !/(\.test|\.test-help|[./]contract)\.ts$/.test(path) && !/^(web|guard\/prompts)\//.test(path);

const wrong = (where: string, text: string): string[] =>
  phrases.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text);
    return found ? [`${where}: "${found[0].trim()}": write ${instead}`] : [];
  });

/** What is wrong with the texts of one source file. */
export function wrongInSource(path: string, source: string): string[] {
  const found: string[] = [];
  const say = (start: number, text: string) =>
    found.push(...wrong(`${path}:${source.slice(0, start).split("\n").length}`, text));
  new Visitor({
    Literal: ({ start, value }) => void (typeof value === "string" && say(start, value)),
    TemplateLiteral: ({ start, end }) => say(start, source.slice(start + 1, end - 1)),
  }).visit(parseSync(path, source).program);
  return found;
}

/** What is wrong with a document; `exists` says whether the repository has a file. */
export function wrongInDocument(path: string, text: string, exists: (path: string) => boolean): string[] {
  const prose = text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ""));
  return prose.split("\n").flatMap((line, index) => {
    const where = `${path}:${index + 1}`;
    const missing = [...line.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.tsx?)(?: \w+)?`/g)]
      .map(([, file]) => file!)
      .filter((file) => !exists(file));
    // Rules quote what they forbid.
    const quoted = line.replace(/"[^"]*"|`[^`]*`/g, "");
    return [...wrong(where, quoted), ...missing.map((file) => `${where}: ${file} does not exist`)];
  });
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const list = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const exists = (path: string) => ["", "src", "docs"].some((folder) => existsSync(join(root, folder, path)));
  const documents = [
    ...readdirSync(root).filter((path) => path.endsWith(".md")),
    ...list("docs").flatMap((path) => (/\.md$/.test(path) && !path.startsWith("reference/") ? [`docs/${path}`] : [])),
  ];
  const found = [
    ...list("src")
      .filter(isRead)
      .sort()
      .flatMap((path) => wrongInSource(`src/${path}`, read(`src/${path}`))),
    ...documents.flatMap((path) => wrongInDocument(path, read(path), exists)),
  ];
  for (const line of found) console.error(line);
  if (found.length) console.error(`${found.length} texts to rewrite (CONTRIBUTING.md, Language)`);
  process.exitCode = found.length ? 1 : 0;
}
