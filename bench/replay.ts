/**
 * Coming back from the disk: folding a long log from its beginning, and opening the same agent from its snapshot and what came after.
 *
 * The fold is what opening without a snapshot does: store.open, read, checksum, parse, reduce. Its baseline reads the same file in the same
 * pieces and does nothing but JSON.parse of each line. The opening is openAgent itself, with a new store each time; the tail is ten times as
 * long as the runtime lets it get.
 */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { reduce } from "../src/core/reduce.ts";
import { emptyState, type State } from "../src/core/state.ts";
import { agentRoot } from "../src/home/layout.ts";
import { machine } from "../src/lib/machine/index.ts";
import { type OpenAgent, openAgent } from "../src/runtime/agent.ts";
import type { RuntimeOptions } from "../src/runtime/options.ts";
import { createSuspects } from "../src/runtime/participant/suspects.ts";
import { createProgramHomes } from "../src/runtime/program/homes.ts";
import { Problem } from "../src/schema/problem.ts";
import { createFilesStore } from "../src/store/file-store.ts";
import type { Bench } from "./figure.ts";
import { agent, createHistory } from "./history.ts";
import { createHouse } from "./house.ts";
import { inTurns, median, pause, quantile, ratioOf, timed } from "./rounds.ts";

export const replay: Bench = {
  name: "replay",
  about:
    "An agent with a million events (the demo's run over and over, written by the store's own encode): folded from its first line without a snapshot, then opened from snapshot and tail.",
  async run(place) {
    const home = place.folder("replay");
    const history = await createHistory(home);
    const tail = 10_000 * place.size;
    let last = 0;
    const writing = await timed(() => {
      last = history.extend(1_000_000 * place.size - tail, 0);
    });
    const perEvent = statSync(history.path).size / last;

    const rate = (ms: number) => last / (ms / 1000);
    const found = await inTurns(3, {
      fold: async () => rate(await timed(() => foldAll(home, last))),
      parse: async () => rate(await timed(() => parseAll(history.path))),
    });
    const [folded, ratio] = [median(found.fold), ratioOf(found.fold, found.parse)];

    const folds = last;
    last = await saveSnapshot(home);
    last = history.extend(tail, last);
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
      const house = await open(home);
      let opened: OpenAgent | undefined;
      times.push(await timed(async () => (opened = await openAgent(house, agent, silent))));
      if (opened?.live.state().seq !== last)
        throw new Error(`opened at ${opened?.live.state().seq} instead of ${last}`);
      await close(house, opened);
    }
    const opening = median(times) / 1000;
    const whole = last / folded;
    const snapshot = statSync(join(agentRoot(home, agent), "snapshot.json")).size;
    return [
      {
        name: "replay.fold",
        value: folded,
        unit: "events/s",
        baseline: median(found.parse),
        ratio: ratio.value,
        goal: "≥ 200 000",
        ok: folded >= 200_000,
        note: `${folds} events of ${perEvent.toFixed(0)} bytes (${history.mix}), against JSON.parse of the same lines; ${ratio.scatter}. Writing them took ${(writing / 1000).toFixed(1)} s.`,
      },
      {
        name: "replay.open",
        value: opening,
        unit: "s",
        baseline: whole,
        ratio: opening / whole,
        goal: "< 1 s",
        ok: opening < 1,
        note: `openAgent from a snapshot of ${(snapshot / 1e6).toFixed(1)} MB and ${tail} events after it, against folding everything; slowest of ${times.length} ${(quantile(times, 1) / 1000).toFixed(2)} s.`,
      },
    ];
  },
};

async function foldAll(home: string, last: number): Promise<State> {
  const store = createFilesStore({ home, files: machine.files });
  const log = await store.open(agent, { fence: 1 });
  const state = emptyState();
  for await (const events of log.read(0)) for (const event of events) reduce(state, event);
  await store.close();
  if (
    state.seq !== last ||
    state.agent?.status !== "completed" ||
    [...state.nodes.values()].some((node) => node.status !== "completed")
  )
    throw new Error(`the log folds to ${state.agent?.status} at ${state.seq}: it is not what a runtime writes`);
  return state;
}

/** Reads and parses every line, and keeps nothing. */
function parseAll(path: string): void {
  const file = openSync(path, "r");
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  for (let offset = 0; ; ) {
    const length = readSync(file, chunk, 0, chunk.length, offset);
    const stop = chunk.subarray(0, length).lastIndexOf(10) + 1;
    if (stop === 0) break;
    for (let start = 0; start < stop; ) {
      const end = chunk.indexOf(10, start);
      JSON.parse(chunk.toString("utf8", start, end));
      start = end + 1;
    }
    offset += stop;
  }
  closeSync(file);
}

/** Lets the runtime write a snapshot, as it does after so many events; returns the seq of the log's last event. */
export async function saveSnapshot(home: string): Promise<number> {
  const house = await open(home, 1);
  const opened = await openAgent(house, agent, silent);
  const sha256 = await house.store.putBlob(agent, Buffer.from("a goal"));
  const { seq } = await opened.live.dispatch({ type: "file.write", path: "GOAL.md", sha256 });
  while (!existsSync(join(agentRoot(home, agent), "snapshot.json"))) await pause(20);
  await close(house, opened);
  return seq;
}

async function open(home: string, snapshotEvery?: number): Promise<RuntimeOptions> {
  const nobody = () => {
    throw new Problem("not_offered", "nobody thinks in this bench");
  };
  const house = createHouse({ home, backend: nobody, snapshotEvery });
  await house.engine.start({
    wake: async () => undefined,
    command: async () => nobody(),
    takeOver: async () => undefined,
  });
  return house;
}

async function close(house: RuntimeOptions, opened: OpenAgent): Promise<void> {
  await opened.close(new Problem("closed", "measured"));
  await house.store.close();
  await house.engine.stop();
}

const silent = {
  broken: (problem: Problem) => {
    throw problem;
  },
  healthy: () => undefined,
  hear: () => undefined,
  told: () => undefined,
  suspects: createSuspects(machine.clock),
  programHomes: createProgramHomes("", machine.files, machine.clock),
  exists: async () => false,
  consult: async () => ({ notes: [] }),
  callInTeam: async () => ({ text: "" }),
};
