/**
 * An upper estimate of a request's tokens: for the reservation and for the window, never for the bill (that is the provider's).
 *
 * A real tokenizer is exact for one maker only, takes seconds to load and is asynchronous; the makers' newer ones differ by a third anyway. So this
 * counts by the kind of character and errs upwards: about half again too much for prose, a third for code, and never much too little for what
 * tokenizes badly (numbers, base64, scripts other than Latin).
 */
import type { ToolShape } from "../schema/tool.ts";
import type { Line } from "../schema/worker.ts";
import type { Request } from "./backend.ts";

/** Roles, wrappers, names: a provider's overhead per item. */
const around = 12;

export function tokensIn(text: string): number {
  let sum = 0;
  for (const { groups } of text.matchAll(pieces)) {
    const { word, digits, blank, mark, other } = groups!;
    if (word !== undefined) sum += word.length > 20 ? word.length * 0.75 : Math.ceil(word.length / 4) + humps(word);
    else if (digits !== undefined) sum += Math.ceil(digits.length / 2);
    else if (blank !== undefined) sum += Math.ceil(blank.length / 3);
    else if (mark !== undefined) sum += mark.length;
    else for (const one of other!) sum += weight(one.codePointAt(0)!);
  }
  return Math.ceil(sum);
}

/**
 * A single space belongs to the word after it. Every repetition is bounded: in a process that has compiled many patterns V8 remembers each step of
 * an unbounded one, until its stack is full; some megabytes of one letter then crashed.
 */
const pieces =
  /(?<word>[A-Za-z]{1,999})|(?<digits>[0-9]{1,1000})|(?<blank>[ \t]{2,999}|[\r\n]{1,999})|(?<other>[^\p{ASCII}]{1,999})|(?<mark>[^A-Za-z0-9\s\P{ASCII}]{1,999})/gu;

const humps = (word: string): number => word.match(/[a-z](?=[A-Z])/g)?.length ?? 0;
const weight = (code: number): number => (code < 0x800 ? 1 : code < 0x1_0000 ? 1.5 : 3);

const lines = new WeakMap<Line, number>();
const shapes = new WeakMap<ToolShape, number>();

/** The whole input of a request. Lines and tools never change, so each is counted once. */
export function tokensOf(request: Request): number {
  let sum =
    tokensInSystem(request.system) + tokensInSystem(request.data ?? "") + tokensIn(request.note ?? "") + 2 * around;
  for (const tool of request.tools) sum += once(shapes, tool, () => tokensIn(JSON.stringify(tool)) + around);
  for (const line of request.lines) sum += once(lines, line, () => tokensInLine(line));
  return sum;
}

/** A system prompt, and untrusted data, is long and stays for many calls; cached for as many participants as work at once. */
function tokensInSystem(text: string): number {
  const had = systems.get(text);
  if (had !== undefined) return had;
  const made = tokensIn(text);
  if (systems.size >= 64) systems.clear();
  systems.set(text, made);
  return made;
}
const systems = new Map<string, number>();

function tokensInLine(line: Line): number {
  if (line.role === "inbox")
    return line.entries.reduce(
      (sum, { text, from, kind }) => sum + tokensIn(`${text} ${from} ${kind}`) + 2 * around,
      0,
    );
  if (line.role === "tool") return tokensIn(line.result) + around;
  const calls = line.calls.reduce((sum, call) => sum + tokensIn(JSON.stringify(call)) + around, around);
  // Kept parts repeat the text and the calls; the longer of the two is what is sent.
  return Math.max(tokensIn(line.text) + calls, line.kept ? tokensIn(JSON.stringify(line.kept.parts)) : 0);
}

function once<T extends object>(known: WeakMap<T, number>, thing: T, count: () => number): number {
  const had = known.get(thing);
  if (had !== undefined) return had;
  const made = count();
  known.set(thing, made);
  return made;
}
