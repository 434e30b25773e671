/**
 * Questions to the human, and approvals. Several may be open; each is answered by its id, and without an id only if exactly one is open. The answer
 * reaches only the asker. At its deadline a question takes the stated default, or expires unanswered.
 * A message from the human to just one participant that waits for the answer to its only question is that answer, however it was sent; a background
 * message is not, and an approval is never given in passing.
 */

import { commandRef } from "../../lib/command-line.ts";
import { typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Question } from "../../schema/question.ts";
import { requireRun } from "../lookup.ts";
import { wholeText } from "../message/attachments.ts";
import { type Appointments, type Deciders, defineBehaviour, iso, type Reduce, type Settle } from "../noun.ts";
import type { State } from "../state.ts";
import { requireThinker } from "../team/names.ts";
import { wakes } from "../team/worker.ts";
import { hostAnswer } from "./host.ts";

/** Something is allowed by its answer: only the human's own word for it counts. */
export const needsWord = ({ approves, host }: Pick<Question, "approves" | "host">): boolean =>
  approves !== undefined || host !== undefined;

const open = (state: State) => [...state.questions.values()].filter((question) => question.status === "open");

const questionDecide: Deciders<"question.ask" | "question.answer" | "question.expire"> = {
  "question.ask": (state, { by, text, options, default: otherwise, deadline_seconds, channel }, { now }) => {
    requireRun(state);
    const deadline = deadline_seconds === undefined ? undefined : iso(now + deadline_seconds * 1000);
    const question = `q${state.questions.size + 1}`;
    return [
      {
        type: "question.asked",
        data: { question, by: requireThinker(state, by).id, text, options, default: otherwise, deadline, channel },
      },
    ];
  },
  "question.answer": (state, { question: id, answer, remember }) => {
    requireRun(state);
    const question = id === undefined ? onlyOpen(state) : requireQuestion(state, id);
    if (question.status !== "open")
      throw new Problem(
        "wrong_state",
        `${question.id} is already ${question.status}; open questions: ${openIds(state)}`,
      );
    if (question.host)
      return [
        { type: "question.answered", data: { question: question.id, answer: hostAnswer(question, answer, remember) } },
      ];
    if (!question.approves) return [{ type: "question.answered", data: { question: question.id, answer } }];
    return [
      { type: "question.answered", data: { question: question.id, answer: verdict(question, answer), remember } },
    ];
  },
  "question.expire": (state, { question: id }, { now }) => {
    const question = requireQuestion(state, id);
    if (question.status !== "open" || !question.deadline || Date.parse(question.deadline) > now) return [];
    return [{ type: "question.expired", data: { question: id, answer: question.default } }];
  },
};

/** A reply in the chat. Derived from the state, so that it also counts if it came before the asker had begun to wait. */
const settleReplies: Settle = (state) => {
  if (state.run?.status !== "open") return [];
  for (const one of state.participants.values()) {
    if (one.kind === "human" || one.wait?.for !== "question" || one.unread.length === 0) continue;
    const [question, ...more] = open(state).filter(({ by }) => by === one.id);
    if (!question || more.length || needsWord(question) || question.id !== one.wait.question) continue;
    const seqs = new Set(one.unread.filter(wakes).map(({ seq }) => seq));
    const reply = state.channel.find(
      ({ seq, from, to }) => seq > question.seq && seqs.has(seq) && from === "human" && to.length === 1,
    );
    if (!reply) continue;
    const data = { question: question.id, answer: wholeText(reply), message: reply.id };
    return [{ type: "question.answered", data, actor: "human" }];
  }
  return [];
};

/** The human's approval or denial of a call, if given: for this call, or remembered for this tool of this asker, or for the new host it goes to. */
export function decisionOn(state: State, by: string, approves: NonNullable<Question["approves"]>) {
  let remembered: Extract<Question, { status: "answered" }> | undefined;
  for (const question of state.questions.values()) {
    if (!question.approves || question.by !== by) continue;
    if (question.approves.turn === approves.turn && question.approves.call === approves.call) return question;
    const { tool, target } = question.approves;
    if (question.status === "answered" && question.remember && tool === approves.tool && target === approves.target)
      remembered = question;
  }
  return remembered;
}

