/**
 * Mentions in a text: `@bob`, `@"Anna Maria"`, `@all`. Case does not matter, the longest name wins, `@everyone` is `@all`.
 *
 * Not a mention: anything in a code block or between backquotes, the domain of a mail address, a part of a word, a path or a package's name. A name
 * at the beginning of a clause, or in a list with such a one, is addressed; a name within a clause is only referred to.
 * Not here: who then gets the text (message.ts, final-text.ts).
 */
import type { ParticipantId } from "../../schema/ids.ts";
import type { State } from "../state.ts";
import { foldCase } from "../team/names.ts";

export interface Mention {
  /** The participant, `*` for everyone, or undefined for an unknown name. */
  id: ParticipantId | "*" | undefined;
  /** As it was written, without the @. */
  said: string;
  addressed: boolean;
  from: number;
  to: number;
}

/** Per text; more is not conversation. */
const most = 500;
const everyone = new Set(["all", "everyone", "*"]);

export function mentions(state: State, text: string): Mention[] {
  const called = new Map<string, ParticipantId | "*">([...everyone].map((name) => [name, "*"]));
  for (const { id, name } of state.participants.values()) called.set(id, id).set(foldCase(name), id);
  const longest = 2 * Math.max(...[...called.keys()].map((name) => name.length));
  const plain = withoutCode(text);
  const found: Mention[] = [];
  let tried = 0;
  for (const { index } of plain.matchAll(at)) {
    if (tried++ >= most) break;
    const rest = plain.slice(index + 1, index + 1 + longest + 2);
    const said = quoted.exec(rest)?.[1] ?? longestName(rest, called) ?? word.exec(rest)?.[0];
    if (said === undefined) continue;
    const length = rest.startsWith('"') ? said.length + 2 : said.length;
    const before = found.at(-1);
    const inRow = before?.addressed && row.test(plain.slice(before.to, index));
    const addressed = inRow || begins.test(plain.slice(Math.max(0, index - 40), index));
    found.push({ id: called.get(foldCase(said)), said, addressed, from: index, to: index + 1 + length });
  }
  return found;
}

/** The mentions before the text itself: `@bob, @"Anna Maria": look`. Empty if it begins with anything else. */
export function leadingMentions(state: State, text: string): Mention[] {
  let end = 0;
  return mentions(state, text).filter((one) => {
    const directly = end === 0 ? /^\s*$/ : row;
    if (end < 0 || !directly.test(text.slice(end, one.from))) {
      end = -1;
      return false;
    }
    end = one.to;
    return true;
  });
}

const at = /(?<![\p{L}\p{N}_./@\\+%~=&#-])@(?=[\p{L}\p{N}"*])/gu;
const quoted = /^"([^"\n]{1,80})"/;
/** Text that may be meant as a name. */
const word = /^[\p{L}\p{N}_][\p{L}\p{N}_-]*(?![./@][\p{L}\p{N}_])/u;
const ends = /^(?![\p{L}\p{N}_]|[-./@][\p{L}\p{N}_])/u;
/** Between names that are addressed together. */
const row = /^[\s,;&+]*(?:(?:and|or)\s+)?$/i;
/** The beginning of a text, a line or a clause. */
const begins = /(?:^|[\n.,;:!?)\]—–])[\s>*_"'([-]*$/;

function longestName(rest: string, called: ReadonlyMap<string, string>): string | undefined {
  for (let length = rest.length; length > 0; length--)
    if (ends.test(rest.slice(length)) && called.has(foldCase(rest.slice(0, length))))
      return rest.slice(0, length).trim();
  return undefined;
}

/** The same text with spaces in place of code, so that positions stay. */
function withoutCode(text: string): string {
  const lines = text.split("\n");
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark) fence = mark;
    else if (fence === undefined) {
      lines[index] = withoutSpans(line);
      continue;
    } else if (mark?.startsWith(fence) && !line.trim().slice(mark.length)) fence = undefined;
    lines[index] = " ".repeat(line.length);
  }
  return lines.join("\n");
}

/**
 * Code spans: a run of backquotes is closed by the next run of the same length, unless a longer one comes first. One backward pass finds the pairs,
 * because looking ahead from each run would be quadratic.
 */
function withoutSpans(line: string): string {
  const runs = Array.from(line.matchAll(/`+/g), ({ index, 0: run }) => ({ from: index, to: index + run.length }));
  const ends = new Map<number, number>();
  const ahead: { from: number; to: number }[] = [];
  const length = ({ from, to }: { from: number; to: number }) => to - from;
  for (const run of runs.toReversed()) {
    while (ahead.length && length(ahead.at(-1)!) < length(run)) ahead.pop();
    const next = ahead.at(-1);
    if (next && length(next) === length(run)) ends.set(run.from, next.to);
    ahead.push(run);
  }
  let [plain, at] = ["", 0];
  for (const { from } of runs) {
    const end = ends.get(from);
    if (from < at || end === undefined) continue;
    plain += line.slice(at, from) + " ".repeat(end - from);
    at = end;
  }
  return plain + line.slice(at);
}
