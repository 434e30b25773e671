/**
 * Colours of code on a terminal, one line at a time: comments, strings, numbers and keywords. Pure.
 *
 * A line of a diff stands alone, so a string or comment of several lines is coloured only where one can tell from the line itself. A language that
 * is not listed stays plain.
 */
import type { Colors } from "../view/mark.ts";

interface Language {
  endings: string;
  comment: RegExp;
  keywords: string;
}

const slashes = /^\s*\*(?![\w(]).*|\/\/.*|\/\*.*?(?:\*\/|$)/;
const hash = /(?<=^|\s)#.*/;
const dashes = /--.*/;
const none = /(?!)/;

const languages: Language[] = [
  {
    endings: "js mjs cjs jsx ts mts cts tsx",
    comment: slashes,
    keywords:
      "abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while yield",
  },
  {
    endings: "c h cc cpp hpp java kt cs swift scala php",
    comment: slashes,
    keywords:
      "abstract auto bool boolean break case catch char class const continue default do double else enum extends extern false final finally float for fun func if implements import int interface let long namespace new null nullptr override package private protected public return short signed static struct super switch template this throw throws true try typedef union unsigned using val var virtual void volatile while",
  },
  {
    endings: "go rs",
    comment: slashes,
    keywords:
      "as async await break case chan const continue crate default defer dyn else enum extern fallthrough false fn for func go goto if impl import in interface let loop map match mod move mut nil package pub range ref return select self static struct super switch trait true type unsafe use var where while",
  },
  { endings: "css scss less", comment: slashes, keywords: "" },
  {
    endings: "py pyi",
    comment: hash,
    keywords:
      "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield",
  },
  {
    endings: "rb",
    comment: hash,
    keywords:
      "begin break case class def do else elsif end ensure false for if in module next nil not or require rescue return self super then true unless until when while yield",
  },
  {
    endings: "sh bash zsh makefile mk dockerfile",
    comment: hash,
    keywords:
      "case do done elif else esac export fi for function if in local return then until while ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER WORKDIR",
  },
  { endings: "yaml yml toml ini cfg", comment: hash, keywords: "true false null" },
  { endings: "json jsonl", comment: none, keywords: "true false null" },
  {
    endings: "sql lua",
    comment: dashes,
    keywords:
      "select from where insert into values update delete create table alter drop index join left right inner outer on and or not null primary key references group by order limit as set begin commit local function end if then else return for do while",
  },
];

interface Scanner {
  pattern: RegExp;
  keywords: ReadonlySet<string>;
}

const scanners = new Map<string, Scanner>();
for (const { endings, comment, keywords } of languages) {
  const pattern = new RegExp(
    `(?<comment>${comment.source})|(?<string>"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_]\\w*)`,
    "g",
  );
  for (const ending of endings.split(" ")) scanners.set(ending, { pattern, keywords: new Set(keywords.split(" ")) });
}

/** A longer line, as of a file that a program wrote, stays plain. */
const longest = 2_000;

/** The line with its colours; its other words as they come. By the ending of the file's name, or its whole name. */
export function colorCode(path: string, text: string, colors: Colors): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const scanner = scanners.get(name.slice(name.lastIndexOf(".") + 1));
  if (!scanner || text.length > longest) return text;
  let drawn = "";
  let at = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(scanner.pattern)) {
    drawn += text.slice(at, index) + drawnAs(found, groups, scanner, colors);
    at = index + found.length;
  }
  return drawn + text.slice(at);
}

function drawnAs(found: string, groups: Record<string, string>, { keywords }: Scanner, colors: Colors): string {
  if (groups.comment !== undefined) return colors.gray(found);
  if (groups.string !== undefined) return colors.yellow(found);
  if (groups.number !== undefined) return colors.cyan(found);
  return keywords.has(found) ? colors.magenta(found) : found;
}
