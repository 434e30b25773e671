/**
 * An agent that lasts, for a program: it is made, or taken up again by its name, works in this process, hears what the program says and
 * answers. Everything is in the home when the program ends; the next one takes it up where it was.
 *
 * A client of the same routes as every other door: what is refused there is refused here, with the same Problems.
 */
import { createReplyFinder } from "../../api/reply.ts";
import type { ReplyText } from "../../api/talk.ts";
import type { Standing } from "../../api/wait.ts";
import type { Client } from "../../client/index.ts";
import { slug } from "../../core/team/names.ts";
import { commandRef } from "../../lib/command-line.ts";
import type { BudgetWish } from "../../schema/budget.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Question } from "../../schema/question.ts";
import { type HomeOptions, openHome } from "./open-home.ts";
import { type Role, workersOf } from "./roles.ts";

/** Words of an answer as they come. */
export interface Words {
  type: "text" | "thought";
  text: string;
  turn: string;
  participant: string;
}

export interface AgentOptions extends HomeOptions {
  /** What it is for. Of one that is there already it stays what it was. */
  goal: string;
  /** What it is called in the home. One of this name that is there already is taken up again; a new one is made if it is missing. */
  name?: string;
  /** provider/model or an alias; the config's if missing, else the first that a key is found for. */
  model?: string;
  budget?: BudgetWish;
  /** Names of the only tools that it and its workers may use; all if missing. */
  only?: readonly string[];
  /** A folder of this machine that it may read. */
  folder?: string;
  /** Who it is, whatever it works on: the first version of its SOUL.md. */
  soul?: string;
  /** A team that is written down in the home. */
  workflow?: string;
  /** Workers that are there from the start, by name: `{ Alice: "looks things up" }`. */
  roles?: Readonly<Record<string, string | Role>>;
  /** Begin with the goal at once; true if missing. Otherwise `begin` does. */
  start?: boolean;
  /** Every durable event of the agent from now on, in order; of a new one, from the first. */
  onEvent?(event: Event): void;
  /** Words of answers as they come; they are never stored. */
  onWords?(words: Words): void;
  /** Answers what the agent asks the human. Nothing: the question stays open. */
  onQuestion?(question: Question): Promise<string | undefined> | string | undefined;
}

export interface SendOptions {
  /** A worker's id or name; the coordinator if missing. */
  to?: string;
  /** Files that go with it. */
  files?: readonly { name: string; content: string | Uint8Array }[];
  /** The same again changes nothing more, for a day. */
  key?: string;
  /** Stops waiting; what was said is said. */
  signal?: AbortSignal;
}

export interface Agent {
  /** Its name in the home. */
  readonly id: string;
  /** Says something to it and waits for the reply: words, a question, or the answer that finished its run. Rejects if it stands still without one. */
  send(text: string, options?: SendOptions): Promise<ReplyText>;
  /** Waits until nothing comes any more by itself: it is done, stands still, or asks something that nobody here answers. */
  wait(options?: { signal?: AbortSignal }): Promise<Standing>;
  /** Begins its next run: with its memory, and another goal if one is given. */
  begin(goal?: string): Promise<void>;
  answer(question: string, text: string): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Every route there is, for all else. */
  readonly client: Client;
  /** Ends its work in this process, in order. It is in the home as it is. */
  close(): Promise<void>;
}

/** The longest that one request waits. */
const seconds = 600;

export const agent = (options: AgentOptions): Promise<Agent> => openAgent(options, "known or new");

/** `new`: another one is made also if there is one of this name. */
export async function openAgent(options: AgentOptions, which: "new" | "known or new"): Promise<Agent> {
  const { client, close } = await openHome(options);
  try {
    const known = which === "new" ? undefined : await findKnown(client, options);
    const id = known?.id ?? (await makeAgent(client, options));
    const one = live(client, id, known?.seq ?? 0, options, close);
    if (!known && options.start !== false) await one.begin();
    return one;
  } catch (error) {
    await close();
    throw error;
  }
}

async function findKnown(client: Client, { name }: AgentOptions) {
  if (name === undefined) return undefined;
  const known = await client.getAgent({ params: { agent: slug(name) } }).catch(missing);
  if (known?.status === "paused" || known?.status === "stopped")
    await client.resumeAgent({ params: { agent: known.id } });
  return known;
}

/** Without beginning: the first words may come at once, and somebody must listen by then. */
async function makeAgent(client: Client, options: AgentOptions): Promise<string> {
  const { goal, name, model, budget, only, folder, soul, workflow, roles = {} } = options;
  const workers = workersOf(roles);
  const made = await client.createAgent({
    body: {
      goal,
      ...(name === undefined ? {} : { name }),
      ...(model === undefined ? {} : { model }),
      ...(budget === undefined ? {} : { budget }),
      ...(only === undefined ? {} : { tools: [...only] }),
      ...(folder === undefined ? {} : { folder }),
      ...(soul === undefined ? {} : { soul }),
      ...(workflow === undefined ? {} : { workflow }),
      ...(workers.length ? { team: { workers, nodes: [], stages: [] } } : {}),
      start: false,
    },
  });
  return made.id;
}

