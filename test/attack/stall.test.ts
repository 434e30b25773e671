/** Texts that are read in the daemon's one thread: of the largest size that gets there, and as odd as can be. */
import { start } from "../../src/core/core.test-help.ts";
import { leadingMentions, mentions } from "../../src/core/message/mention.ts";
import { findSecrets, scrub } from "../../src/guard/secrets.ts";
import { sectionsOf } from "../../src/lib/text/sections.ts";
import { createOutbox } from "../../src/runtime/program/outbox.ts";
import { Problem } from "../../src/schema/problem.ts";
import { parseBody } from "../../src/server/body.ts";
import { plainWords, withoutMarks } from "../../src/web/parts/text/plain-words.ts";
import { attack } from "./attack.ts";
import { cpuMs } from "./stall.ts";

const team = start();
for (let n = 10; n < 28; n++) team.tell({ type: "worker.spawn", name: `${n} ${"long ".repeat(7)}lo` }, "coordinator");
const { state } = team;

/** As long as it may be. */
const of = (length: number, piece: string): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
const falling = (length: number): string => {
  let text = "";
  for (let n = Math.floor(Math.sqrt(2 * length)); n > 0; n--) text += `${"`".repeat(n)}a`;
  return text.slice(0, length);
};

/** What a program says, read to its end. */
function outbox(file: string): void {
  const { take } = createOutbox();
  for (let n = 0; n < 3; n++) take(file.slice(0, file.length * 0.9), false);
  take(file, true);
}

/** A body as it comes over HTTP; it may be refused. */
function body(text: string): void {
  try {
    parseBody(text);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
  }
}
const keys = (count: number, key: (n: number) => string): string =>
  `{${Array.from({ length: count }, (_, n) => `"${key(n)}":0`).join()}}`;

const note = 100_000;
const message = 1_000_000;

const named = (text: string) => mentions(state, text);
const begun = (text: string) => leadingMentions(state, text);

// biome-ignore format: a table
const texts: [what: string, read: (text: string) => unknown, text: () => string][] = [
  ["B6 a note like a key", scrub, () => `sk-${of(note / 2, "A")}1bcdefgh${of(note / 2, "a")}`],
  ["B6 many keys of 20,000 letters", findSecrets, () => of(note, `sk-${of(10_000, "A")}1bcdefgh${of(9_000, "a")} `)],
  ["B6 assigned values", findSecrets, () => of(note, `token=${of(150, "A")}1bcdefgh${of(140, "a")},`)],
  ["B7 TO:, tabs and returns", outbox, () => `TO:${of(message / 2, "\t")}${of(message / 2, "\r")}`],
  ["B7 many readers", outbox, () => of(message, "TO:\t\r\n")],
  ["B7 rules without an end", outbox, () => of(message, `---${of(5_000, " ")}x\n`)],
  ["B7 blocks without words", outbox, () => of(message, "---\n")],
  ["B7 blocks of a letter", outbox, () => of(message, "a\n---\n")],
  ["B24 falling runs of backquotes", named, () => falling(message)],
  ["B24 runs of backquotes of every length", begun, () => of(message, falling(5_000))],
  ["B24 opening quotes of names", named, () => of(message, '@"a')],
  ["B24 names that nobody has", named, () => of(message, "@10 long long long long long long long ln ")],
  ["B24 names in a row", begun, () => of(message, "@alice and @bob, ")],
  ["B33 odd headings", sectionsOf, () => of(note, `# ${of(496, " #")}\n`)],
  ["B33 headings of blanks", sectionsOf, () => of(note, `# ${of(496, "x \t")}\n`)],
  ["B33 deep headings", sectionsOf, () => [1, 2, 3, 4, 5].map((n) => `${of(n, "#")} ${of(400, "x")}\n`).join("") + of(note, "###### a\nb\n")],
  ["B12 a body of empty lists", body, () => `[${of(3_999_000, "[],")}0]`],
  ["B12 a body of brackets", body, () => of(4_000_000, "[")],
  ["B12 a body of lists, as many as may be", body, () => `[${of(3 * 9_000, "[],")}0]`],
  ["B12 a body of keys with escapes", body, () => keys(200_000, (n) => `\\u0041${n}`)],
  ["B12 a body of keys with escapes, as many as may be", body, () => keys(19_000, (n) => `\\u0041${n}`)],
  ["B12 a body of one key with escapes", body, () => keys(1, () => of(3_998_000, "\\\\"))],
  ["B12 a body of one text", body, () => `{"a":"${of(3_998_000, '\\"')}"}`],
  ["B25 a line without an end", plainWords, () => of(message, "a")],
  ["B25 a heading line", plainWords, () => `# ${of(message, "a b")}`],
  ["B25 fences in one line", plainWords, () => of(message, "``` ")],
  ["B25 blank lines", plainWords, () => of(message, " \n")],
  ...["[", "![", "](", "[](", "[a](b ", '[](" ', '[]( "', "](b) ", "*", "_a ", " *a", "1", "- ", "`", "\n\r\t"].map(
    (piece): [string, (text: string) => unknown, () => string] => [`B25 many ${piece.trim()}`, withoutMarks, () => of(message, piece)],
  ),
];

for (const [what, read, text] of texts)
  attack("stall", what, ({ stalled }) => {
    const flat = Buffer.from(text()).toString(); // as it comes from outside: one piece
    stalled(cpuMs(() => read(flat)));
  });
