/**
 * Text of a model in plain words, for where nothing is drawn: a notice, a title. Marks are left out, what they enclose stays. Its first sentence, and
 * the heading before it. However long and odd the text, each part of it is read a fixed number of times.
 */
import { shorten } from "../../../lib/text/text.ts";
import { linkTarget, visible } from "../../../lib/text/visible.ts";

const longest = 200;

export function plainWords(text: string): string {
  const [first = "", second] = firstBlocks(withoutFences(visible(text)));
  const isHead = /^#{1,6}\s/.test(first);
  const said = sentence(withoutMarks(first));
  const whole =
    isHead && second && !/[?!]$/.test(said) ? `${said.replace(/[.:]$/, "")}: ${sentence(withoutMarks(second))}` : said;
  return shorten(whole, longest);
}

/** One block without its marks, in one line. */
export function withoutMarks(block: string): string {
  const line = block.replace(/^[ \t]*(#{1,6}|>|[-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?/gm, "").replace(/\s+/g, " ");
  return withoutLinks(line)
    .replace(/(\*\*|__|~~|`+)/g, "")
    .replace(/(^|[\s(])[*_](?=\S)([^*_]*\S)[*_](?=$|[\s).,;:!?])/g, "$1$2")
    .trim();
}

/** Blocks of code are a gap in the text. */
function withoutFences(text: string): string {
  let [plain, at] = ["", 0];
  for (;;) {
    const open = text.indexOf("```", at);
    const line = open < 0 ? -1 : text.indexOf("\n", open);
    if (line < 0) return plain + text.slice(at);
    plain += `${text.slice(at, open)}\n\n`;
    const close = text.indexOf("```", line + 1);
    if (close < 0) return plain;
    at = close + 3;
  }
}

/** Two that say something: blocks end at an empty line and after a heading. */
function firstBlocks(text: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  const end = () => {
    const block = lines.join("\n").trim();
    if (block && !/^[-*_|:=\s]+$/.test(block)) blocks.push(block);
    lines = [];
  };
  for (let at = 0; at <= text.length && blocks.length < 2; ) {
    const next = text.indexOf("\n", at);
    const line = text.slice(at, next < 0 ? text.length : next);
    if (line.trim()) lines.push(line);
    if (!line.trim() || /^ {0,3}#{1,6} /.test(line)) end();
    at = next < 0 ? text.length + 1 : next + 1;
  }
  end();
  return blocks.slice(0, 2);
}

/** Of `[words](address "title")`, with or without a `!` before it, the words, and where they lead if they do not say it. In the text each blank is one. */
function withoutLinks(text: string): string {
  let [plain, at, seen] = ["", 0, 0];
  /** Where the address ends that begins here. Several that begin before the same end are looked at once. */
  let [stop, end] = [-1, -1];
  function endOf(from: number): number {
    if (stop >= from) return end;
    const past = /[) ]/g;
    past.lastIndex = from;
    stop = past.exec(text)?.index ?? text.length;
    const title = text.startsWith(' "', stop) ? text.indexOf('"', stop + 2) : -1;
    end = text[stop] === ")" ? stop : title > 0 && text[title + 1] === ")" ? title + 1 : -1;
    return end;
  }
  for (;;) {
    const close = text.indexOf("](", seen);
    if (close < 0) return plain + text.slice(at);
    let open = close - 1;
    while (open >= seen && text[open] !== "[" && text[open] !== "]") open--;
    const last = open >= seen && text[open] === "[" ? endOf(close + 2) : -1;
    seen = close + 2;
    if (last < 0) continue;
    const words = text.slice(open + 1, close);
    const where = linkTarget(words, text.slice(close + 2, last).split(" ", 1)[0]!);
    plain += text.slice(at, text[open - 1] === "!" && open > at ? open - 1 : open) + words;
    if (where) plain += ` (${where})`;
    at = seen = last + 1;
  }
}

/** Up to a full stop that ends something: not the one of "e.g." or of a number. */
function sentence(line: string): string {
  const end = /(?<=[^\s.]{2})[.!?…]["”’)]?(?=\s[\p{Lu}\p{N}“"(])/u.exec(line);
  return end ? line.slice(0, end.index + end[0].length) : line;
}
