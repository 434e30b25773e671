/**
 * kill -9 of a real process at every point K1 to K18, then again and again until the work is done: nothing that was acknowledged is lost,
 * nothing happens twice that may not, and in the end people get what they would have got without any kill.
 *
 * Each case is a home of its own. A case whose process does not die where it was to die fails: a fault that was not injected proves nothing.
 * The table at the end says what was killed where. Every case of every row: `CRASH=all npx vitest run test/crash`. The long form, with random
 * moments: `npm run crash -- --kills 500`.
 */
import { readFileSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commitOf, firstSeed } from "../../sim/campaign/commit.ts";
import { until } from "../until.ts";
import { type Case, cases } from "./cases.ts";
import { examine, type Output, of, outputOf, readLog } from "./check.ts";
import { openHouse } from "./house.ts";
import { type LifePlan, type Plan, play } from "./lives.ts";

interface Row {
  row: string;
  "killed at": string;
  homes: number;
  kills: number;
  lives: number;
  "acked again": number;
  resumed: number;
  "told unknown": number;
  "ms each": number;
  wrong: number;
}
const table = new Map<string, Row>();
let expected: Output;

beforeAll(async () => {
  const story = await play({ lives: [] });
  expected = outputOf(story.home);
  expect(examine(story, expected)).toEqual([]);
  expect(Object.keys(expected)).toHaveLength(9);
  await story.remove();
});

afterAll(() => console.table([...table.values()].sort((a, b) => Number(a.row.slice(1)) - Number(b.row.slice(1)))));

function count(row: string, about: string, next: (sum: Row) => Partial<Row>): void {
  const none = {
    homes: 0,
    kills: 0,
    lives: 0,
    "acked again": 0,
    resumed: 0,
    "told unknown": 0,
    "ms each": 0,
    wrong: 0,
  };
  const sum = table.get(row + about) ?? { row, "killed at": about, ...none };
  table.set(row + about, { ...sum, ...next(sum) });
}

/** Plays it, writes the row, and removes the home if all is well; what is wrong is returned, with the place to look at. */
async function judge(row: string, about: string, plan: Plan, also: Case["also"] = () => []): Promise<string[]> {
  const story = await play(plan);
  const { events } = readLog(join(story.home, "agents/team/events.jsonl"));
  const planned = plan.lives.map((life) => life.kill);
  const died = story.ends.filter((end) => typeof end === "object");
  const wrong = [
    ...(JSON.stringify(died) === JSON.stringify(planned) ? [] : [`it died at ${JSON.stringify(story.ends)}`]),
    ...examine(story, expected),
    ...also(story, events),
  ];
  count(row, about, (sum) => ({
    homes: sum.homes + 1,
    kills: sum.kills + died.length,
    lives: sum.lives + story.ends.length,
    "acked again": sum["acked again"] + story.repeated,
    resumed: sum.resumed + of(events, "turn.resumed").length,
    "told unknown":
      sum["told unknown"] + of(events, "tool.ended").filter(({ data }) => data.outcome === "unknown").length,
    "ms each": Math.round((sum["ms each"] * sum.homes + story.ms) / (sum.homes + 1)),
    wrong: sum.wrong + wrong.length,
  }));
  if (wrong.length === 0) await story.remove();
  return wrong.length === 0 ? [] : [...wrong, ...story.notices, `look at ${story.home}`];
}

/** Of each row one home, another one with each commit; all of them if asked for. */
const draw = firstSeed(commitOf());
const drawn = <T>(all: readonly T[]): readonly T[] => (process.env.CRASH === "all" ? all : [all[draw % all.length]!]);

const homes = cases.flatMap(({ kills, seconds, ...rest }) =>
  drawn(kills).map((lives) => ({
    ...rest,
    what: lives.map(({ point, hit }) => `${point} #${hit}`).join(", "),
    lives: lives.map((kill): LifePlan => ({ kill, ...(seconds && { seconds }) })),
  })),
);

describe.concurrent("nothing is lost or done twice when the process is killed while", () => {
  for (const { row, about, what, lives, also } of homes)
    test(`${row} ${about} (${what})`, async ({ expect }) => {
      expect(await judge(row, about, { lives }, also)).toEqual([]);
    });

  test("K18 a turn that dies each time is given up after three tries, and the neighbour goes on", async ({
    expect,
  }) => {
    const lives: LifePlan[] = Array.from({ length: 4 }, () => ({
      kill: { point: "backend.called coordinator", hit: 1 },
    }));
    const story = await play({ lives, calm: true });
    expect(story.wrong).toEqual([]);
    expect(story.ends.map((end) => (typeof end === "object" ? end.point : end))).toEqual([
      ...lives.map(({ kill }) => kill?.point),
      "closed",
    ]);
    expect(story.paused).toEqual([{ agent: "team", code: "recovery" }]);
    const { events, wrong } = readLog(join(story.home, "agents/team/events.jsonl"));
    expect(wrong).toEqual([]);
    expect(of(events, "turn.resumed")).toHaveLength(3);
    expect(story.done).toEqual(new Set(["calm"]));
    expect(readFileSync(join(story.home, "agents/calm/runs/r1/_output.md"), "utf8")).toBe("calm to the end\n");
    await story.remove();
  });

  test("K18 a turn that was given up is taken up when the human says so", async ({ expect }) => {
    const lives: LifePlan[] = Array.from({ length: 4 }, () => ({ kill: { point: "backend.called alice", hit: 1 } }));
    expect(await judge("K18", "a turn that dies each time", { lives, resume: true })).toEqual([]);
  });

  test("K2 a message that woke a finished agent is there once, and heard, however its events were torn", async ({
    expect,
    onTestFinished,
  }) => {
    const home = await mkdtemp(join(tmpdir(), "agiraph-torn-"));
    onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
    const path = join(home, "agents/calm/events.jsonl");
    const post = { type: "message.post", text: "are you there?" } as const;
    const options = { actor: "human", key: "late" };
    const first = await openHouse({ home });
    await first.runtime.create({ name: "calm", goal: "be calm", model: "scripted/calm" });
    await first.until("calm", (event) => event.type === "agent.completed");
    const { seq } = await first.runtime.send("calm", post, options);
    await first.close();
    // The same bytes, torn where a crash may tear them: the first event of the command is whole, the second is not.
    const lines = readFileSync(path, "utf8").split("\n").slice(0, seq);
    truncateSync(path, Buffer.byteLength(lines.join("\n")) + 20);

    const second = await openHouse({ home });
    onTestFinished(() => second.close());
    await second.runtime.send("calm", post, options);
    const posted = () => of(readLog(path).events, "message.posted").filter(({ cause }) => cause?.startsWith("late#"));
    expect(posted()).toHaveLength(1);
    const heard = () => of(readLog(path).events, "turn.started").some(({ data }) => data.upto >= posted()[0]!.seq);
    await until(() => expect(heard()).toBe(true));
  });
});

/** A torn write can cut between the events of one command: `agent.created` is there, `run.started` is not. */
describe.concurrent("a torn first write:", () => {
  test("K2 an agent whose first events were half written has a run", async ({ expect }) => {
    const story = await play({ lives: [{ kill: { point: "log.half", hit: 1 } }] });
    await story.remove();
    expect(story.wrong).toEqual([]);
  });
});
