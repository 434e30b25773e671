/**
 * A scenario on the user's repository, from the goal to the merge that the user asks for: once as it is, and in processes that are killed at points and
 * started again until all is done. Before the user asks for the merge nothing of the repository has changed, whenever one looks; after it only what
 * was asked for. Both end with the same.
 *
 * A few points are killed at here. Every point, each at its first, middle and last time: `CRASH=all npx vitest run test/repository`.
 */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { done, of, stateOf } from "../scenarios/log.ts";
import { onStage, type Setting, type Stage } from "../scenarios/stage.ts";
import { createUserRepository, everything, expectMerged, make } from "./user.ts";

export interface Scenario {
  number: number;
  title: string;
  setting: Omit<Setting, "folder">;
  /** Of the repository at the start. */
  files: Record<string, string>;
  /** Of the files that were changed, in the end. */
  merged: Record<string, string>;
  /** Node, status, worker, evidence. */
  board: (string | undefined)[][];
  /** What else is so, killed or not. */
  check?(stage: Stage): void;
  kills: Kills;
}

/** Points as `name#nth` (program.ts). */
export interface Kills {
  /** While the team works. Of the turns of one participant no more than three in a row: a turn that dies more often is given up. */
  run: readonly string[];
  /** While it is handed over. */
  merge: readonly string[];
}

/** How often each point was reached by processes that were not killed. */
type Reached = Record<keyof Kills, Record<string, number>>;

const cannot = (await machine.processes.sandbox()) !== null || !existsSync("/usr/bin/make");

export function playOnRepository(scenario: Scenario): void {
  const { number, title, setting, files, kills } = scenario;
  const live = (plan: Kills) =>
    onStage(number, { ...setting, folder: (path) => createUserRepository(path, files) }, (stage) =>
      liveThrough(stage, scenario, plan),
    );
  describe.skipIf(cannot)(title, () => {
    test("the user merges a branch whose tests pass, and nothing else changes", () => live({ run: [], merge: [] }));

    test(`killed at ${[...kills.run, ...kills.merge].join(", ")}: the end is the same`, () => live(kills));

    test.runIf(process.env.CRASH === "all")(
      "killed at every point: the end is the same",
      async () => {
        const reached = await live({ run: [], merge: [] });
        const at = { run: moments(reached.run), merge: moments(reached.merge) };
        const plans = [
          ...at.run.map((moment, nth) => ({ run: [moment], merge: [at.merge[nth % at.merge.length]!] })),
          ...at.merge.slice(at.run.length).map((moment) => ({ run: [], merge: [moment] })),
        ];
        const wrong: string[] = [];
        const missed: string[] = [];
        for (const plan of plans)
          await live(plan).catch((error) =>
            error instanceof Missed ? missed.push(error.message) : wrong.push(`${JSON.stringify(plan)}: ${error}`),
          );
        console.log(`${plans.length} homes, killed at ${at.run.length} and ${at.merge.length} moments`, { missed });
        expect(wrong).toEqual([]);
        expect(missed.length).toBeLessThan(plans.length / 4);
      },
      3_600_000,
    );
  });
}

/** Those who work side by side do not always pass a point equally often. */
class Missed extends Error {}

/** Of a checkout, a commit, a check, a merge, the handover, and of git. */
const ours = /^((checkout|workspace|check|publish|branch|merge|handover|handed)\.|git )/;

const moments = (reached: Record<string, number>): string[] =>
  Object.entries(reached)
    .filter(([name]) => ours.test(name))
    .flatMap(([name, times]) => [...new Set([1, Math.ceil(times / 2), times])].map((nth) => `${name}#${nth}`));

async function liveThrough(stage: Stage, { merged, board, check }: Scenario, kills: Kills): Promise<Reached> {
  const { folder, agent } = stage;
  const before = await everything(folder);
  const unchanged = async (when: string) => expect([when, await everything(folder)]).toEqual([when, before]);
  const merge = ["merge", agent];
  const way = `killed at ${[...kills.run, ...kills.merge].join(", ") || "nothing"}`;

  let next = stage.args;
  for (const point of kills.run) {
    await killedAt(point, next);
    await unchanged(point);
    next = ["resume", agent];
  }
  const run = await reachedBy(next);
  await unchanged("the run is finished");
  for (const point of kills.merge) await killedAt(point, merge);
  const reached = { run, merge: await reachedBy(merge) };

  await expectMerged(folder, before, merged);
  expect(make(folder, "test")).toMatch(/Ran \d+ tests[\s\S]*OK/);
  const log = stage.events();
  const state = stateOf(log);
  expect(
    [...state.nodes.values()].map((node) => [
      node.id,
      node.status,
      ...(node.status === "completed" ? [node.worker, node.evidence] : []),
    ]),
    way,
  ).toEqual(board);
  expect([way, state.run?.status, state.run && "evidence" in state.run && state.run.evidence]).toEqual([
    way,
    "completed",
    "verified",
  ]);
  // One check was not passed at first, and its worker was told; none was done twice on the same content.
  const results = of(log, "check.ended").map(({ data }) => `${data.node} ${data.check} ${data.on} ${data.outcome}`);
  expect([way, results]).toEqual([way, [...new Set(results)]]);
  expect([way, results.filter((result) => result.endsWith(" failed"))]).toEqual([way, [expect.any(String)]]);
  expect(
    done(log)
      .filter(({ tool, outcome }) => tool === "publish" && outcome === "error")
      .map(({ result }) => result),
    way,
  ).toEqual([expect.stringContaining("Check 1 failed (the project's tests; by runtime):\n$ make test\n")]);
  expect(
    of(log, "node.completed")
      .map(({ data }) => data.node)
      .sort(),
    way,
  ).toEqual(board.map(([id]) => id).sort());
  check?.(stage);
  return reached;

  /** A process that does not die where it was to die proves nothing. */
  async function killedAt(point: string, args: string[]): Promise<void> {
    const { signal, code, out, err } = await stage.mortal(point, ...args).ended;
    if (code === 0) throw new Missed(point);
    expect([way, point, signal], `exit code ${code}\n${out}\n${err}`).toEqual([way, point, "SIGKILL"]);
  }

  async function reachedBy(args: string[]): Promise<Record<string, number>> {
    const { code, out, err } = await stage.mortal("", ...args).ended;
    expect([way, args[0], code], `${out}\n${err}`).toEqual([way, args[0], 0]);
    expect([way, err.trimEnd().split("\n")]).toEqual([way, [expect.stringMatching(/^\{.*\}$/)]]);
    return JSON.parse(err);
  }
}
