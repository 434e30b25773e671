/**
 * The guard's judgement of what is proposed for a memory: whether it is worth keeping, known already, or contradicts a note. By rules alone: no
 * model is asked, and the same proposal to the same memory gets the same answer.
 *
 * Two statements with the same subject are about the same thing, so a different text supersedes the note: what it said is listed in it as earlier,
 * with the date. A subject is the same if it has the same words in any order; a proposal may also name the note that it replaces.
 *
 * Not here: who may accept (core/agent/insight.ts).
 */
import type { Insight } from "../schema/insight.ts";
import type { Visibility } from "../schema/note.ts";
import type { OwnMemory } from "./memory.ts";
import { readNote, splitPast, withPast, writeNote } from "./note-head.ts";
import { findSecrets } from "./secrets.ts";

export type Judgement =
  | { do: "keep"; path: string; outcome: "created" | "superseded" }
  | { do: "known"; path: string }
  | { do: "refuse"; why: string }
  /** Only people can tell. */
  | { do: "ask"; why: string };

export type Statement = Pick<Insight, "subject" | "text" | "kind" | "replaces" | "visibility">;

const folders = { fact: "knowledge", preference: "preferences", lesson: "experiences", decision: "decisions" };

/** `byPeople`: a person wants to keep it, whatever it reads like. */
export async function judge(
  memory: Pick<OwnMemory, "peek" | "find">,
  given: Statement,
  { byPeople = false } = {},
): Promise<Judgement> {
  const { subject, text, kind, replaces } = given;
  const [secret] = findSecrets(`${subject}\n${text}`);
  if (secret) return { do: "refuse", why: `it has what looks like a secret (${secret.kind})` };
  const words = wordsIn(text);
  if (words.length < 3) return { do: "refuse", why: "it says too little to be of use later" };
  if (!byPeople && isOrder(text)) return { do: "ask", why: "it reads like an order to a model" };
  const { found } = await memory.find(`${subject} ${text}`, 8);
  const slug = slugOf(subject);
  if (!slug) return { do: "refuse", why: "its subject has no words" };
  const own = `memory/${folders[kind]}/${slug}.md`;
  for (const path of new Set([...(replaces ? [replaces] : []), own, ...found.map((one) => one.path)])) {
    const there = await noteAt(memory, path);
    if (!there) continue;
    if (isSame(text, there.now)) return { do: "known", path };
    const isAbout = there.subject !== undefined && isSameSubject(subject, there.subject);
    if ((path === replaces && there.subject !== undefined) || isAbout)
      return { do: "keep", path, outcome: "superseded" };
  }
  return { do: "keep", path: own, outcome: "created" };
}

async function noteAt(memory: Pick<OwnMemory, "peek">, path: string) {
  const text = await memory.peek(path).catch(() => null);
  if (text === null) return undefined;
  const { head, body } = readNote(text);
  return { subject: head.subject, now: splitPast(body).now };
}

export interface Kept {
  subject: string;
  text: string;
  source: string;
  /** YYYY-MM-DD. */
  noted: string;
  visibility: Visibility;
}

/** The text of a note that says this from now on. What it said before is listed; writing the same again changes nothing. */
export function noteWith(before: string, { subject, text, source, noted, visibility }: Kept): string {
  const said = text.trim();
  if (!before.trim())
    return writeNote({ subject, tier: "working", visibility, source, noted }, `# ${subject}\n\n${said}\n`);
  const { head, body } = readNote(before);
  const { now, earlier } = splitPast(body);
  if (isSame(said, now)) return before;
  const old = `until ${noted}: ${plain(now)}${head.source ? ` (${head.source}${head.noted ? `, ${head.noted}` : ""})` : ""}`;
  // People may have put it away, or share it; its subject is theirs too.
  const tier = head.tier === "archive" ? "working" : head.tier;
  // What it said earlier is still in it.
  const origin = head.origin ? { origin: head.origin } : {};
  const next = { subject: head.subject ?? subject, tier, visibility: head.visibility, source, noted, ...origin };
  return writeNote(next, withPast(`# ${next.subject}\n\n${said}`, [old, ...earlier]), before);
}

/** Without its headings, in one line. */
const plain = (body: string): string =>
  body
    .replace(/^#{1,6} .*$/gm, "")
    .replace(/\s+/g, " ")
    .trim();

/** The words that say something, in their order, without endings. */
const wordsIn = (text: string): string[] =>
  (
    text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{M}/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).flatMap((word) => (small.has(word) ? [] : [stemOf(word)]));

const stemOf = (word: string): string => word.replace(/(?<=\p{L}{4})(?:ings?|ed|es|s)$/u, "");

const small = new Set(
  "a an and are as at be by for from has have in is it its of on or the this that to was were will with".split(" "),
);

/** It says the same: nearly the same words, and exactly the same numbers and negations. */
function isSame(text: string, note: string): boolean {
  const [a, b] = [new Set(wordsIn(text)), new Set(wordsIn(plain(note)))];
  const common = [...a].filter((word) => b.has(word)).length;
  const telling = (all: Set<string>) =>
    [...all]
      .filter((word) => /\d/.test(word) || negations.has(word))
      .sort()
      .join(" ");
  return common / (a.size + b.size - common) >= alike && telling(a) === telling(b);
}
const alike = 0.85;
const negations = new Set(["not", "no", "never", "none", "without", "cannot", "nobody", "nothing"]);

function isSameSubject(a: string, b: string): boolean {
  const words = (text: string) => [...new Set(wordsIn(text))].sort().join(" ");
  return words(a) === words(b);
}

const slugOf = (subject: string): string =>
  (
    subject
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{M}/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .join("-")
    .slice(0, 80)
    .replace(/-$/, "");

/** What is said to models rather than about the world. People may want to keep such a text; the guard does not do it by itself. */
const isOrder = (text: string): boolean => orders.some((order) => order.test(text));
const orders = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|other)\b.{0,40}\b(?:instructions?|rules?|prompts?|orders?|notes?|memory|messages?)\b/is,
  /\byou (?:are now|must now|must always|must never|will now|have to|should always|should never)\b/i,
  /\b(?:from now on|henceforth|in (?:all|every) future (?:runs?|conversations?|turns?))\b/i,
  /\bsystem ?(?:prompt|message|note|override)\b/i,
  /<\/?\s*(?:system|note|message|outside_data|tool_call|tool_result)\b/i,
  /\b(?:remember|store|save|write|keep)\b.{0,40}\b(?:in|to|into)\b.{0,20}\b(?:memory|MEMORY\.md|notes?)\b/is,
];