/**
 * The question that an answer is for, by its id or as the only open one; undefined if there is none. Throws if it is an approval and the caller
 * (another program, with the human's token) may not decide it: the human in the loop would be another model.
 */
export function answerable(
  state: State,
  id: string | undefined,
  way: "mcp" | "a2a",
  mayApprove: boolean,
): Question | undefined {
  const [only, ...more] = open(state);
  const question = id === undefined ? (more.length ? undefined : only) : state.questions.get(id);
  if (question?.status === "open" && needsWord(question) && !mayApprove)
    throw new Problem(
      "forbidden",
      `${question.id} asks whether ${question.host ? `${question.host.host} may be reached` : `${question.approves?.tool} may be called`}; a person must decide, on the page or with ${commandRef(`answer ${state.agent?.id} ${question.id} ${question.host ? '"this time"' : "allow"}`)}. To let programs decide: approvals: { ${way}: true } in config.yaml`,
    );
  return question;
}

/** Yes and no in the ways people say it; a no may give a reason. */
function verdict({ id, approves }: Question, answer: string): string {
  const [, yes, no, why] = /^\s*(?:(allow|yes|y|ok)|(deny|no|n))\b[\s,:.]*(.*)$/is.exec(answer) ?? [];
  if (yes) return "allow";
  if (no) return why ? `deny: ${why}` : "deny";
  throw new Problem(
    "invalid",
    `${id} asks whether ${approves?.tool} may be called; answer allow, or deny and a reason`,
  );
}

const reduceQuestions: Reduce = (state, event) => {
  if (event.type === "run.started") return state.questions.clear();
  if (event.type === "agent.moved" && event.data.inert) return voided(state, event.ts);
  if (event.type === "question.asked") {
    const { question: id, limit: _limit, ...given } = event.data;
    state.questions.set(id, { ...given, id, status: "open", seq: event.seq, asked_at: event.ts });
    return;
  }
  if (event.type !== "question.answered" && event.type !== "question.expired") return;
  const question = state.questions.get(event.data.question);
  if (question?.status !== "open") return;
  const { answer } = event.data;
  const remember = event.type === "question.answered" && event.data.remember;
  const ended = { answer, ended_at: event.ts, ...(remember ? { remember } : {}) };
  state.questions.set(
    question.id,
    event.type === "question.answered"
      ? ({ ...question, ...ended, status: "answered", answered_by: event.actor } as Question)
      : { ...question, ...ended, status: "expired" },
  );
};

/** Approvals were given in another home: none applies here. */
function voided({ questions }: State, at: string): void {
  for (const question of questions.values()) {
    if (!needsWord(question) || question.status !== "answered") continue;
    const { answer: _answer, remember: _remember, answered_by: _by, ...asked } = question;
    questions.set(question.id, { ...asked, status: "expired", ended_at: at });
  }
}

const questionAppointments: Appointments = (state) =>
  open(state).flatMap(({ id, deadline }) =>
    deadline ? [{ at: deadline, command: { type: "question.expire" as const, question: id } }] : [],
  );

const openIds = (state: State): string =>
  open(state)
    .map((one) => one.id)
    .join(", ") || "none";

function requireQuestion(state: State, id: string): Question {
  const question = state.questions.get(id);
  if (question) return question;
  throw new Problem("not_found", `there is no question ${id}; open questions: ${openIds(state)}`);
}

function onlyOpen(state: State): Question {
  const questions = open(state);
  if (questions.length === 1) return questions[0]!;
  const ids = questions.map((question) => question.id);
  throw new Problem(
    "conflict",
    ids.length ? `${ids.length} questions are open; name one: ${ids.join(", ")}` : "no question is open",
    { open: ids },
  );
}

export const question = defineBehaviour({
  decide: questionDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("question"), "run.started", "agent.moved"], reduce: reduceQuestions }],
  settle: [{ phase: "answer", rule: settleReplies }],
  appointments: { while: ["active"], of: questionAppointments },
});
