/** The commands of the program, wired: each opens what it needs, hands over to the view, and closes in order. Returns the exit code. */

import { mkdtempSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { BackendError } from "../../backend/backend.ts";
import type { Backends } from "../../backend/backends.ts";
import { createScripted, parseScript } from "../../backend/scripted.ts";
import { stopLines } from "../../cli/agents.ts";
import { demo } from "../../cli/demo.ts";
import { createInput } from "../../cli/input.ts";
import { run } from "../../cli/run.ts";
import type { Terminal } from "../../cli/terminal.ts";
import { clean } from "../../cli/text.ts";
import { wrapTold } from "../../cli/told.ts";
import { inThisProcess } from "../../cli/watched.ts";
import { unguarded } from "../../cli/way-out.ts";
import { limitOf } from "../../core/budget.ts";
import type { State } from "../../core/state.ts";
import { agentRoot, runRoot } from "../../home/layout.ts";
import { shellWord, showCommands } from "../../lib/command-line.ts";
import { machine } from "../../lib/machine/index.ts";
import type { BudgetWish } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import { findDaemon } from "../daemon/find.ts";
import { demoPath } from "../demo-model.ts";
import { hearSignals, refusalOf, wasComeUpon } from "../environment.ts";
import { checkFolder } from "../folder.ts";
import { type House, openHouse } from "../house.ts";
import { readSettings } from "../settings.ts";
import { isWorkflowFile, readWorkflowFile } from "../workflows.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";
import { withoutModel } from "./without-model.ts";

const paths = (home: string) => (agent: string, run: string) => ({
  output: join(runRoot(home, agent, run), "_output.md"),
  run: runRoot(home, agent, run),
  log: join(agentRoot(home, agent), "events.jsonl"),
});

export async function playDemo(home: string, speed: number): Promise<number> {
  const script = parseScript(readFileSync(demoPath, "utf8"), "demo.yaml");
  for (const step of Object.values(script.participants).flat()) step.seconds /= speed;
  const terminal = openTerminal();
  const signals = hearSignals();
  const scripted = { "scripted/demo": createScripted(script, machine.clock) };
  const open = (at: string) =>
    openHouse({ path: at, env: process.env, notice: noticeOn(terminal), scripted, plain: true });
  let left: string | undefined;
  const instead = (why: string) => {
    const elsewhere = mkdtempSync(join(tmpdir(), "agiraph-demo-"));
    terminal.say([`${why}, so the demo plays in ${elsewhere}.`, ""]);
    left = elsewhere;
    return open(elsewhere);
  };
  const house = refusalOf(home)
    ? await instead(`Nobody has trusted ${home}`)
    : await open(home).catch(async (error) => {
        if (!(error instanceof Problem) || error.code !== "home_locked" || !(await findDaemon(home))) throw error;
        return await instead(`A daemon holds ${home}`);
      });
  try {
    const outcome = await demo({
      runtime: house.runtime,
      terminal,
      goal: script.goal,
      model: "scripted/demo",
      now: machine.clock.now,
      stop: signals.heard,
      paths: paths(house.path),
    });
    return outcome === "interrupted" ? signals.exitCode() : exit.done;
  } finally {
    await house.close();
    signals.end();
    if (left) terminal.say(["", `What it made stays there. To remove it: rm -r ${shellWord(left)}`]);
  }
}

export interface RunGiven {
  model?: string;
  budget?: BudgetWish;
  maxTurns?: number;
  name?: string;
  infinite?: boolean;
  cycle?: number;
  folder?: string;
  tools?: string[];
  /** A name, or a file. */
  workflow?: string;
}

export async function runGoal(home: string, goal: string, given: RunGiven): Promise<number> {
  return withAgent(home, async ({ runtime, settings, backends, scripts, workflows }, terminal) => {
    const { workflow: wanted } = given;
    const from = wanted && (isWorkflowFile(wanted) ? await readWorkflowFile(wanted) : await workflows.find(wanted));
    const { workflow, team } = from || {};
    const named = given.model ? { model: given.model, why: "--model" } : undefined;
    const theirs = workflow?.model ? { model: workflow.model, why: "the workflow" } : undefined;
    const choice = named ?? theirs ?? (await backends.choose());
    if (!choice.model) {
      terminal.say([...wrapTold(`No model to ask: ${choice.why}.`, terminal.width()), "", ...withoutModel()]);
      return undefined;
    }
    const name = scripts.find(choice.model) ? choice.model : nameOf(backends, choice.model);
    for (const one of team?.workers ?? []) if (one.model) one.model = nameOf(backends, one.model);
    const turns = given.maxTurns ? { turns: given.maxTurns } : {};
    const limit = limitOf(settings.config.budget, workflow?.budget, given.budget, turns);
    const folder = given.folder && (await checkFolder(given.folder, { home, user: homedir() }));
    const agent = await runtime.create({
      goal,
      // Not the alias: whoever edits that does not change the agents that are there.
      model: name,
      ...(given.name ? { name: given.name } : {}),
      ...(given.infinite ? { mode: "infinite" as const } : {}),
      ...(folder ? { folder } : {}),
      ...(team ? { team } : {}),
      ...(given.tools ? { tools: given.tools } : {}),
      ...(given.cycle ? { cycle_seconds: given.cycle } : {}),
      ...(Object.keys(limit).length ? { budget: limit } : {}),
    });
    const { colors } = terminal;
    const money = Object.entries(limit).map(([unit, most]) => `${most} ${unit}`);
    terminal.say([
      `${colors.dim("agent ")} ${agent}`,
      `${colors.dim("model ")} ${name} (${choice.why})`,
      `${colors.dim("budget")} ${money.join(", ") || "none"}${given.budget ? "" : "; --budget 2usd sets another"}`,
      ...(settings.config.sandbox.bash === "off"
        ? [colors.yellow("sandbox off: every command is asked about first")]
        : []),
      "",
    ]);
    return { agent };
  });
}

/** The model's full name; one that means nothing is refused before an agent is made for it. */
function nameOf(backends: Backends, model: string): string {
  try {
    return backends.resolve(model).name;
  } catch (error) {
    if (error instanceof BackendError) throw new Problem("invalid", error.message);
    throw error;
  }
}

export async function resumeAgent(home: string, agent: string, given: Pick<RunGiven, "budget">): Promise<number> {
  return withAgent(home, async ({ runtime, scripts }, terminal) => {
    assertKnown(runtime, agent, home);
    await assertPlayable(runtime, scripts, agent);
    const status = await runtime.read(agent, (state) => state.agent?.status);
    if (given.budget)
      await runtime.send(agent, { type: "budget.set", scope: { of: "agent" }, limit: limitOf(given.budget) }, human);
    if (status === "paused" || status === "stopped") await runtime.send(agent, { type: "agent.resume" }, human);
    terminal.say([`${terminal.colors.dim("agent ")} ${agent} goes on`, ""]);
    return { agent, from: await inThisProcess(runtime, agent).state() };
  });
}

export async function startAgain(
  home: string,
  agent: string,
  goal: string | undefined,
  { budget }: Pick<RunGiven, "budget">,
): Promise<number> {
  return withAgent(home, async ({ runtime, scripts }, terminal) => {
    assertKnown(runtime, agent, home);
    await assertPlayable(runtime, scripts, agent);
    const status = await runtime.read(agent, (state) => state.agent?.status);
    if (status === "active" || status === "paused") await runtime.send(agent, { type: "agent.stop" }, human);
    const { made } = await runtime.send(
      agent,
      { type: "run.start", goal, ...(budget ? { budget: limitOf(budget) } : {}) },
      human,
    );
    terminal.say([`${terminal.colors.dim("agent ")} ${agent} begins ${made.run}`, ""]);
    // Not from the end of the old run on, which is no end for whoever watches this one.
    return { agent, from: await inThisProcess(runtime, agent).state() };
  });
}

/** Without staying with it. */
export async function endAgent(home: string, agent: string, type: "agent.stop" | "agent.archive"): Promise<number> {
  const terminal = openTerminal();
  const plain = wasComeUpon(home);
  const house = await openHouse({ path: home, env: process.env, notice: noticeOn(terminal), plain, still: true });
  try {
    await house.runtime.start();
    assertKnown(house.runtime, agent, home);
    const words = type === "agent.stop" ? (await (await house.runtime.reading(agent)).previewStop()).words : undefined;
    await house.runtime.send(agent, { type }, human);
    terminal.say(
      words ? stopLines(agent, words, terminal.width()) : [`Archived ${agent}. Its files and log are kept.`],
    );
    return exit.done;
  } finally {
    await house.close();
  }
}

const human = { actor: "human" };

function assertKnown(runtime: House["runtime"], agent: string, home: string): void {
  if (runtime.agents().includes(agent)) return;
  const names = runtime.agents().join(", ") || "none yet";
  throw new Problem("not_found", `there is no agent ${agent} in ${home}; there are ${names}`);
}

/** For an agent that plays a script: it is said here, before it goes on, if that cannot be played. */
async function assertPlayable(runtime: House["runtime"], scripts: House["scripts"], agent: string): Promise<void> {
  const model = await runtime.read(agent, (state) => state.agent?.model);
  if (model) scripts.find(model);
}

/** Opens the home, lets `begin` find or make an agent, and stays with it until it is finished, paused or stuck. */
async function withAgent(
  home: string,
  begin: (house: House, terminal: Terminal) => Promise<{ agent: string; from?: State } | undefined>,
): Promise<number> {
  const signals = hearSignals();
  const talks = process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== "dumb";
  const input = talks ? createInput(process.stdin, unguarded(process.stdout), signals.interrupt) : undefined;
  const terminal = openTerminal(input);
  let house: House | undefined;
  try {
    const plain = wasComeUpon(home);
    const refusal = refusalOf(home);
    if (refusal) throw refusal;
    if (plain) terminal.say(await leftOut(home));
    house = await openHouse({ path: home, env: process.env, notice: noticeOn(terminal), plain });
    await house.runtime.start();
    const begun = await begin(house, terminal);
    if (!begun) return exit.problem;
    const outcome = await run({
      watched: inThisProcess(house.runtime, begun.agent),
      terminal,
      ...begun,
      now: machine.clock.now,
      stop: signals.heard,
      input,
      paths: paths(home),
    });
    if (outcome === "paused") return signals.exitCode();
    return outcome === "finished" ? exit.done : exit.waiting;
  } finally {
    input?.close();
    await house?.close();
    signals.end();
  }
}

/** A project folder adds no tools by itself: whoever wants those of its home names it. */
async function leftOut(home: string): Promise<string[]> {
  const { left } = await readSettings(home);
  const own: string[] = [];
  for (const name of ["tools", "skills"]) if ((await machine.files.list(join(home, name))).length) own.push(`${name}/`);
  const unused = [...left.map((key) => `${key} in config.yaml`), ...own];
  if (!unused.length) return [];
  return [`Not used, because nobody named ${home}: ${unused.join(", ")}. To use it: --home ${home}`, ""];
}

export const noticeOn = (terminal: Terminal) => (agent: string, problem: Problem) =>
  terminal.say([`${terminal.colors.red(agent)}: ${clean(showCommands(problem.message))}`]);
