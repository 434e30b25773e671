/** The commands of the program, wired: each opens what it needs, hands over to the view, and closes in order. Returns the exit code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createScripted, parseScript } from "../backend/scripted.ts";
import { demo } from "../cli/demo.ts";
import { createInput, type Input } from "../cli/input.ts";
import { run } from "../cli/run.ts";
import { createTerminal, type Terminal } from "../cli/terminal.ts";
import { clean, wrap } from "../cli/text.ts";
import { machine } from "../lib/machine/index.ts";
import type { BudgetLimit } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import { agentRoot, runRoot } from "../store/layout.ts";
import { findPrograms, hearSignals } from "./environment.ts";
import { type House, openHouse } from "./house.ts";

export const exit = { done: 0, problem: 1, usage: 2, locked: 3, waiting: 4 } as const;

const paths = (home: string) => (agent: string, run: string) => ({
  output: join(runRoot(home, agent, run), "_output.md"),
  run: runRoot(home, agent, run),
  log: join(agentRoot(home, agent), "events.jsonl"),
});

export async function playDemo(home: string, speed: number, path: string): Promise<number> {
  const script = parseScript(readFileSync(path, "utf8"), path);
  for (const step of Object.values(script.participants).flat()) step.seconds /= speed;
  const terminal = openTerminal();
  const signals = hearSignals();
  const scripted = { "scripted/demo": createScripted(script, machine.clock) };
  const house = await openHouse({ path: home, env: process.env, notice: noticeOn(terminal), scripted });
  try {
    const outcome = await demo({
      runtime: house.runtime,
      terminal,
      goal: script.goal,
      model: "scripted/demo",
      now: machine.clock.now,
      stop: signals.heard,
      paths: paths(home),
    });
    return outcome === "interrupted" ? signals.exitCode() : exit.done;
  } finally {
    await house.close();
    signals.end();
  }
}

export interface RunGiven {
  model?: string;
  budget?: BudgetLimit;
  maxTurns?: number;
  name?: string;
  mode?: "finite" | "infinite";
  /** An agent that is there and at rest: the goal is its next run. */
  agent?: string;
}

export async function runGoal(home: string, goal: string, given: RunGiven): Promise<number> {
  return withAgent(home, async ({ runtime, settings, backends }, terminal) => {
    if (given.agent) {
      assertThere(runtime, given.agent, home);
      const { seq } = await runtime.send(given.agent, { type: "run.start", goal }, { actor: "human" });
      terminal.say([`${terminal.colors.dim("agent ")} ${given.agent} has a new goal`, ""]);
      return { agent: given.agent, after: seq };
    }
    const choice = given.model ? { model: given.model, why: "--model" } : await backends.choose();
    if (!choice.model) {
      const programs = await findPrograms(machine.files, process.env.PATH);
      terminal.say([
        ...wrap(`No model to ask: ${choice.why}.`, terminal.width()),
        "",
        "What you can do:",
        "  export ANTHROPIC_API_KEY=…     or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY",
        "  ollama serve                   a model on this machine",
        "  agiraph demo                   see how it works, without a model",
        "  agiraph doctor                 what was found here",
        ...(programs.length
          ? ["", `Found on PATH: ${programs.join(", ")}; agent CLIs work for a team, not alone yet.`]
          : []),
      ]);
      return undefined;
    }
    const { name } = backends.resolve(choice.model);
    const limit = { ...settings.config.budget, ...given.budget, ...(given.maxTurns ? { turns: given.maxTurns } : {}) };
    const agent = await runtime.create({
      goal,
      model: choice.model,
      ...(given.name ? { name: given.name } : {}),
      ...(given.mode ? { mode: given.mode } : {}),
      ...(Object.keys(limit).length ? { budget: limit } : {}),
    });
    const { colors } = terminal;
    const money = Object.entries(limit).map(([unit, most]) => `${most} ${unit}`);
    terminal.say([
      `${colors.dim("agent ")} ${agent}`,
      `${colors.dim("model ")} ${name} (${choice.why})`,
      `${colors.dim("budget")} ${money.join(", ") || "none set; --budget 2usd sets one"}`,
      ...(settings.config.sandbox.bash === "off"
        ? [colors.yellow("sandbox off: every command is asked about first")]
        : []),
      "",
    ]);
    return { agent, after: 0 };
  });
}

export async function resumeAgent(home: string, agent: string, given: Pick<RunGiven, "budget">): Promise<number> {
  return withAgent(home, async ({ runtime }, terminal) => {
    assertThere(runtime, agent, home);
    const human = { actor: "human" };
    const { status, seq } = await runtime.read(agent, (state) => ({ status: state.agent?.status, seq: state.seq }));
    if (given.budget)
      await runtime.send(agent, { type: "budget.set", scope: { of: "agent" }, limit: given.budget }, human);
    if (status === "paused" || status === "stopped") await runtime.send(agent, { type: "agent.resume" }, human);
    terminal.say([`${terminal.colors.dim("agent ")} ${agent} goes on`, ""]);
    return { agent, after: seq };
  });
}

function assertThere(runtime: House["runtime"], agent: string, home: string): void {
  if (runtime.agents().includes(agent)) return;
  const names = runtime.agents().join(", ") || "none yet";
  throw new Problem("not_found", `there is no agent ${agent} in ${home}; there are ${names}`);
}

/** Opens the home, lets `begin` find or make an agent, and stays with it until it is finished, paused or stuck. */
async function withAgent(
  home: string,
  begin: (house: House, terminal: Terminal) => Promise<{ agent: string; after: number } | undefined>,
): Promise<number> {
  const signals = hearSignals();
  const talks = process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== "dumb";
  const input = talks ? createInput(process.stdin, process.stdout, signals.interrupt) : undefined;
  const terminal = openTerminal(input);
  let house: House | undefined;
  try {
    house = await openHouse({ path: home, env: process.env, notice: noticeOn(terminal) });
    await house.runtime.start();
    const begun = await begin(house, terminal);
    if (!begun) return exit.problem;
    const outcome = await run({
      runtime: house.runtime,
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

const noticeOn = (terminal: Terminal) => (agent: string, problem: Problem) =>
  terminal.say([`${terminal.colors.red(agent)}: ${clean(problem.message)}`]);

export function openTerminal(input?: Input): Terminal {
  const { stdout, env } = process;
  const live = stdout.isTTY === true && env.TERM !== "dumb";
  return createTerminal({
    out: stdout,
    live,
    color: live && !env.NO_COLOR,
    ...(input ? { prompt: input.redraw } : {}),
  });
}
