import { describe, expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";
import { defaultLimits } from "../limits.ts";
import { canonical } from "../state.ts";
import { endingInWords, previewStop } from "./preview.ts";

/** Alice works on n2, n3 waits for it, bob has published n1 and waits for a word; the coordinator has a question of its own. */
function busy(): World {
  const world = start();
  world.turn("coordinator");
  world.tell({ type: "stage.start", name: "Research" }, "coordinator");
  const done = world.node({ task: "Done", worker: "bob" });
  const first = world.node({ task: "First", worker: "alice" });
  world.node({ task: "Second", depends_on: [first] });
  world.turn("bob", "write");
  world.tell({ type: "node.publish", node: done, summary: "s", files: [] }, "bob");
  world.begin("alice");
  world.tell({ type: "question.ask", by: "coordinator", text: "Really?" }, "coordinator");
  world.tell({ type: "message.post", to: "bob", text: "look" });
  const of = world.answer("bob", ["bash"]);
  world.tell({ type: "tool.ask", ...of, call: "c1", text: "May Bob call bash?\nrm -rf /" }, "bob");
  return world;
}

const preview = ({ state, now }: World) => previewStop(state, { now, actor: "human", limits: defaultLimits });

describe("what a stop would do", () => {
  test("is what it then does, and asking changes nothing", () => {
    const world = busy();
    const before = canonical(world.state);
    const { seq, nodes, questions, turns, stages, kept } = preview(world);
    expect(canonical(world.state)).toBe(before);
    expect(seq).toBe(world.state.seq);
    expect(nodes).toEqual([
      { node: "n2-first", name: "First", status: "running", worker: "alice" },
      { node: "n3-second", name: "Second", status: "pending" },
    ]);
    expect(questions).toEqual([{ question: "q2", by: "bob", text: "May Bob call bash?", approves: "bash" }]);
    expect(turns).toEqual([{ participant: "alice", tools: [] }]);
    expect(stages).toEqual([{ stage: "s1", name: "Research", completed: 1, of: 3 }]);
    expect(kept).toEqual({ nodes: 1, questions: 1, usd: 0 });

    world.tell({ type: "agent.stop" });
    const of = (status: string) => [...world.state.nodes.values()].filter((node) => node.status === status);
    expect(of("cancelled").map(({ id }) => id)).toEqual(nodes.map(({ node }) => node));
    expect(of("completed")).toHaveLength(kept.nodes);
    const open = [...world.state.questions.values()].filter(({ status }) => status === "open");
    expect(open.map(({ id }) => id)).toEqual(["q1"]);
    expect(world.all("stage.reconvened").at(-1)?.data.completed).toHaveLength(1);
  });

  test("is told in a few sentences, and so is what a pause leaves alone", () => {
    const world = busy();
    const { words } = preview(world);
    expect(words.ends.map(endingInWords)).toEqual([
      "2 nodes end: n2-first, n3-second.",
      "1 question lapses: q2 of Bob (bash).",
      "1 turn is cut off, and the answer under way is lost: Alice.",
      "The stage Research ends with 1 of 3 nodes done.",
    ]);
    expect(words.kept).toBe(
      "Kept: all files, the coordinator's conversation, 1 completed node and 1 question of the coordinator.",
    );
    expect(words.pause).toBe(
      "Pause instead ends nothing: 2 nodes and 2 questions stay as they are; 1 turn under way is finished first, and Go on continues from there.",
    );
    world.tell({ type: "agent.pause" });
    const live = [...world.state.nodes.values()].filter(({ status }) => /running|pending/.test(status));
    const open = [...world.state.questions.values()].filter(({ status }) => status === "open");
    expect([live.length, open.length]).toEqual([2, 2]);
  });

  test("names the tools that are ended, and a few of many nodes", () => {
    const world = start();
    for (let n = 0; n < 8; n++) world.node({ task: "Do it" });
    const of = world.answer("coordinator", ["bash"]);
    world.tell({ type: "tool.start", ...of, call: "c1" }, "coordinator");
    const { words, turns } = preview(world);
    expect(turns).toEqual([{ participant: "coordinator", tools: ["bash"] }]);
    expect(endingInWords(words.ends[0]!)).toMatch(/^8 nodes end: n1-do-it, n2-do-it, .*, n5-do-it and 3 more\.$/);
    expect(words.ends[1]?.names).toEqual(["Coordinator (bash)"]);
  });

  test("is nothing for an agent that rests or was stopped; one that is over meets the same problem as the stop", () => {
    const world = start();
    world.turn("coordinator");
    expect(preview(world).words.ends).toEqual([
      { what: "nothing", text: "Nobody is working, so nothing is interrupted", names: [] },
    ]);
    world.node();
    world.tell({ type: "agent.stop" });
    expect(preview(world)).toMatchObject({ nodes: [], questions: [], turns: [], stages: [] });
    world.tell({ type: "agent.resume" });
    world.tell({ type: "run.finish", summary: "s" }, "coordinator");
    expect(() => preview(world)).toThrow("chips is completed; this command needs it to be active or paused or stopped");
  });
});
