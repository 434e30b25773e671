/** The commands for workflows: run one to its end, start one that stays, check a file, list, stop and follow instances, write a run down. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { RunLine, Summary } from "../../api/agents.ts";
import { makeAgent, type NewAgent, newAgentLines } from "../../cli/commands/agents.ts";
import { showEvents } from "../../cli/commands/look.ts";
import { pickAgent, type Shell, show } from "../../cli/commands/shell.ts";
import {
  checkedLines,
  foreignLines,
  instanceOf,
  instancesOf,
  isWorking,
  listInstances,
  stopInstances,
} from "../../cli/commands/workflows.ts";
import { clean } from "../../cli/terminal/text.ts";
import { limitOf } from "../../core/agent/budget.ts";
import { type Usable, usualTag } from "../../home/workflow-file.ts";
import { commandRef, shellLine, shellWord } from "../../lib/command-line.ts";
import { visible, visibleJson } from "../../lib/text/visible.ts";
import type { BudgetWish } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import type { Team } from "../../schema/workflow.ts";
import { budgetWords, hearSignals } from "../home/environment.ts";
import { parseParams } from "../templates/workflow-arguments.ts";
import { findNamed, type NamedWorkflow, readNamed, repositoryAbove } from "../templates/workflow-source.ts";
import { readWorkflowFile } from "../templates/workflows.ts";
import { isAccepted } from "./accept.ts";
import { stay } from "./attend.ts";
import { exit } from "./exit.ts";
import { isUrl } from "./git-source.ts";
import { once, using, type Where } from "./shell.ts";
import { openTerminal } from "./terminal.ts";

export interface WorkflowGiven {
  tag?: string;
  folder?: string;
  model?: string;
  budget?: BudgetWish;
  /** The hash of what the person saw before. */
  accept?: string;
}

/** Stays until it is over. Ends with 0 if it is finished, 4 if it waits for someone. */
export async function runWorkflow(where: Where, named: string, words: string[], given: WorkflowGiven): Promise<number> {
  const ready = await prepare(where, named, words, given, "run");
  if (!ready) return exit.waiting;
  return await stay(where, async (shell) => {
    const { agent, run } = await begin(shell, await ready(shell), given, "run");
    const head = [`workflow ${run.workflow}${run.tag === usualTag ? "" : `:${run.tag}`}, agent ${agent}`, ""];
    return { agent, leaving: "pause", head, known: run.again };
  });
}

/** Lets it work in the daemon, also when everybody is idle. */
export async function startWorkflow(
  where: Where,
  named: string,
  words: string[],
  given: WorkflowGiven,
): Promise<number> {
  if (where.alone)
    throw new Problem("invalid", "start leaves the workflow running in the daemon, so it does not work with --alone");
  const ready = await prepare(where, named, words, given, "start");
  if (!ready) return exit.waiting;
  return await using(where, "later", async (shell) => {
    const { agent, summary } = await begin(shell, await ready(shell), given, "start");
    show(shell, summary, () => newAgentLines({ ...summary, id: agent }, {}, shell));
    return exit.done;
  });
}

interface Wish {
  workflow: string;
  tag: string;
  goal: string;
  team: Team;
  body: NewAgent;
}

/** What is wrong with a file is said before there is a daemon. Undefined: a person must accept it first. */
async function prepare(
  { home }: Where,
  named: string,
  words: string[],
  given: WorkflowGiven,
  how: "run" | "start",
): Promise<((shell: Shell) => Promise<Wish>) | undefined> {
  const early = await readNamed(named, home, process.env);
  if (!early) return async ({ client }) => await wishFor(await findNamed(named, home, client), words, given);
  const { foreign } = early;
  if (foreign) {
    const again = (option?: string) => commandOf(how, named, words, given, option);
    const question = "Run this? Its setup steps run in the sandbox.";
    const { accept } = given;
    const { hash } = foreign;
    if (!(await isAccepted({ lines: () => foreignLines(foreign), hash, accept, again, question }))) return undefined;
  }
  const wish = await wishFor(early, words, given);
  return async () => wish;
}

