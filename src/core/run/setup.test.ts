import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { CommandInput } from "../../schema/command.ts";
import type { Team } from "../../schema/workflow.ts";
import { standingOf } from "../agent/standing.ts";
import { agentStatus } from "../agent/status.ts";
import { start } from "../core.test-help.ts";
import { emptyState } from "../state.ts";

type Written = z.input<typeof Team>;
const hash = (sign: string) => sign.repeat(64);
const workers = [{ name: "Rae", role: "reviews" }];
const prepared: Written = {
  workers,
  lead: false,
  setup: [{ shell: "git diff", as: "diff" }],
  documents: [{ name: "notes.md", owner: "Rae" }],
  kickoff: "@Rae, ${{ setup.diff }}",
};

function begun(team: Written = prepared) {
  const world = start();
  world.log = [];
  world.state = emptyState();
  world.tell({ type: "agent.create", agent: "chips", goal: "g", model: "m", team } as CommandInput);
  return world;
}
type World = ReturnType<typeof begun>;

const passed = { run: "r1", step: 1, as: "diff", shell: "git diff", outcome: "passed" as const, code: 0, seconds: 1 };
const end = (world: World, more: object = {}) =>
  world.tell(
    { type: "setup.end", ...passed, output: "+a", size: 2, resource: hash("1"), ...more } as CommandInput,
    "system",
  );
const begin = (world: World, more: object = {}) => {
  const { team, run } = world.state.preparation!;
  const documents = (team.documents ?? []).map(({ name, owner }) => ({ name, owner, sha256: hash("2"), size: 0 }));
  world.tell({ type: "run.begin", run, team, documents, ...more } as CommandInput, "system");
};

describe("a run that is prepared", () => {
  test("has nobody in it; the agent works, and only the runtime says what came of it", () => {
    const world = begun();
    expect([...world.state.participants.keys()]).toEqual([]);
    expect([agentStatus(world.state), standingOf(world.state).is]).toEqual(["working", "working"]);
    const wish = { type: "setup.end", ...passed, output: "", size: 0 } as CommandInput;
    expect(world.refused(wish, "human")).toBe("forbidden: human cannot say what came of the setup");
    expect(world.refused({ type: "run.start" })).toContain("r1 of chips is being prepared: setup step 1 of 1");
    expect(world.decide({ type: "run.begin", run: "r1", team: prepared } as CommandInput, "system")).toEqual([]);
    end(world);
    end(world);
    expect(world.all("setup.ended")).toHaveLength(1);
    begin(world, { attached: [hash("1")], quotes: "<data>" });
    expect(world.state.channel).toMatchObject([{ to: ["rae"], attachments: [{ title: "diff.txt" }] }]);
    expect(world.thinker("rae").unread.at(-1)).toMatchObject({ quotes: "<data>" });
    expect(world.state.documents.get("notes.md")).toMatchObject({ owner: "rae", version: 1, by: "human" });
    expect(world.state.run).toMatchObject({ setup: [{ step: 1, output: "+a" }], laid_out: ["notes.md"] });
  });

  test("is whole after a crash at any place, and nothing of it comes twice", () => {
    const play = () => {
      const world = begun();
      end(world);
      begin(world);
      return world;
    };
    const whole = play().log.map(({ type }) => type);
    for (let lost = 0; lost < whole.length; lost++) {
      const world = play();
      world.restart(lost);
      if (world.state.preparation && !world.state.preparation.results.length) end(world);
      if (world.state.preparation) begin(world);
      expect(world.log.map(({ type }) => type)).toEqual(whole);
    }
  });

  test("is given up for another when the agent was stopped, and by archiving", () => {
    const world = begun();
    world.tell({ type: "agent.stop" });
    world.tell({ type: "run.start", goal: "another" });
    expect(world.state.preparation).toMatchObject({ run: "r1", goal: "another", results: [] });
    world.tell({ type: "agent.archive" });
    expect(world.state.preparation).toBeNull();
  });

  test("does not end the run before it a second time, and no trigger fires meanwhile", () => {
    const world = begun({ workers });
    world.tell({
      type: "trigger.create",
      schedule: { type: "delayed", delay_seconds: 5 },
      action: { type: "wake_agent", text: "x" },
    } as CommandInput);
    world.tell({ type: "run.finish", summary: "done" });
    world.tell({ type: "run.start", team: prepared } as CommandInput);
    world.now += 60_000;
    world.tick();
    expect([world.state.agent?.status, world.all("trigger.fired").length]).toEqual(["active", 0]);
    world.tell({ type: "agent.stop" });
    world.tell({ type: "agent.resume" });
    end(world, { run: "r2" });
    begin(world);
    world.tick();
    expect([world.state.run?.id, world.all("trigger.fired").length]).toEqual(["r2", 1]);
    expect(world.all("agent.completed")).toHaveLength(1);
  });
});

test("where the context is kept the next run has the documents of the last; who owned one and is gone owns it no more", () => {
  const kept: Written = { ...prepared, setup: [], context: "kept", lead: undefined, kickoff: undefined };
  const world = begun(kept);
  begin(world);
  world.tell({ type: "document.write", document: "notes.md", sha256: hash("7"), size: 9 } as CommandInput, "rae");
  world.tell(
    { type: "document.write", document: "more.md", sha256: hash("8"), size: 1 } as CommandInput,
    "coordinator",
  );
  world.tell({ type: "run.finish", summary: "done" });
  const team = { ...kept, workers: [{ name: "Ann", role: "" }], documents: [{ name: "notes.md" }, { name: "new.md" }] };
  world.tell({ type: "run.start", team } as CommandInput);
  begin(world);
  expect([...world.state.documents.values()].map(({ name, sha256, owner }) => [name, sha256[0], owner])).toEqual([
    ["new.md", "2", undefined],
    ["notes.md", "7", undefined],
    ["more.md", "8", undefined],
  ]);
  world.tell({ type: "run.finish", summary: "done" });
  world.tell({ type: "run.start", team: { workers, context: "kept" } } as CommandInput);
  expect([...world.state.documents.keys()]).toEqual(["new.md", "notes.md", "more.md"]);
  world.tell({ type: "run.finish", summary: "done" });
  world.tell({ type: "run.start", team: { workers } } as CommandInput);
  expect(world.state.documents.size).toBe(0);
});
