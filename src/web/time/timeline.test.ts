import { describe, expect, test } from "vitest";
import { start, t0 } from "../../core/core.test-help.ts";
import { leaderless } from "../../core/leaderless.test-help.ts";
import { wideMarks } from "./dock.tsx";
import { laneWords } from "./lane-words.ts";
import { labelledMarks } from "./slider.tsx";
import { createStretch } from "./stretch.ts";
import { createTimeline, type Timeline } from "./timeline.ts";

const minute = 60_000;

function story() {
  const world = start();
  const later = (minutes: number) => {
    world.now = t0 + minutes * minute;
  };
  const told = (): Timeline => {
    const line = createTimeline();
    for (const event of world.log) line.take(event);
    return line;
  };
  const bars = (who: string) =>
    told()
      .lanes()
      .find(({ id }) => id === who)!.bars;
  return { world, later, told, bars };
}

describe("the timeline", () => {
  test("a node is a bar in the lane of its worker, its turns are ticks, and it ends as it ended", () => {
    const { world, later, bars } = story();
    later(1);
    const id = world.node({ name: "Prices", worker: "Alice" });
    later(2);
    world.turn("alice", "look");
    expect(bars("alice")).toMatchObject([{ kind: "node", node: id, look: "working", text: "Prices" }]);
    expect(bars("alice")[0]!.to).toBeUndefined();
    later(5);
    world.answer("alice");
    world.tell({ type: "node.publish", node: id, summary: "19 of 23\nand more", files: [] }, "alice");
    expect(bars("alice")[0]).toMatchObject({ look: "done", to: t0 + 5 * minute, text: "19 of 23" });
    expect(bars("alice")[0]!.ticks).toEqual([t0 + 2 * minute, t0 + 5 * minute]);
  });

  test("a wait is a piece of its own with its reason, until the next turn", () => {
    const { world, later, bars } = story();
    const id = world.node({ worker: "Alice" });
    later(1);
    world.turn("coordinator", "wait_for_nodes", { wait: { for: "nodes", nodes: [id] } });
    later(3);
    world.tell({ type: "message.post", from: "human", to: ["coordinator"], text: "Well?" });
    world.turn("coordinator");
    expect(bars("coordinator").filter(({ kind }) => kind === "park")).toMatchObject([
      { from: t0 + minute, to: t0 + 3 * minute, name: `waits for ${id}` },
    ]);
    expect(bars("coordinator").filter(({ kind }) => kind === "turns")).toHaveLength(2);
  });

  test("a question stands in two lanes, is a link to the human, and ends with the answer", () => {
    const { world, later, bars, told } = story();
    later(1);
    world.tell({ type: "question.ask", by: "alice", text: "Which year?" }, "alice");
    expect(bars("human")).toMatchObject([{ kind: "wait", yours: true, name: "Alice: Which year?" }]);
    expect(told().lines()).toMatchObject([{ kind: "question", from: "alice", to: "human" }]);
    later(4);
    world.tell({ type: "question.answer", answer: "2026" });
    for (const who of ["human", "alice"])
      expect(bars(who).find(({ yours }) => yours)).toMatchObject({ to: t0 + 4 * minute });
  });

  test("what is created, used and said is a link between lanes, and nothing links to itself", () => {
    const { world, told } = story();
    const one = world.node({ worker: "Alice" });
    world.turn("alice");
    world.tell({ type: "node.publish", node: one, summary: "Done", files: [] }, "alice");
    world.node({ worker: "Bob", depends_on: [one] });
    world.turn("bob");
    world.tell({ type: "message.post", from: "bob", to: ["alice"], text: "Thanks" }, "bob");
    const lines = told().lines();
    const pairs = lines.map(({ kind, from, to }) => `${kind} ${from} ${to}`);
    expect(pairs).toContain("hand-off coordinator alice");
    expect(pairs).toContain("hand-off alice bob");
    expect(pairs).toContain("message bob alice");
    expect(lines.every(({ from, to }) => from !== to)).toBe(true);
  });

  test("when the run ends nothing goes on", () => {
    const { world, later, told } = story();
    world.node({ worker: "Alice" });
    world.turn("alice");
    later(2);
    world.append({ type: "run.completed", data: { run: "r1", summary: "All done" } });
    expect(
      told()
        .lanes()
        .flatMap(({ bars }) => bars.filter(({ to }) => to === undefined)),
    ).toEqual([]);
  });

  test("a lane says how long its coordinator was parked, what a worker held, and what is open for the human", () => {
    const { world, later, told } = story();
    const words = (id: string, kind: "coordinator" | "harnessed" | "human") => {
      const line = told();
      return laneWords(line.lanes().find((lane) => lane.id === id)!, kind, line.from(), world.now);
    };
    const id = world.node({ worker: "Alice" });
    expect(words("coordinator", "coordinator")).toBe("coordinates");
    later(2);
    world.turn("coordinator", "wait_for_nodes", { wait: { for: "nodes", nodes: [id] } });
    world.turn("alice");
    later(10);
    expect(words("coordinator", "coordinator")).toBe("parked 8 of 10 min");
    expect(words("alice", "harnessed")).toBe("n1");
    expect(words("bob", "harnessed")).toBe("no node yet");
    expect(words("human", "human")).toBe("nothing open");
    world.tell({ type: "question.ask", by: "alice", text: "Which year?" }, "alice");
    expect(words("human", "human")).toBe("1 open");
  });

  test("long pauses are known, and shift goes from stage to stage if there are any", () => {
    const { world, later, told } = story();
    world.tell({ type: "question.ask", by: "alice", text: "Which year?" }, "alice");
    expect(wideMarks(told().marks()).map(({ kind }) => kind)).toEqual(["run", "question"]);
    later(3);
    world.tell({ type: "stage.start", name: "Scan" }, "coordinator");
    const id = world.node({ worker: "Bob" });
    world.turn("bob");
    world.tell({ type: "node.publish", node: id, summary: "Done", files: [] }, "bob");
    const line = told();
    expect(line.pauses()).toEqual([{ from: t0, to: t0 + 3 * minute }]);
    expect(line.times()).toHaveLength(world.log.length);
    expect(wideMarks(line.marks()).map(({ kind }) => kind)).toEqual(["run", "stage"]);
    const shown = labelledMarks(line.marks(), createStretch(line.from(), line.to(), []));
    expect(shown.map(({ word }) => word)).toEqual(["question", "reconvened"]);
  });
});

test("where nobody leads there is no lane of a coordinator, and who has no node says how often it thought", () => {
  const world = leaderless({ kickoff: "@Rae please review" });
  world.say("rae", "@Cody the loop never ends");
  const line = createTimeline();
  for (const event of world.log) line.take(event);
  expect(line.lanes().map(({ id }) => id)).toEqual(["human", "rae", "cody"]);
  const says = (id: string) => laneWords(line.lanes().find((lane) => lane.id === id)!, "harnessed", 0, world.now);
  expect([says("rae"), says("cody")]).toEqual(["1 call", "no node yet"]);
});