/** The same command again, with one more option. */
function commandOf(
  how: "run" | "start",
  named: string,
  words: readonly string[],
  { tag, folder, model, budget }: WorkflowGiven,
  option?: string,
): string {
  const options = Object.entries({ tag, folder, model, budget: budget && budgetWords(budget) });
  return [
    `workflow ${how} ${shellWord(named)}`,
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${shellWord(value)}`])),
    ...(option ? [option] : []),
    ...(words.length ? ["--", ...words.map(shellWord)] : []),
  ].join(" ");
}

async function wishFor({ usable, source }: NamedWorkflow, words: string[], given: WorkflowGiven): Promise<Wish> {
  const { tag = usualTag, folder, model, budget } = given;
  const { team, goal, ...own } = usable.start({
    params: parseParams(words, usable.params),
    env: process.env,
    tag,
    source,
  });
  const here = team.setup && !folder && !own.folder ? await repositoryAbove(process.cwd()) : undefined;
  const on = folder ?? own.folder ?? here;
  const thinker = model ?? own.model;
  const body: NewAgent = {
    ...(thinker ? { model: thinker } : {}),
    ...(on ? { folder: on } : {}),
    budget: { ...own.budget, ...budget },
  };
  return { workflow: usable.name, tag, goal, team, body };
}

interface Begun {
  agent: string;
  summary: Summary;
  run: { workflow: string; tag: string; again: boolean };
}

/** A new agent; where the context is kept the agent that has it. Only one of these is at work at a time, and one that stays. */
async function begin(shell: Shell, wish: Wish, { budget }: WorkflowGiven, how: "run" | "start"): Promise<Begun> {
  const { workflow, tag, goal } = wish;
  const run = { workflow, tag, again: false };
  const team = how === "start" && wish.team.lead === false ? { ...wish.team, on_idle: "stay" as const } : wish.team;
  const kept = team.context === "kept";
  const before = kept || how === "start" ? await instancesOf(shell, workflow, tag) : [];
  const busy = before.find(isWorking);
  if (busy)
    throw new Problem(
      "conflict",
      `${workflow}:${tag} is already at work as ${busy.id}; stop it (${commandRef(`workflow stop ${workflow} --tag ${tag}`)}) or use another --tag`,
    );
  const [last] = kept ? before : [];
  if (last) {
    const params = { agent: last.id };
    if (last.status === "paused") await shell.client.stopAgent({ params });
    await shell.client.startRun({ params, body: { goal, team, ...(budget ? { budget: limitOf(budget) } : {}) } });
    return { agent: last.id, summary: await shell.client.getAgent({ params }), run: { ...run, again: true } };
  }
  const name = tag === usualTag ? workflow : `${workflow}-${tag}`;
  const summary = await makeAgent(shell, goal, { ...wish.body, name, team });
  return { agent: summary.id, summary, run };
}

/** Exit code 1 if something is wrong with one of them. */
export async function checkWorkflows({ home, json }: Where, paths: readonly string[]): Promise<number> {
  let code: number = exit.done;
  for (const path of paths) {
    try {
      const usable = await usableAt(path, home);
      if (json) process.stdout.write(`${visibleJson({ path: placeOf(path), name: usable.name, issues: [] })}\n`);
      else openTerminal().say(checkedLines(path, usable));
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      code = exit.problem;
      const { issues = [{ line: null, column: null, message: problem.message, text: problem.message }] } =
        (problem.details ?? {}) as {
          issues?: { line: number | null; column: number | null; message: string; text: string }[];
        };
      const plain = issues.map(({ line, column, message }) => ({ line, column, message }));
      if (json) process.stdout.write(`${visibleJson({ path: placeOf(path), issues: plain })}\n`);
      else process.stderr.write(issues.map(({ text }) => `${clean(text)}\n`).join(""));
    }
  }
  return code;
}

/** A file that does not end in .yaml is one, too. */
const usableAt = async (path: string, home: string): Promise<Usable> =>
  (isUrl(path) && (await readNamed(path, home, process.env))?.usable) || (await readWorkflowFile(path));

const placeOf = (path: string): string => (isUrl(path) ? path : resolve(path));

export const listWorkflowInstances = once(listInstances);
export const stopWorkflow = once(stopInstances);

export async function workflowLogs(
  where: Where,
  workflow: string,
  { tag = usualTag, follow }: { tag?: string; follow?: boolean },
): Promise<number> {
  const signals = hearSignals();
  try {
    await using(where, follow ? "now" : undefined, async (shell) => {
      const { id } = await instanceOf(shell, workflow, tag);
      await showEvents(shell, id, { ...(follow ? { follow } : {}), after: 0 }, signals.heard);
    });
    return exit.done;
  } finally {
    signals.end();
  }
}

/** `AGENT` or `AGENT/RUN`. */
export const workflowFromRun = once(async (shell, wanted: string, { name, out }: { name?: string; out?: string }) => {
  const [who = "", of] = wanted.split("/");
  const agent = await pickAgent(shell, who);
  const run = of ?? (await lastRun(shell, agent)).id;
  const made = await shell.client.freezeRun({ params: { agent, run }, query: name ? { name } : {} });
  // On a terminal nothing in it is hidden, and nothing steers.
  const shown = process.stdout.isTTY ? visible(made.text) : made.text;
  if (out === undefined) return shell.json ? show(shell, made, () => []) : shell.write(shown);
  const path = resolve(out);
  await writeFile(path, made.text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Problem("conflict", `${path} already exists; name another file`) : error;
  });
  show(shell, { ...made, path }, () => [`Wrote ${path}. Run it: ${shellLine(`workflow run ${shellWord(out)}`)}`]);
});

async function lastRun(shell: Shell, agent: string): Promise<RunLine> {
  const [last] = (await shell.client.listRuns({ params: { agent }, query: { limit: 1 } })).items;
  if (!last) throw new Problem("not_found", `${agent} has had no run yet`);
  return last;
}