function missing(problem: unknown): undefined {
  if (problem instanceof Problem && (problem.code === "not_found" || problem.code === "invalid")) return undefined;
  throw problem;
}

function live(client: Client, id: string, after: number, options: AgentOptions, close: () => Promise<void>): Agent {
  const params = { agent: id };
  const over = new AbortController();
  const listening = createListener(client, id, after, options, over.signal);

  async function standing(signal: AbortSignal | undefined): Promise<Standing> {
    for (;;) {
      const now = await client.waitForAgent({
        params,
        query: { seconds, until: "rest" },
        ...(signal ? { signal } : {}),
      });
      if (now.why === "working" || (now.why === "question" && !(await listening.declined()))) continue;
      await listening.upTo(now.agent.seq);
      return now;
    }
  }

  const unanswered = (why: string) =>
    new Problem("wrong_state", `${id} has not replied: ${why}; to continue: ${commandRef(`resume ${id}`)}`);

  return {
    id,
    client,
    async begin(goal) {
      await client.startRun({ params, body: goal === undefined ? {} : { goal } });
    },
    wait: ({ signal } = {}) => standing(signal),
    async send(message, { to, files = [], key, signal } = {}) {
      // Something can be said only in a run.
      if ((await client.getAgent({ params })).run === null) await client.startRun({ params, body: {} });
      const resources: string[] = [];
      for (const { name: title, content } of files) {
        const bytes = Buffer.from(content as Uint8Array).toString("base64");
        resources.push((await client.createResource({ params, body: { title, base64: bytes } })).id);
      }
      const body = { message, ...(to === undefined ? {} : { to }), ...(resources.length ? { resources } : {}) };
      const sent = await client.send({ params, body, ...(key === undefined ? {} : { key }) });
      const { why, agent: now } = await client.waitForAgent({ params, query: { seconds: 0 } });
      if (why === "paused" || why === "failed") throw unanswered(now.reason?.message ?? `it is ${why}`);
      const find = createReplyFinder(sent);
      const left = signal ? { signal: AbortSignal.any([signal, over.signal]) } : { signal: over.signal };
      for await (const { event } of client.events({ agent: id, after: sent.seq, ...left })) {
        const outcome = find(event);
        if (!outcome) continue;
        // What the program answers itself is no reply to it.
        if (outcome.reply?.kind === "question" && options.onQuestion && !(await listening.declined())) continue;
        await listening.upTo(event.seq);
        if (outcome.reply) return outcome.reply;
        throw unanswered(outcome.why);
      }
      signal?.throwIfAborted();
      throw unanswered("it was closed meanwhile");
    },
    async answer(question_id, response) {
      await client.respond({ params, body: { question_id, response } });
    },
    async pause() {
      await client.pauseAgent({ params });
    },
    async resume() {
      await client.resumeAgent({ params });
    },
    async close() {
      over.abort();
      await listening.end;
      await close();
    },
  };
}

/** Tells the program what happens, one after the other, and puts questions to it. */
function createListener(
  client: Client,
  agent: string,
  after: number,
  { onEvent, onWords, onQuestion }: AgentOptions,
  signal: AbortSignal,
) {
  const params = { agent };
  let told = after;
  const waiting = new Set<() => void>();
  /** Questions that were put to the program, and those of them that it did not answer. */
  const asked = new Set<string>();
  const unanswered = new Set<string>();
  const replying = new Set<Promise<void>>();

  async function reply({ id: question_id }: Question, given: Promise<string | undefined>): Promise<void> {
    const response = await given.catch(() => undefined);
    if (response === undefined) unanswered.add(question_id);
    else await client.respond({ params, body: { question_id, response } }).catch(() => unanswered.add(question_id));
  }

  const openQuestions = async () =>
    (await client.listQuestions({ params, query: { status: "open", limit: 500 } })).items;

  async function askOpen(): Promise<void> {
    if (!onQuestion) return;
    for (const question of await openQuestions()) {
      if (asked.has(question.id)) continue;
      asked.add(question.id);
      const under = reply(question, (async () => await onQuestion(question))());
      replying.add(under);
      void under.finally(() => replying.delete(under));
    }
  }

  const deltas = onWords && {
    deltas: ({
      kind: type,
      text,
      turn,
      participant,
    }: {
      kind: Words["type"];
      text: string;
      turn: string;
      participant: string;
    }) => onWords({ type, text, turn, participant }),
  };

  async function all(): Promise<void> {
    for await (const { event } of client.events({ agent, after, signal, ...deltas })) {
      onEvent?.(event);
      told = event.seq;
      if (event.type === "question.asked") await askOpen();
      for (const look of waiting) look();
    }
  }
  // What was open before is put to the program, too.
  const end = askOpen().then(all);
  end.catch(() => undefined);

  return {
    end: end.catch(() => undefined),
    /** Waits until the program was told of this event; rejects with what the program threw. */
    upTo: (seq: number) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (told < seq) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        end.then(resolve, reject);
      }),
    /** Waits for what the program is about to answer. True if there is a question that it does not. */
    async declined(): Promise<boolean> {
      await askOpen();
      await Promise.all(replying);
      return (await openQuestions()).some(({ id }) => !onQuestion || unanswered.has(id));
    },
  };
}
