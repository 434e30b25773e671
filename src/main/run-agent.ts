/**
 * One agent, run by a program: a goal in, an answer out. The same house as the command line opens, without a terminal.
 *
 * Rejects with a Problem if there is no answer: nobody could be asked, the agent was paused or failed, or it asks something that nobody here
 * answers. Nothing is lost then: the agent is in the home, and `agiraph resume` goes on with it.
 */
import { join } from "node:path";
import { run } from "../cli/run.ts";
import { createTerminal } from "../cli/terminal.ts";
import { inThisProcess } from "../cli/watched.ts";
import type { State } from "../core/state.ts";
import { machine } from "../lib/machine/index.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { agentRoot, runRoot } from "../store/layout.ts";
import type { Tool } from "../tool/tool.ts";
import { findHome, wasComeUpon } from "./environment.ts";
import { type House, openHouse } from "./house.ts";

export interface RunAgent {
  goal: string;
  /** provider/model; the config's if missing, else the first that a key is found for. */
  model?: string;
  /** Besides those of the home. */
  tools?: readonly Tool[];
  /** Where the agent lives; the same as of the command line if missing. */
  home?: string;
  budget?: BudgetLimit;
  /** Every durable event of the agent, in order. */
  onEvent?(event: Event): void;
  /** What people should know and no one else tells, such as a skill that is left out. */
  onNotice?(problem: Problem): void;
  /** Pauses the agent. */
  signal?: AbortSignal;
}

export interface Answer {
  /** What the agent said when it finished. */
  answer: string;
  /** The files it published with it. */
  files: string[];
  /** Its name in the home. */
  agent: string;
  cost: { usd: number; tokens: number };
}

export async function runAgent(given: RunAgent): Promise<Answer> {
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

async function inHouse({ runtime, backends, settings, path }: House, given: RunAgent): Promise<Answer> {
  const choice = given.model ? { model: given.model, why: "" } : await backends.choose();
  if (!choice.model) throw new Problem("not_offered", `no model to ask: ${choice.why}`);
  backends.resolve(choice.model);
  const budget = { ...settings.config.budget, ...given.budget };
  const agent = await runtime.create({
    goal: given.goal,
    model: choice.model,
    ...(Object.keys(budget).length ? { budget } : {}),
  });
  const paths = (_agent: string, id: string) => {
    const root = runRoot(path, agent, id);
    return { output: join(root, "_output.md"), run: root, log: join(agentRoot(path, agent), "events.jsonl") };
  };
  const over = new AbortController();
  const telling = tell(runtime.follow(agent, 0, over.signal), given.onEvent);
  const terminal = createTerminal({ out: { write: () => true }, live: false, color: false });
  const stop = given.signal ?? over.signal;
  const { now } = machine.clock;
  try {
    await run({
      watched: inThisProcess(runtime, agent),
      terminal,
      agent,
      after: 0,
      now,
      stop,
      input: undefined,
      paths,
    });
    const { answered, why, files, cost, root, seq } = await runtime.read(agent, (state) => ({
      ...ended(state),
      root: runRoot(path, agent, state.run!.id),
      seq: state.seq,
    }));
    await telling.upTo(seq);
    if (!answered) throw new Problem("wrong_state", `${agent} has no answer: ${why}; agiraph resume ${agent} goes on`);
    const answer = String((await machine.files.read(join(root, "_output.md"))) ?? "").trim();
    return { answer, files: await published(join(root, files)), agent, cost };
  } finally {
    over.abort();
    await telling.end;
  }
}

function ended(state: State) {
  const { agent, run, questions, accounts } = state;
  const open = [...questions.values()].find((question) => question.status === "open");
  const why =
    agent && "reason" in agent
      ? `it is ${agent.status}, ${agent.reason.message}`
      : open
        ? `it asks ${JSON.stringify(open.text)}`
        : `it is ${agent?.status} and waits for a message`;
  return {
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
