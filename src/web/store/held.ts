/**
 * Answers and votes of the human that can still be taken back. An answer is kept here for eight seconds and sent then; at once if the human says so,
 * or if the window is hidden or closed. What is kept is in the browser's storage, so that a window that is reloaded or lost loses none: the next
 * one sends it, with the same key, and so it counts once. Windows of one browser share what is kept, and each of them can take it back.
 *
 * Without a daemon it stays and says so. If somebody else was faster, or nobody asks any more, it is dropped and the human is told.
 */
import type { Client } from "../../client/index.ts";
import { shorten } from "../../lib/text/text.ts";
import { Problem } from "../../schema/problem.ts";
import type { Proposal } from "../../schema/proposal.ts";
import type { Question } from "../../schema/question.ts";
import { after, now, unique } from "../platform.ts";
import type { Store } from "./store.ts";

export type Said =
  | { response: string }
  | { decision: "allow" | "deny"; reason?: string; remember?: boolean }
  | { vote: string; reason?: string };

/** What is answered: a question, or a proposal that is voted on. */
type Asked = Question | Proposal;

export interface AnswerWish {
  agent: string;
  /** A proposal is known by its id too, and was asked when it was created. */
  question: Pick<Question, "id" | "asked_at">;
  /** Who asks, by name. */
  who: string;
  /** The answer in words: "Blue", "Allowed: Write a.txt". */
  words: string;
  said: Said;
}

export interface HeldAnswer {
  /** Of the call: sent twice it counts once. */
  key: string;
  /** Those that were given by one stroke are taken back by one. */
  batch: string;
  agent: string;
  question: string;
  asked_at: string;
  who: string;
  words: string;
  said: Said;
  due: number;
  owner: string;
}

export interface Answers {
  subscribe(changed: () => void): () => void;
  /** In the order in which they were given; a new array when it changed. */
  held(): readonly HeldAnswer[];
  /** It is under way, or waits for the daemon. */
  status(held: HeldAnswer): "held" | "sending" | "waiting";
  hold(answers: readonly AnswerWish[]): void;
  undo(batch: string): void;
  sendNow(batch: string): void;
  /** What was taken back, to begin with it again. */
  undone(agent: string, question: string): string | undefined;
  start(): void;
}

export interface AnswersOptions {
  client: Client;
  store: Store;
  storage: Storage;
  /** Says that an answer could not be given, and why. */
  tell(text: string): void;
}

export const undoMs = 8_000;
/** So much later another window sends what its own one did not. */
const graceMs = 3_000;
/** Before a daemon that was there and did not take it is asked again. */
const againMs = 5_000;
const prefix = "agiraph.held.";
/** Browsers let no more go on after a window is closed. */
const mostKeptAlive = 50_000;

