/**
 * Which sentences must outlive a conversation: promises, decisions and numbers, found by their words, without a model; and as far as there is room
 * everything else that the human said, and in a compaction what the participant itself said last: no list of words knows all ways to promise something.
 *
 * Always holds: the same texts give the same statements; the list is bounded, and the least important and oldest leave it first. One leaves it
 * earlier only if its own author or the human says that it is done or changed. What is left out is still in the log, where a
 * search finds it (runtime/projection/conversation-search.ts).
 * Not here: who is shown them (guard/earlier.ts).
 */
import { takeWithin } from "../../lib/take-within.ts";
import { shortLine } from "../../lib/text/text.ts";
import type { Statement } from "../../schema/statement.ts";

/** Characters of one sentence, and of all that are kept. */
const longestSentence = 320;
const mostStatements = 60;
const mostCharacters = 6_000;

const promise =
  /\b(?:i|we)(?:'ll|’ll| will| shall| am going to|'m going to| are going to)\b|\bpromis|\bcommit(?:ted|ment)? to\b|\bremind\b|\bowes?\b|\bdeadline|\bdue\b|\bno later than\b|\bfollow(?:ing)? up\b|\bby (?:mon|tues|wednes|thurs|fri|satur|sun)day|\bby (?:tomorrow|tonight|noon|the end|end of|next|\d)|\bbefore (?:mon|tues|wednes|thurs|fri|satur|sun)day|\bwill (?:send|deliver|finish|write|call|check|ask|pay|ship|report|prepare)\b|\bleave (?:\S+ ){1,6}to (?:me|us)\b|\bcount on (?:me|us)\b|\byou(?:'ll|’ll| will) (?:have|get|receive|hear|find|see)\b|\bon my list\b|\bi(?:'m|’m| am) on it\b|\b(?:get|come) back to you\b|\bexpect (?:\S+ ){1,6}(?:from me|by|on|after)\b|\bconsider (?:\S+ ){1,4}(?:done|ordered|booked|sent|paid)\b|\bsee to (?:it|that)\b|\bput (?:\S+ ){1,3}aside\b|\bversprech|\bversproch|\bwerde ich\b|\bich werde\b|\bje promets|\bprometo\b/i;
const decision =
  /\bdecid|\bdecision|\bagree|\bchose|\bwe choose|\bgo(?:ing)? with\b|\bsettled\b|\bapprov|\breject|\binstead of\b|\bmust\b|\bnever\b|\balways\b|\bonly\b|\bfrom now on\b|\bprefer|\bno longer\b|\bdo not\b|\bdon't\b|\bdon’t\b|\bstick (?:to|with)\b|\bkeep (?:to|using)\b|\bswitch(?:ed|ing)? to\b|\boff the table\b|\b(?:dropp(?:ed|ing)|scrapp(?:ed|ing)|pick(?:ed|ing)?|opt(?:ed|ing)?|vot(?:e|ed)) (?:the|for|on|against|went|to)\b|\brul(?:e|ed|ing) out\b|\blet(?:'s|’s| us) (?:use|go|take|keep|drop|stay|do)\b|\bthe plan is\b|\bstays? (?:at|as|with)\b|\b(?:is|are|was|were) fine with\b|\bentschied|\bbeschloss|\bniemals\b|\bnous avons décidé|\bdecidimos\b/i;
/** A number of its own, not part of a name such as n1 or r2; or in words. */
const number =
  /(?:^|[^\p{L}\p{N}_.-])[-+~≈<>$€£¥]?\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|twice|half|quarters?|percent)\b/iu;
const isDone =
  /\b(?:done|finished|sent|delivered|completed?|fixed|paid|shipped|resolved|cancell?ed|withdrawn|no longer needed|taken care of|erledigt)\b/i;
const isChange =
  /\b(?:instead|now|chang(?:e|ed|es)|correct(?:ion|ed)?|actually|no longer|rather|updated?|moved|new|revis(?:e|ed)|not any ?more|wrong)\b/i;

