/**
 * The preparation of a run: the setup steps of its team, one after the other, and the texts of its documents. Then the run starts, with what came
 * of it as facts of `run.started`.
 *
 * Always holds: nobody works while a run is prepared; it has no participants yet. A step that has ended is not run again, one that was interrupted
 * is. A step that fails pauses the agent with its output; resuming runs it again. Stopping keeps the preparation, and resuming continues it.
 * Not here: running the steps (runtime/setup).
 */
import { shortenMiddle } from "../../lib/text/text.ts";
import type { Reason } from "../../schema/agent.ts";
import type { Fact } from "../../schema/event.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import type { Begun } from "../../schema/run.ts";
import type { Preparation } from "../../schema/setup.ts";
import type { SetupResult, SetupStep } from "../../schema/setup-step.ts";
import { type Context, type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import type { State } from "../state.ts";

/** The beginning of a run: at once, or its preparation. */
export function beginning(begun: Begun): Fact {
  const { team } = begun;
  return team?.setup?.length || team?.documents?.length
    ? { type: "run.preparing", data: { ...begun, team } }
    : { type: "run.started", data: begun };
}

/** The step that is to be run now; nothing if all have passed. */
export const nextStep = ({ team, results }: Preparation): SetupStep | undefined => team.setup?.[results.length];

/** Throws while a run is prepared: nobody is there yet. */
export function assertPrepared({ preparation, agent }: State, code: ProblemCode = "wrong_state"): void {
  if (!preparation) return;
  const { run, results, team } = preparation;
  const step = Math.min(results.length + 1, team.setup?.length ?? 0);
  const where = step ? `: setup step ${step} of ${team.setup!.length}` : "";
  throw new Problem(code, `${run} of ${agent!.id} is being prepared${where}; wait until it has started`);
}

const setupDecide: Deciders<"setup.end" | "run.begin"> = {
  /** One that nobody waits for any more changes nothing. */
  "setup.end": ({ preparation }, { type: _, ...result }, context) => {
    assertRuntime(context);
    if (preparation?.run !== result.run || result.step !== preparation.results.length + 1) return [];
    return nextStep(preparation) ? [{ type: "setup.ended", data: result }] : [];
  },
  "run.begin": ({ preparation, agent }, { type: _, run, team, documents, quotes, attached }, context) => {
    assertRuntime(context);
    if (preparation?.run !== run || agent?.status !== "active" || nextStep(preparation)) return [];
    const { results: setup, since: _since, unsafe: _unsafe, ...begun } = preparation;
    const kept = begun.documents ?? [];
    const all = [...documents.filter(({ name }) => !kept.some((one) => one.name === name)), ...kept];
    const found = { ...(all.length ? { documents: all } : {}), ...(attached.length ? { attached } : {}) };
    return [
      {
        type: "run.started",
        data: { ...begun, team, ...(setup.length ? { setup } : {}), ...found, ...(quotes ? { quotes } : {}) },
      },
    ];
  },
};

function assertRuntime({ actor }: Context): void {
  if (actor !== "system") throw new Problem("forbidden", `${actor} cannot say what came of the setup`);
}

const reduceSetup: Reduce = (state, event) => {
  const { preparation } = state;
  switch (event.type) {
    case "run.preparing":
      state.preparation = { ...event.data, results: [], since: event.ts };
      return;
    case "run.started":
    case "agent.archived":
      state.preparation = null;
      return;
    case "setup.ended":
      if (preparation) {
        const { run: _run, ...result } = event.data;
        state.preparation = { ...preparation, results: [...preparation.results, result] };
      }
      return;
    case "agent.resumed": {
      const last = preparation?.results.at(-1);
      if (!preparation || !last || last.outcome === "passed") return;
      const allowed = last.outcome === "unsafe" ? { unsafe: true as const } : {};
      state.preparation = { ...preparation, results: preparation.results.slice(0, -1), ...allowed };
      return;
    }
    case "agent.moved":
      if (preparation?.unsafe) {
        const { unsafe: _unsafe, ...rest } = preparation;
        state.preparation = rest;
      }
  }
};

const settleSetup: Settle = ({ agent, preparation }) => {
  const last = preparation?.results.at(-1);
  if (agent?.status !== "active" || !preparation || !last || last.outcome === "passed") return [];
  return [{ type: "agent.paused", data: { reason: reasonOf(last, preparation.team.setup!.length) } }];
};

/** Characters of the output that are in the reason; the event has more. */
const mostOutput = 2_000;

function reasonOf({ step, shell, outcome, code, output }: SetupResult, count: number): Reason {
  const what = `setup step ${step} of ${count}`;
  const command = shortenMiddle(shell, 300);
  const next_mover = "human";
  if (outcome === "unsafe")
    return {
      code: "setup",
      message: `${what} would run without a sandbox (sandbox.bash is off in config.yaml): ${command}\nResume the agent to allow that for this run.`,
      next_mover,
    };
  const how = {
    passed: "",
    failed: `failed with exit code ${code ?? "none"}`,
    late: "took too long and was ended",
    errored: "could not be run",
  }[outcome];
  const said = output.trim() ? `\n${shortenMiddle(output.trim(), mostOutput)}` : "";
  return { code: "setup", message: `${what} ${how}: ${command}${said}`, next_mover };
}

export const setup = defineBehaviour({
  decide: setupDecide,
  reduce: [
    {
      phase: "own",
      looksAt: ["run.preparing", "run.started", "setup.ended", "agent.resumed", "agent.archived", "agent.moved"],
      reduce: reduceSetup,
    },
  ],
  settle: [{ phase: "begin", rule: settleSetup }],
});
