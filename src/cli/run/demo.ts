/**
 * The demo: a scripted team, played through the real runtime, drawn as it happens. Nobody thinks here, and it says so first.
 *
 * It follows the agent's events like any other client and folds them with the core's reducers; it knows nothing that is not in the log.
 * An unfinished demo goes on where it was; otherwise a new agent is made (demo, demo-2, …). A demo that cannot go on is stopped and
 * named, so that the next start does not meet it again.
 */
import { allPages } from "../../api/page.ts";
import { fromFrozenState } from "../../api/state.ts";
import type { Client } from "../../client/index.ts";
import { standingOf } from "../../core/agent/standing.ts";
import { emptyState, type State } from "../../core/state.ts";
import { canRun } from "../../core/team/worker.ts";
import { Problem } from "../../schema/problem.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { clean, truncate, wrap } from "../terminal/text.ts";
import { newsLines } from "../view/event-lines.ts";
import { board, endingLines, tree } from "../view/view.ts";
import { createWatched } from "./watched.ts";

export interface DemoOptions {
  client: Client;
  terminal: Terminal;
  goal: string;
  model: string;
  now(): number;
  /** Aborts when the person wants to stop. */
  stop: AbortSignal;
  paths(agent: string, run: string): { output: string; run: string; log: string };
}

export type Outcome = "finished" | "interrupted";

/** Ends when the run is over or `stop` aborts; throws a Problem if the run cannot go on. */
export async function demo({ client, terminal, goal, model, now, stop, paths }: DemoOptions): Promise<Outcome> {
  const { colors } = terminal;
  terminal.say([
    `${colors.bold("Simulation without a model")}: scripted workers, played through the real runtime.`,
    "",
  ]);
  const unfinished = await findUnfinished(client, (line) => terminal.say(wrap(line, terminal.width())));
  const state = unfinished ?? emptyState();
  const agent = unfinished?.agent?.id ?? (await client.createAgent({ body: { goal, name: "demo", model } })).id;
  const since = now();
  const look = () => ({ width: terminal.width(), colors, since });

  const watched = new AbortController();
  const over = AbortSignal.any([stop, watched.signal]);
  let quiet = 0;
  let stuck: Problem | undefined;
  const beat = setInterval(() => {
    paint();
    quiet = state.agent && standingOf(state).is === "idle" ? quiet + 1 : 0;
    if (quiet < patience) return;
    stuck = new Problem(
      "wrong_state",
      `no participant of ${agent} has anything left to do, but its run is not finished`,
    );
    watched.abort();
  }, 1000);

  try {
    if (unfinished) resume();
    else head(agent, goal);
    for await (const events of createWatched(client, agent).follow(state.seq, over)) {
      terminal.say(newsLines(state, events, look()));
      paint();
      if (standingOf(state).is === "finished") return finish();
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
  await client.stopAgent({ params: { agent } });
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

  /** What happened before this start is shown as it stands. */
  function resume(): void {
    head(`${agent}, resumed where it stopped`, state.run?.goal ?? goal);
    if (!terminal.live && state.nodes.size) terminal.say([...tree(state, { ...look(), rows: 100 }), ""]);
  }

  function head(who: string, wanted: string): void {
    const goalLine = truncate(clean(wanted), terminal.width() - 7);
    terminal.say([`${colors.dim("agent")}  ${who}`, `${colors.dim("goal ")}  ${goalLine}`, ""]);
  }

  function finish(): Outcome {
    terminal.end();
    terminal.say(["", ...tree(state, { ...look(), rows: 100 })]);
    terminal.say(endingLines(state, paths(agent, state.run!.id), now(), look()));
    return "finished";
  }
}

/** Seconds without anything to do after which a run counts as stuck. */
const patience = 3;

function halted({ agent }: State): Problem | undefined {
  if (agent?.status !== "paused" && agent?.status !== "failed") return undefined;
  return new Problem("wrong_state", `${agent.id} is ${agent.status}: ${agent.reason.message}`);
}

/** The newest demo as it stands, if its run is open and can go on. One that cannot go on is left as it is, and said. */
async function findUnfinished(client: Client, say: (line: string) => void): Promise<State | undefined> {
  const number = (agent: string) => Number(/^demo(?:-(\d+))?$/.exec(agent)?.[1] ?? 1);
  const agents = await allPages((query) => client.listAgents({ query: { ...query, archived: "true" } }));
  const demos = agents.filter(({ id }) => /^demo(-\d+)?$/.test(id));
  const newest = demos.sort((a, b) => number(b.id) - number(a.id))[0];
  if (!newest) return undefined;
  if (newest.status === "quarantined") return void say(`${newest.id} cannot be opened; starting a new demo.`);
  const state = fromFrozenState(await client.getState({ params: { agent: newest.id } }));
  const why = halted(state)?.message;
  const isOpen = state.run?.status === "open";
  if (isOpen && why) say(`${why}; starting a new demo.`);
  const moves = state.agent?.status === "active" && [...state.participants.values()].some(canRun);
  return isOpen && moves ? state : undefined;
}