/** The statements of one text. Of the human, or with `all`, also sentences that are nothing else. */
export function statementsIn(
  said: { from: string; text: string; seq: number; run?: string | undefined },
  { all = said.from === "human" } = {},
): Statement[] {
  const { from, text, seq, run } = said;
  return sentencesIn(text).flatMap((sentence): Statement[] => {
    const kind = kindOf(sentence, all);
    return kind ? [{ kind, from, text: shortLine(sentence, longestSentence), seq, ...(run ? { run } : {}) }] : [];
  });
}

function kindOf(sentence: string, all: boolean): Statement["kind"] | undefined {
  if (promise.test(sentence)) return "promise";
  if (decision.test(sentence)) return "decision";
  if (number.test(sentence) && /\p{L}{2}/u.test(sentence)) return "number";
  return all && wordsIn(sentence).size > 2 ? "word" : undefined;
}

/** Text of a thousand pages is not read whole for this. */
const mostText = 200_000;
/** Not after an abbreviation or an initial. */
const boundary = /(?<=[.!?…])(?<!\b(?:\p{Lu}|no|nr|dr|mr|mrs|ms|st|vs|e\.g|i\.e|approx|ca|bzw|z\.B)\.)\s+|\n+/iu;

function sentencesIn(text: string): string[] {
  return text
    .slice(0, mostText)
    .split(boundary)
    .map((sentence) => sentence.replace(/^[\s>*#•-]+/, "").trim())
    .filter((sentence) => sentence.length > 5);
}

/** The list with new statements: those that are done or replaced leave it, and then the least important ones until it fits. */
export function withStatements(known: readonly Statement[], added: readonly Statement[]): Statement[] {
  if (!added.length) return [...known];
  const list: Statement[] = [...known];
  for (const one of added) {
    for (let at = list.length - 1; at >= 0; at--) if (endsIt(one, list[at]!)) list.splice(at, 1);
    list.push(one);
  }
  return bounded(list);
}

function endsIt(next: Statement, before: Statement): boolean {
  if (next.text === before.text && next.from === before.from) return true;
  const mayEnd = next.from === before.from || next.from === "human";
  if (!mayEnd) return false;
  const ends =
    before.kind === "promise" ? isDone.test(next.text) || isChange.test(next.text) : isChange.test(next.text);
  // A sentence that promises once more what was promised is no end of it.
  if (!ends || (before.kind === "promise" && next.kind === "promise" && !isChange.test(next.text))) return false;
  return overlap(before.text, next.text) >= 0.6;
}

/** How much of the first text's words the second one has. */
function overlap(before: string, next: string): number {
  const [words, others] = [wordsIn(before), wordsIn(next)];
  if (words.size < 2) return 0;
  let shared = 0;
  for (const word of words) if (others.has(word)) shared++;
  return shared / words.size;
}

const stop = new Set(
  "about after also and are been but can did does for from had has have her his how into its just like may more not now our out over she should some than that the their them then there these they this too was were what when where which who will with would you your that's it's i'll we'll".split(
    " ",
  ),
);

/** Words that mean something, in a common form: without case, and without the usual English endings. */
export function wordsIn(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,:'’-][\p{L}\p{N}]+)*/gu) ?? [];
  return new Set(words.filter((word) => word.length > 2 && !stop.has(word)).map(stem));
}

/** So that a price, prices and pricing are one word. */
function stem(word: string): string {
  if (/\d/.test(word) || word.length < 4) return word;
  const one = word.replace(/ies$/, "y").replace(/(?<![su])s$/, "");
  const root = one.length > 5 ? one.replace(/(?:ing|ied|ed|ly|ment|al)$/, "") : one;
  return root.length > 3 ? root.replace(/e$/, "") : root;
}

const worth: Record<Statement["kind"], number> = { promise: 3, decision: 3, number: 2, word: 1 };

export const worthOf = ({ kind, from }: Statement): number => worth[kind] + (from === "human" ? 2 : 0);

/** In the order in which they were said. */
function bounded(list: readonly Statement[]): Statement[] {
  const ranked = list
    .map((one, at) => ({ one, at }))
    .sort((a, b) => worthOf(b.one) - worthOf(a.one) || b.at - a.at)
    .slice(0, mostStatements);
  return takeWithin(ranked, mostCharacters, ({ one }) => one.text.length)
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}