export function createAnswers({ client, store, storage, tell }: AnswersOptions): Answers {
  const me = unique();
  const listeners = new Set<() => void>();
  const sending = new Set<string>();
  const failed = new Set<string>();
  const back = new Map<string, string>();
  let kept = read();
  let cancel: () => void = () => undefined;

  function read(): readonly HeldAnswer[] {
    const found: HeldAnswer[] = [];
    for (let index = 0; index < storage.length; index++) {
      const name = storage.key(index)!;
      if (!name.startsWith(prefix)) continue;
      try {
        found.push(JSON.parse(storage.getItem(name)!) as HeldAnswer);
      } catch {
        storage.removeItem(name);
      }
    }
    return found.sort((a, b) => a.due - b.due || (a.key < b.key ? -1 : 1));
  }

  function changed(): void {
    kept = read();
    for (const listener of listeners) listener();
  }

  function keep(one: HeldAnswer): void {
    storage.setItem(prefix + one.key, JSON.stringify(one));
  }

  function drop({ key }: HeldAnswer, why?: string): void {
    storage.removeItem(prefix + key);
    failed.delete(key);
    if (why) tell(why);
    changed();
  }

  const dueOf = ({ due, owner }: HeldAnswer): number => (owner === me ? due : due + graceMs);
  const isThere = () => store.link().status === "live";

  /** Sends what is due, and drops what is settled. */
  function look(): void {
    cancel();
    let next = Number.POSITIVE_INFINITY;
    for (const one of kept) {
      if (sending.has(one.key)) continue;
      const asked = questionOf(one);
      if (asked === undefined) continue;
      const over = isOver(one, asked);
      if (over !== undefined) drop(one, over || undefined);
      else if (dueOf(one) > now()) next = Math.min(next, dueOf(one));
      else if (isThere()) void send(one);
      else mark(one);
    }
    if (next < Number.POSITIVE_INFINITY) cancel = after(Math.max(10, next - now()), look);
  }

  function mark({ key }: HeldAnswer): void {
    if (failed.has(key)) return;
    failed.add(key);
    changed();
  }

  /** Null if there is none any more; undefined as long as nobody knows. */
  function questionOf({ agent, question, said }: HeldAnswer): Asked | null | undefined {
    const view = store.agent(agent);
    if (!view) return store.link().ready ? null : undefined;
    if (!view.state) store.open(agent);
    return view.state && (("vote" in said ? view.state.proposals : view.state.questions).get(question) ?? null);
  }

  async function send(one: HeldAnswer): Promise<void> {
    sending.add(one.key);
    failed.delete(one.key);
    changed();
    try {
      await call(one);
      drop(one);
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem("unreachable", String(error));
      if (/^(unreachable|unauthorized|rate_limited|closed)$/.test(problem.code)) mark(one);
      else drop(one, problem.code === "wrong_state" ? tooLate(one, questionOf(one)) : problem.message);
    } finally {
      sending.delete(one.key);
      changed();
      if (failed.has(one.key)) after(againMs, look);
    }
  }

  function call({ key, agent, question, said }: HeldAnswer): Promise<unknown> {
    const keepalive = JSON.stringify(said).length < mostKeptAlive;
    if ("response" in said)
      return client.respond({
        params: { agent },
        body: { response: said.response, question_id: question },
        key,
        keepalive,
      });
    if ("vote" in said) {
      const { vote: option, ...why } = said;
      return client.voteOnProposal({ params: { agent, proposal: question }, body: { option, ...why }, key, keepalive });
    }
    return client.decideApproval({ params: { agent, approval: question }, body: said, key, keepalive });
  }

  /** The window may be gone in a moment. */
  function leave(): void {
    for (const one of kept) if (one.owner === me && !sending.has(one.key)) void send(one);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    held: () => kept,
    status: ({ key }) => (sending.has(key) ? "sending" : failed.has(key) ? "waiting" : "held"),
    hold(answers) {
      const batch = unique();
      for (const { agent, question, who, words, said } of answers) {
        if (kept.some((one) => one.agent === agent && one.question === question.id)) continue;
        const asked = { question: question.id, asked_at: question.asked_at };
        keep({ key: unique(), batch, agent, ...asked, who, words, said, due: now() + undoMs, owner: me });
        back.delete(`${agent}/${question.id}`);
      }
      changed();
      look();
    },
    undo(batch) {
      for (const one of kept) {
        if (one.batch !== batch || sending.has(one.key)) continue;
        if ("response" in one.said) back.set(`${one.agent}/${one.question}`, one.said.response);
        drop(one);
      }
    },
    sendNow(batch) {
      for (const one of kept) if (one.batch === batch) keep({ ...one, due: 0, owner: me });
      changed();
      look();
    },
    undone: (agent, question) => back.get(`${agent}/${question}`),
    start() {
      store.subscribe(look);
      addEventListener("storage", ({ key }) => {
        if (key !== null && !key.startsWith(prefix)) return;
        changed();
        look();
      });
      addEventListener("pagehide", leave);
      document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leave());
      look();
    },
  };
}

/** Why it need not be sent: empty if it is the answer that is there. Undefined if it is still wanted. */
export function isOver(one: HeldAnswer, asked: Asked | null): string | undefined {
  if (!asked || askedAt(asked) !== one.asked_at) return `Too late: ${one.who} no longer asks that.`;
  if (asked.status === "open") return undefined;
  if ("votes" in asked) return asked.votes.human === one.words ? "" : tooLate(one, asked);
  return asked.status === "answered" && asked.answer.trim() === answerOf(one.said).trim() ? "" : tooLate(one, asked);
}

const askedAt = (asked: Asked): string => ("votes" in asked ? asked.created_at : asked.asked_at);

function tooLate({ who }: HeldAnswer, asked: Asked | null | undefined): string {
  if (asked && "votes" in asked)
    return asked.status === "withdrawn"
      ? "Too late: the proposal was withdrawn."
      : `Too late: the vote is over${asked.status === "settled" && asked.verdict.result === "won" ? `, “${shorten(asked.verdict.option, 80)}” has won` : ""}.`;
  if (asked?.status === "answered") return `Too late: ${who} already has an answer, “${shorten(asked.answer, 80)}”.`;
  if (asked?.status !== "expired") return `Too late: ${who} already has an answer.`;
  return `Too late: the deadline has passed${asked.answer ? `, ${who} took “${shorten(asked.answer, 80)}”` : ""}.`;
}

/** As the daemon keeps it. */
function answerOf(said: Said): string {
  if ("response" in said) return said.response;
  if ("vote" in said) return said.vote;
  return said.reason ? `${said.decision}: ${said.reason}` : said.decision;
}
