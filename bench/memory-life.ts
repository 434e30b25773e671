/**
 * A memory over thirty weeks of work: whether what is asked at the end is in the opening or the first result of one search, and whether it holds.
 *
 * The guard is given each statement in the week it was made, judges it and writes it, as it does with insights (guard/judge.ts). The question is the task
 * of a run: the opening is made for it, as the guard does. A question is answered if the note that says it, as it holds now, is among those that the
 * opening chose for it, or comes first in a search for it; for "when" with its date, for "before" with what it said earlier. What the opening shows only
 * because it is new does not count: it would be there for any question. Where there is nothing to know, the first result must fit so little that it is
 * seen. Words alone are measured in the same way. No model reads the results, so an answer that is shown counts as found.
 */
import { judge, noteWith } from "../src/guard/judge.ts";
import { createMemory, type OwnMemory } from "../src/guard/memory.ts";
import { agentPlace } from "../src/guard/memory-place.ts";
import { splitPast } from "../src/guard/note-head.ts";
import type { Embedder } from "../src/lib/embedder.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { Figure } from "./figure.ts";
import { type Question, questions } from "./memory-questions.ts";
import { weeks } from "./memory-weeks.ts";

const weekMs = 604_800_000;
const begin = Date.parse("2026-01-05T09:00:00.000Z");
/** What fits less is taken for nothing. */
const leastFit = 0.35;

/** What became of one question. */
interface Outcome extends Question {
  /** The first result answers it. */
  first: boolean;
  /** The opening for it answers it, be it only in what was noted last. */
  opened: boolean;
  /** It does so in what was chosen for the question. */
  chosen: boolean;
  /** How many notes it chose. */
  count: number;
  /** The first result says as current what does not hold any more. */
  stale: boolean;
}

export async function life(home: string, offline: Embedder): Promise<Figure[]> {
  let now = begin;
  const world = { ...machine, clock: { ...machine.clock, now: () => now } };
  const open = (embedder?: Embedder) =>
    createMemory({ world, ...(embedder ? { embedder } : {}), patienceMs: 60_000, lookMs: 60_000 }).of(
      agentPlace(home, "a1"),
    );
  const own = open(offline);
  for (const { week, subject, text } of weeks) {
    now = begin + (week - 1) * weekMs;
    const verdict = await judge(own, { subject, text, kind: "fact", visibility: "private" });
    if (verdict.do !== "keep") continue;
    const kept = { subject, text, source: `r${week}, reflection`, noted: dayOf(week), visibility: "private" as const };
    await own.edit(verdict.path, (before) => noteWith(before, kept));
  }
  now = begin + 30 * weekMs;
  await own.indexed();
  const words = open();
  await words.indexed();
  const [both, alone] = [await ask(own, now), await ask(words, now)];
  const [hit, byWords] = [share(both, isHit), share(alone, isHit)];
  const types = [...new Set(both.map(({ type }) => type))].map((type) => {
    const some = both.filter((one) => one.type === type);
    return `${type} ${some.filter(isHit).length} of ${some.length}`;
  });
  const each = (set: Question["set"]) =>
    share(
      both.filter((one) => one.set === set),
      isHit,
    ).toFixed(2);
  const stale = share(both, (one) => one.stale);
  const first = (some: readonly Outcome[]) => share(some, (one) => one.first).toFixed(2);
  const anywhere = (some: readonly Outcome[]) => share(some, (one) => isHit(one) || one.opened).toFixed(2);
  const perQuestion = both.reduce((sum, { count }) => sum + count, 0) / both.length;
  return [
    {
      name: "memory.life.hit@1",
      value: hit,
      unit: "of 1",
      baseline: byWords,
      ratio: hit / byWords,
      goal: ">= 0.8",
      ok: hit >= 0.8,
      note: `${both.length} questions about ${weeks.length} statements of 30 weeks (bench/memory-questions.ts), chosen for the question in the opening (${perQuestion.toFixed(1)} notes each) or first in one search, against words alone measured alike. Development set ${each("dev")}, test set ${each("test")}. ${types.join(", ")}. First in the search: ${first(both)}, by words ${first(alone)}; with what the opening shows because it is new: ${anywhere(both)}, by words ${anywhere(alone)}.`,
    },
    {
      name: "memory.life.words",
      value: byWords,
      unit: "of 1",
      baseline: hit,
      ratio: byWords / hit,
      goal: "< half of hit@1",
      ok: byWords * 2 < hit,
      note: "The same questions by words alone, in the opening or first in the search: how much of it the meaning does.",
    },
    {
      name: "memory.life.stale",
      value: stale,
      unit: "of 1",
      baseline: null,
      ratio: null,
      goal: "<= 0.02",
      ok: stale <= 0.02,
      note: "First results that say as current what does not hold any more.",
    },
  ];
}

const share = (outcomes: readonly Outcome[], is: (one: Outcome) => boolean): number =>
  outcomes.filter(is).length / outcomes.length;
const isHit = ({ first, chosen }: Outcome): boolean => first || chosen;

const dayOf = (week: number): string => new Date(begin + (week - 1) * weekMs).toISOString().slice(0, 10);

async function ask(own: OwnMemory, now: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const one of questions) {
    const { found } = await own.find(one.question, 6);
    const [best] = found;
    const said = best ? splitPast(best.text).now : "";
    const stale = versionsOf(one.subject)
      .slice(0, -1)
      .some(({ text }) => said.includes(text));
    const opening = one.type === "unknown" ? "" : await own.opening(now, one.question);
    const chosen = between(opening, "What may concern your task:", "</note>");
    const count = chosen.split("\n- ").length - 1;
    const shown = { opened: isShown(one, opening), chosen: isShown(one, chosen), count };
    outcomes.push({ ...one, first: isAnswer(one, best), ...shown, stale });
  }
  return outcomes;
}

function between(text: string, begin: string, end: string): string {
  const [, after = ""] = text.split(begin);
  return after.slice(0, Math.max(0, after.indexOf(end)));
}

const versionsOf = (subject: string) => weeks.filter((one) => wordsOf(one.subject) === wordsOf(subject));
const wordsOf = (subject: string): string => subject.split(" ").sort().join(" ");

function isAnswer({ type, subject }: Question, first: Awaited<ReturnType<OwnMemory["find"]>>["found"][0] | undefined) {
  if (type === "unknown") return !first || first.fit < leastFit;
  const { text, week } = versionsOf(subject).at(-1)!;
  if (!first?.text.includes(text)) return false;
  if (type === "when") return first.noted === dayOf(week);
  if (type !== "before") return true;
  return splitPast(first.text).earlier.length > 0;
}

/** In one line of it. */
function isShown({ type, subject }: Question, opening: string): boolean {
  const versions = versionsOf(subject);
  const last = versions.at(-1);
  const line = last && opening.split("\n").find((each) => each.includes(last.text));
  if (!line) return false;
  if (type === "when") return line.includes(dayOf(last.week));
  return type !== "before" || line.includes(versions.at(-2)!.text);
}
