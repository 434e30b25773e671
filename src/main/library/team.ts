/**
 * A team, run by a program: a goal in, an answer out. The same house as the command line opens, without a terminal. Who leads the team decides
 * whether it needs one; `roles` are there from the start.
 *
 * Rejects with a Problem if there is no answer: nobody could be asked, the agent was paused or failed, or it asks something that nobody here
 * answers. Nothing is lost then: the agent is in the home, and `agiraph resume` goes on with it.
 */

import { join } from "node:path";
import { run } from "../../cli/run.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { type Heard, inThisProcess } from "../../cli/watched.ts";
import type { State } from "../../core/state.ts";
import { agentRoot, runRoot } from "../../home/layout.ts";
import { commandRef } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import type { BudgetLimit } from "../../schema/budget.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Question } from "../../schema/question.ts";
import type { Tool } from "../../toolkit/tool.ts";
import { findHome, wasComeUpon } from "../environment.ts";
import { type House, openHouse } from "../house.ts";

export interface Role {
  /** What it is for, in your words. */
  role: string;
  /** provider/model; the agent's if missing. */
  model?: string;
  /** Names of the tools it may use; all that workers may if missing. */
  tools?: string[];
  max_turns?: number;
  budget?: BudgetLimit;
  /** What it knows from the start. */
  memory?: string;
}

export interface TeamOptions {
  goal: string;
  /** Workers that are there from the start, by name: `{ Alice: "looks things up" }`. More may be spawned. */
  roles?: Readonly<Record<string, string | Role>>;
  /** What the agent is called in the home; made from the goal if missing. */
  name?: string;
  /** provider/model; the config's if missing, else the first that a key is found for. */
  model?: string;
  /** Besides those of the home. */
  tools?: readonly Tool[];
  /** Where the agent lives; the same as of the command line if missing. */
  home?: string;
  budget?: BudgetLimit;
  /** Every durable event of the agent, in order. */
  onEvent?(event: Event): void;
  /** Words of answers as they come; they are never stored. */
  onWords?(words: Heard): void;
  /** Answers what the team asks the human. Nothing: nobody can, and the call rejects. */
  onQuestion?(question: Question): Promise<string | undefined> | string | undefined;
  /** What people should know and no one else tells, such as a skill that is left out. */
  onNotice?(problem: Problem): void;
  /** Pauses the agent. */
  signal?: AbortSignal;
}

export interface Answer {
  /** What the agent said when it finished, or its words if it just answered. */
  answer: string;
  /** The files it published with it. */
  files: string[];
  /** Its name in the home. */
  agent: string;
  cost: { usd: number; tokens: number };
}

export async function team(given: TeamOptions): Promise<Answer> {
  const path = findHome(given.home);
  const notice = (_agent: string, problem: Problem) => given.onNotice?.(problem);
  const house = await openHouse({ path, env: process.env, notice, plain: wasComeUpon(path), tools: given.tools ?? [] });
  // Timers of the runtime do not keep a process alive; whoever waits for us does.
  const alive = setInterval(() => undefined, 1 << 30);
  try {
    await house.runtime.start();
    return await inHouse(house, given);
  } finally {
    await house.close();
    clearInterval(alive);
  }
}

async function inHouse({ runtime, backends, settings, path }: House, given: TeamOptions): Promise<Answer> {
  const choice = given.model ? { model: given.model, why: "" } : await backends.choose();
  if (!choice.model) throw new Problem("not_offered", `no model to ask: ${choice.why}`);
  backends.resolve(choice.model);
  const budget = { ...settings.config.budget, ...given.budget };
  const roles = Object.entries(given.roles ?? {}).map(([name, one]) => ({
    name,
    ...(typeof one === "string" ? { role: one } : one),
  }));
  for (const { model } of roles) if (model) backends.resolve(model);
  const agent = await runtime.create({
    goal: given.goal,
    model: choice.model,
    ...(given.name ? { name: given.name } : {}),
    ...(Object.keys(budget).length ? { budget } : {}),
    ...(roles.length ? { team: { workers: roles, nodes: [], stages: [] } } : {}),
    start: false,
  });
  const paths = (_agent: string, id: string) => {
    const root = runRoot(path, agent, id);
    return { output: join(root, "_output.md"), run: root, log: join(agentRoot(path, agent), "events.jsonl") };
  };
  const over = new AbortController();
  const watched = inThisProcess(runtime, agent);
  const deaf = given.onWords ? watched.listen(given.onWords) : () => undefined;
  const telling = tell(runtime.follow(agent, 0, over.signal), given.onEvent);
  const { onQuestion } = given;
  const reply = onQuestion && { reply: async (question: Question) => await onQuestion(question) };
  const terminal = createTerminal({ out: { write: () => true }, live: false, color: false });
  const stop = given.signal ?? over.signal;
  const { now } = machine.clock;
  try {
    // Not before somebody listens: the first words may come at once.
    await runtime.send(agent, { type: "run.start" }, { actor: "human" });
    // Not before the run and the team are there: an agent without them has nothing to do.
    const from = await watched.state();
    await run({ watched, terminal, agent, from, now, stop, input: undefined, paths, ...reply });
    const { answered, words, why, files, cost, root, seq } = await runtime.read(agent, (state) => ({
      ...ended(state),
      root: runRoot(path, agent, state.run!.id),
      seq: state.seq,
    }));
    await telling.upTo(seq);
    if (words) return { answer: words, files: [], agent, cost };
    if (!answered)
      throw new Problem("wrong_state", `${agent} has no answer: ${why}; ${commandRef(`resume ${agent}`)} goes on`);
    const answer = String((await machine.files.read(join(root, "_output.md"))) ?? "").trim();
    return { answer, files: await published(join(root, files)), agent, cost };
  } finally {
    deaf();
    over.abort();
    await telling.end;
  }
}

function ended(state: State) {
  const { agent, run, questions, accounts, channel } = state;
  const open = [...questions.values()].find((question) => question.status === "open");
  const why =
    agent && "reason" in agent
      ? `it is ${agent.status}, ${agent.reason.message}`
      : open
        ? `it asks ${JSON.stringify(open.text)}`
        : `it is ${agent?.status} and waits for a message`;
  const answers = agent?.status === "active" && !open;
  return {
    /** Of an agent that rests after it has answered in words, as one does that was only asked something. */
    words: answers && channel.findLast(({ from, to }) => from === "coordinator" && to.includes("human"))?.text.trim(),
    answered: agent?.status === "completed" && run?.status === "completed",
    why,
    files: run && run.answers > 1 ? `published-${run.answers}` : "published",
    cost: { usd: 0, tokens: 0, ...accounts.get("agent")?.spent },
  };
}

/** Tells the events one after the other; `upTo` waits until one was told. */
function tell(events: AsyncGenerator<Event[], void, void>, hear: ((event: Event) => void) | undefined) {
  let told = 0;
  let look = (): unknown => undefined;
  async function all(): Promise<void> {
    for await (const some of events) {
      for (const event of some) hear?.(event);
      told = some.at(-1)!.seq;
      look();
    }
  }
  const end = all();
  const upTo = (seq: number) =>
    new Promise<void>((resolve, reject) => {
      look = () => told >= seq && resolve();
      look();
      end.then(resolve, reject);
    });
  return { end: end.catch(() => undefined), upTo };
}

async function published(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await machine.files.list(folder)) {
    if (kind === "folder") found.push(...(await published(join(folder, name))));
    else if (name !== "manifest.json") found.push(join(folder, name));
  }
  return found;
}
