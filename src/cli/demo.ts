/**
 * The demo: a scripted team, played through the real runtime, drawn as it happens. Nobody thinks here, and it says so first.
 *
 * It follows the agent's events like any other client and folds them with the core's reducers; it knows nothing that is not in the log.
 * An unfinished demo goes on where it was; otherwise a new agent is made (demo, demo-2, …). A demo that cannot go on is stopped and
 * named, so that the next start does not meet it again.
 */
import { reduce } from "../core/reduce.ts";
import { emptyState, type State } from "../core/state.ts";
import { agentStatus } from "../core/status.ts";
import { canRun } from "../core/worker.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { Problem } from "../schema/problem.ts";
import type { Terminal } from "./terminal.ts";
import { clean, cut, wrap } from "./text.ts";
import { board, ending, news, tree } from "./view.ts";

export interface DemoOptions {
  runtime: Runtime;
  terminal: Terminal;
  goal: string;
  model: string;
  now(): number;
  /** Aborts when the person wants to stop. */
  stop: AbortSignal;
  paths(agent: string, run: string): { output: string; run: string; log: string };
}

export type Outcome = "finished" | "interrupted";

/** Ends when the run is over or `stop` aborts; throws a Problem if the run cannot go on. Stopping the runtime is left to the caller. */
export async function demo({ runtime, terminal, goal, model, now, stop, paths }: DemoOptions): Promise<Outcome> {
  const { colors } = terminal;
  terminal.say([
    `${colors.bold("Simulation without a model")}: scripted workers, played through the real runtime.`,
    "",
  ]);
  await runtime.start();
  const unfinished = await findUnfinished(runtime, (line) => terminal.say(wrap(line, terminal.width())));
  const agent = unfinished?.agent ?? (await runtime.create({ goal, name: "demo", model }));
  const state = emptyState();
  const since = now();
  const look = () => ({ width: terminal.width(), colors, since });

  const watched = new AbortController();
  const over = AbortSignal.any([stop, watched.signal]);
  let quiet = 0;
  let stuck: Problem | undefined;
  const beat = setInterval(() => {
    paint();
    quiet = agentStatus(state) === "idle" ? quiet + 1 : 0;
    if (quiet < patience) return;
    stuck = new Problem(
      "wrong_state",
      `no participant of ${agent} has anything left to do, but its run is not finished`,
    );
    watched.abort();
  }, 1000);

  try {
    if (unfinished) await catchUp(unfinished.seq);
    else head(agent, goal);
    for await (const events of runtime.follow(agent, state.seq, over)) {
      terminal.say(news(state, events, look()));
      paint();
      if (ended(state)) return finish();
      stuck = halted(state);
      if (stuck) break;
    }
  } finally {
    clearInterval(beat);
    terminal.end();
  }
  if (stop.aborted) {
    terminal.say(["", `Stopped at event ${state.seq}. Nothing is lost: run the demo again to resume ${agent}.`]);
    return "interrupted";
  }
  await runtime.send(agent, { type: "agent.stop" }, { actor: "human" });
  throw new Problem(
    "wrong_state",
    `${stuck?.message ?? `${agent} ended early`}; it was stopped. Run the demo again to start a new one`,
  );

  function paint(): void {
    terminal.board(
      state.run
        ? ["", ...board(state, now(), { ...look(), rows: Math.max(6, Math.min(16, terminal.rows() - 8)) })]
        : [],
    );
  }

  /** What happened before this start is folded in silence, then shown as it stands. */
  async function catchUp(seq: number): Promise<void> {
    for await (const events of runtime.follow(agent, 0, over)) {
      for (const event of events) if (event.seq <= seq) reduce(state, event);
      if (state.seq >= seq) break;
    }
    head(`${agent}, resumed where it stopped`, state.run?.goal ?? goal);
    if (!terminal.live && state.nodes.size) terminal.say([...tree(state, { ...look(), rows: 100 }), ""]);
  }

  function head(who: string, wanted: string): void {
    const goalLine = cut(clean(wanted), terminal.width() - 7);
    terminal.say([`${colors.dim("agent")}  ${who}`, `${colors.dim("goal ")}  ${goalLine}`, ""]);
  }

  function finish(): Outcome {
    terminal.end();
    terminal.say(["", ...tree(state, { ...look(), rows: 100 })]);
    terminal.say(ending(state, paths(agent, state.run!.id), now(), look()));
    return "finished";
  }
}

/** Seconds without anything to do after which a run counts as stuck. */
const patience = 3;

/** Completed, and the turn that said so has been recorded to its end. */
const ended = (state: State): boolean =>
  state.agent?.status === "completed" &&
  ![...state.participants.values()].some((one) => one.kind !== "human" && one.turn);

function halted({ agent }: State): Problem | undefined {
  if (agent?.status !== "paused" && agent?.status !== "failed") return undefined;
  return new Problem("wrong_state", `${agent.id} is ${agent.status}: ${agent.reason.message}`);
}

/** The newest demo, if its run is open and can go on, with the seq it stands at. One that cannot go on is left as it is, and said. */
async function findUnfinished(runtime: Runtime, say: (line: string) => void) {
  const number = (agent: string) => Number(/^demo(?:-(\d+))?$/.exec(agent)?.[1] ?? 1);
  const demos = runtime.agents().filter((agent) => /^demo(-\d+)?$/.test(agent));
  const agent = demos.sort((a, b) => number(b) - number(a))[0];
  if (agent === undefined) return undefined;
  if (runtime.fault(agent)) return void say(`${agent} cannot be opened; starting a new demo.`);
  const found = await runtime.read(agent, (state) => ({
    seq: state.seq,
    open: state.run?.status === "open",
    why: halted(state)?.message,
    moves: state.agent?.status === "active" && [...state.participants.values()].some(canRun),
  }));
  if (found.open && found.why) say(`${found.why}; starting a new demo.`);
  return found.open && found.moves ? { agent, seq: found.seq } : undefined;
}
