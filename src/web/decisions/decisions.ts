/** What an agent has decided, in all its runs: by a vote, or by an answer of the human. Open votes first, then the newest. */
import type { Event } from "../../schema/event.ts";
import { withoutMarks } from "../parts/text/plain-words.ts";
import { outcomeOf } from "./tally.ts";
import { createVotes, type Vote } from "./votes.ts";

interface Answer {
  key: string;
  run: string;
  seq: number;
  by: string;
  text: string;
  answer: string;
  at: string;
}

export type Decision = ({ kind: "vote" } & Vote) | ({ kind: "answer" } & Answer);

/** What is asked for to make them. */
export const decisionTypes = "run.started,proposal.*,question.asked,question.answered";

export function decisionsOf(events: readonly Event[]): Decision[] {
  const votes = createVotes();
  const asked = new Map<string, Pick<Answer, "by" | "text">>();
  const answers: Decision[] = [];
  for (const event of events) {
    votes.take(event);
    const { type, data, run = "", seq, ts } = event;
    if (type === "question.asked" && !data.approves && !data.host)
      asked.set(`${run}/${data.question}`, { by: data.by, text: data.text });
    if (type === "question.answered") {
      const question = asked.get(`${run}/${data.question}`);
      if (question && event.actor === "human")
        answers.push({
          kind: "answer",
          key: `${run}/${data.question}`,
          run,
          seq,
          ...question,
          answer: data.answer,
          at: ts,
        });
    }
  }
  const all: Decision[] = [...votes.all().map((vote) => ({ kind: "vote" as const, ...vote })), ...answers];
  return all.sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || (decidedAt(a) < decidedAt(b) ? 1 : -1));
}

export const isOpen = (one: Decision): boolean => one.kind === "vote" && one.proposal.status === "open";

export function decidedAt(one: Decision): string {
  if (one.kind === "answer") return one.at;
  return one.proposal.status === "open" ? one.proposal.created_at : one.proposal.ended_at;
}

export const textOf = (one: Decision): string => (one.kind === "answer" ? one.text : one.proposal.text);

export function titleOf(one: Decision): string {
  return withoutMarks(textOf(one).trim().split("\n")[0] ?? "");
}

/** Words that say nothing of what is asked. */
const empty = new Set("why do does did we is are was were a an the of to in our us have has it this that".split(" "));

/** Those that have every word of what is asked, where most of it is in the question itself first. */
export function found(all: readonly Decision[], query: string): Decision[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  const wanted = words.filter((word) => !empty.has(word));
  if (!wanted.length) return [...all];
  const inTitle = (one: Decision) => wanted.filter((word) => titleOf(one).toLowerCase().includes(word)).length;
  return all
    .filter((one) => {
      const text = wordsOf(one).toLowerCase();
      return wanted.every((word) => text.includes(word));
    })
    .sort((a, b) => inTitle(b) - inTitle(a));
}

function wordsOf(one: Decision): string {
  if (one.kind === "answer") return `${one.text}\n${one.answer}`;
  const { text, options } = one.proposal;
  const effect = one.proposal.status === "settled" ? (one.proposal.effect ?? "") : "";
  const reasons = one.ballots.map(({ reason = "" }) => reason);
  return [text, ...options, outcomeOf(one.proposal).words, effect, ...reasons].join("\n");
}
