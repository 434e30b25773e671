/**
 * A memory over thirty weeks of work: whether what is asked at the end is in the opening or the first result of one search, and whether it holds.
 *
 * The guard is given each statement in the week it was made, judges it and writes it, as it does with insights (guard/judge.ts). A question is answered if
 * the note that says it, as it holds now, is in the opening or comes first; for "when" with its date, for "before" with what it said earlier. Where there
 * is nothing to know, the first result must fit so little that it is seen. No model reads the results.
 */
import { judge, noteWith } from "../src/guard/judge.ts";
import { createMemory, type OwnMemory } from "../src/guard/memory.ts";
import { agentPlace } from "../src/guard/memory-place.ts";
import { splitPast } from "../src/guard/note-head.ts";
import type { Embedder } from "../src/lib/embedder.ts";
import { machine } from "../src/lib/machine/index.ts";
import type { Figure } from "./figure.ts";
import { type Question, questions, weeks } from "./memory-weeks.ts";

const weekMs = 604_800_000;
const begin = Date.parse("2026-01-05T09:00:00.000Z");
/** What fits less is taken for nothing. */
const leastFit = 0.35;

interface Score {
  hits: number;
  searchHits: number;
  stale: number;
  byType: Map<string, [hits: number, all: number]>;
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
  const share = (count: number) => count / questions.length;
  const types = [...both.byType].map(([type, [hits, all]]) => `${type} ${hits} of ${all}`).join(", ");
  return [
    {
      name: "memory.life.hit@1",
      value: share(both.hits),
      unit: "of 1",
      baseline: share(alone.searchHits),
      ratio: share(both.hits) / share(alone.searchHits),
      goal: ">= 0.8",
      ok: share(both.hits) >= 0.8,
      note: `${questions.length} questions about ${weeks.length} statements of 30 weeks (bench/memory-weeks.ts), in the opening or first in one search, against a search by words alone: ${types}. By search only: ${share(both.searchHits).toFixed(2)}; words with the opening: ${share(alone.hits).toFixed(2)}.`,
    },
    {
      name: "memory.life.words",
      value: share(alone.searchHits),
      unit: "of 1",
      baseline: share(both.hits),
      ratio: share(alone.searchHits) / share(both.hits),
      goal: "< half of hit@1",
      ok: share(alone.searchHits) * 2 < share(both.hits),
      note: "The same questions by words alone: how much of it the meaning does.",
    },
    {
      name: "memory.life.stale",
      value: share(both.stale),
      unit: "of 1",
      baseline: null,
      ratio: null,
      goal: "<= 0.02",
      ok: share(both.stale) <= 0.02,
      note: "First results that say as current what does not hold any more.",
    },
  ];
}

const dayOf = (week: number): string => new Date(begin + (week - 1) * weekMs).toISOString().slice(0, 10);

async function ask(own: OwnMemory, now: number): Promise<Score> {
  const score: Score = { hits: 0, searchHits: 0, stale: 0, byType: new Map() };
  const opening = await own.opening(now);
  for (const one of questions) {
    const { found } = await own.find(one.question, 6);
    const [first] = found;
    const said = first ? splitPast(first.text).now : "";
    const old = weeks.filter(({ subject }) => subject === one.subject).slice(0, -1);
    if (old.some(({ text }) => said.includes(text))) score.stale++;
    const hit = isAnswer(one, first);
    const isShown = one.type !== "unknown" && opening.includes(lastOf(one.subject).text);
    const [hits, all] = score.byType.get(one.type) ?? [0, 0];
    score.byType.set(one.type, [hits + Number(hit || isShown), all + 1]);
    score.hits += Number(hit || isShown);
    score.searchHits += Number(hit);
  }
  return score;
}

const lastOf = (subject: string) => {
  const [words] = [subject.split(" ").sort().join(" ")];
  return weeks.findLast((one) => one.subject.split(" ").sort().join(" ") === words)!;
};

function isAnswer({ type, subject }: Question, first: Awaited<ReturnType<OwnMemory["find"]>>["found"][0] | undefined) {
  if (type === "unknown") return !first || first.fit < leastFit;
  const { text, week } = lastOf(subject);
  if (!first?.text.includes(text)) return false;
  if (type === "when") return first.noted === dayOf(week);
  if (type !== "before") return true;
  return splitPast(first.text).earlier.length > 0;
}
