import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { CommandInput } from "../../schema/command.ts";
import type { Team } from "../../schema/workflow.ts";
import { start } from "../core.test-help.ts";
import { emptyState } from "../state.ts";

type Written = z.input<typeof Team>;
const workers = [
  { name: "Rae", role: "reviews" },
  { name: "Cody", role: "codes" },
];
const pair: Written = { workers, lead: false, kickoff: "The diff is below.\n@Rae please review." };

function begun(team: Written = pair, more: object = {}) {
  const world = start();
  world.log = [];
  world.state = emptyState();
  world.tell({ type: "agent.create", agent: "chips", goal: "g", model: "m", team, ...more } as CommandInput);
  return world;
}
type World = ReturnType<typeof begun>;

/** A turn of words only. */
function say(world: World, who: string, text: string): void {
  const of = world.begin(who);
  world.tell({ type: "turn.answer", ...of, text, calls: [], cost: { usd: 0, tokens: 0 } }, who);
  world.tell({ type: "turn.end", ...of }, who);
}
function wait(world: World, ms = 250): void {
  world.now += ms;
  world.tick();
}

describe("a team that nobody leads", () => {
  test("has no coordinator; its first message goes to whom it mentions, once, also after a crash at any place", () => {
    const world = begun();
    expect([...world.state.participants.keys()]).toEqual(["human", "rae", "cody"]);
    expect(world.all("message.posted").map(({ data }) => [data.from, data.to])).toEqual([["human", ["rae"]]]);
    const whole = world.log.map(({ type }) => type);
    for (let lost = 0; lost < whole.length; lost++) {
      const again = begun();
      again.restart(lost);
      expect(again.log.map(({ type }) => type)).toEqual(whole);
    }
  });

  test("hears the goal if there is no first message, everyone of it", () => {
    const { state } = begun({ workers, lead: false });
    expect(state.channel).toMatchObject([{ to: ["rae", "cody"], text: "g" }]);
  });

  test("with nodes starts with those, and nobody is told the goal", () => {
    const nodes = [{ id: "a", title: "A", spec: "Do a", worker: "Cody" }];
    const { state } = begun({ workers, lead: false, nodes });
    expect(state.channel).toEqual([]);
    expect(state.nodes.get("n1-a")).toMatchObject({ status: "assigned", worker: "cody" });
  });

  test("is told with its end what was published and not merged", () => {
    const world = begun({ workers, lead: false, nodes: [{ id: "a", title: "A", spec: "Do a", worker: "Cody" }] });
    const [base, commit] = ["a".repeat(40), "b".repeat(40)];
    world.tell({ type: "workspace.base", kind: "repository", base, branch: "main" });
    world.tell({ type: "workspace.open", workspace: "n1-a", from: base });
    const files = [{ path: "a.txt", status: "added" as const, binary: false, added: 1, removed: 0 }];
    world.begin("cody");
    const change = { base, commit, files, added: 1, removed: 0 };
    world.tell({ type: "node.publish", node: "n1-a", summary: "s", files: [], change }, "cody");
    say(world, "cody", "It is done.");
    wait(world);
    expect(world.state.run).toMatchObject({
      status: "completed",
      summary: expect.stringContaining("\n\nNot merged: n1-a. "),
      unmerged: ["n1-a"],
    });
  });

  test("is told nothing once everyone in it is retired: the log would have a message to nobody", () => {
    const world = begun();
    for (const worker of ["rae", "cody"]) world.tell({ type: "worker.retire", worker });
    const before = world.state.channel.length;
    const nobody =
      "wrong_state: nobody is left in r1 to read messages: everyone in its team is retired; start another run";
    expect(world.refused({ type: "message.post", text: "Hello?" })).toBe(nobody);
    expect(world.refused({ type: "message.post", text: "Hello?", to: "*" })).toBe(nobody);
    expect(world.state.channel).toHaveLength(before);
  });

  test("talks by mentions, and its run is completed when everybody is idle, with what was said last", () => {
    const world = begun();
    say(world, "rae", "@Cody the loop never ends");
    wait(world);
    expect(world.state.run?.status).toBe("open");
    say(world, "cody", "It is mended.");
    expect(world.state.channel.at(-1)).toMatchObject({ from: "cody", to: ["human"], text: "It is mended." });
    wait(world, 249);
    expect(world.state.run?.status).toBe("open");
    wait(world, 1);
    expect(world.state.run).toMatchObject({ status: "completed", summary: "Cody: It is mended.", evidence: "claimed" });
    expect(world.state.agent?.status).toBe("completed");
  });

  test("goes on when the human writes to it again, to everyone", () => {
    const world = begun();
    say(world, "rae", "Looks good.");
    wait(world);
    world.tell({ type: "message.post", text: "And the tests?" });
    expect(world.state.run?.status).toBe("open");
    expect(world.state.channel.at(-1)?.to).toEqual(["rae", "cody"]);
    say(world, "rae", "They pass.");
    wait(world);
    expect(world.state.run?.status).toBe("open"); // Cody has not read it
    say(world, "cody", "Yes.");
    wait(world);
    expect(world.state.run).toMatchObject({ status: "completed", answers: 2, summary: "Cody: Yes." });
    expect(world.all("message.posted").filter(({ data }) => data.kickoff)).toHaveLength(1);
  });

  test("is not over while a question, a vote or a timer is open", () => {
    const world = begun();
    world.tell({ type: "question.ask", by: "rae", text: "Which branch?" }, "rae");
    world.tell(
      { type: "proposal.create", by: "rae", kind: "approval", text: "Merge?", options: ["yes", "no"] } as CommandInput,
      "rae",
    );
    world.tell(
      {
        type: "trigger.create",
        by: "rae",
        schedule: { type: "delayed", delay_seconds: 60 },
        action: { type: "wake_agent", text: "look again" },
      } as CommandInput,
      "rae",
    );
    say(world, "rae", "I wait.");
    const open = () => {
      wait(world, 1000);
      return world.state.run?.status === "open";
    };
    expect(open()).toBe(true);
    world.tell({ type: "question.answer", question: "q1", answer: "main" });
    say(world, "rae", "Thanks.");
    expect(open()).toBe(true);
    world.tell({ type: "proposal.withdraw", proposal: "p1", by: "rae" } as CommandInput, "rae");
    for (const id of ["rae", "cody"]) if (world.thinker(id).unread.length) say(world, id, "ok");
    expect(open()).toBe(true);
    world.now += 60_000;
    world.tick();
    // Nobody leads: whoever set the timer is woken by it.
    expect(world.thinker("rae").unread).toMatchObject([{ kind: "fire", text: "look again" }]);
    for (const id of ["rae", "cody"]) if (world.thinker(id).unread.length) say(world, id, "ok");
    expect(open()).toBe(false);
  });

  test("that is to stay, or is infinite, waits for the next message", () => {
    for (const world of [begun({ ...pair, on_idle: "stay" }), begun(pair, { mode: "infinite" })]) {
      say(world, "rae", "Looks good.");
      wait(world, 86_400_000);
      expect([world.state.run?.status, world.state.agent?.status]).toEqual(["open", "active"]);
    }
  });

  test("with a node that nobody can do is paused with its name, and never completed", () => {
    const nodes = [
      { id: "a", title: "A", spec: "Do a", worker: "Cody" },
      { id: "b", title: "B", spec: "Do b", depends_on: ["a"] },
    ];
    const world = begun({ workers, lead: false, nodes });
    world.tell({ type: "node.fail", node: "n1-a", reason: { code: "x", message: "no", next_mover: "human" } } as never);
    say(world, "cody", "I cannot.");
    wait(world);
    expect(world.state.agent).toMatchObject({
      status: "paused",
      reason: { code: "idle", next_mover: "human", message: expect.stringContaining("n2-b is pending") },
    });
    expect(world.state.run?.status).toBe("open");
  });
});

test("a run with a lead never ends by itself", () => {
  const world = begun({ workers, kickoff: "@Rae hello" });
  expect(world.state.channel).toMatchObject([{ to: ["rae"], text: "@Rae hello" }]);
  say(world, "rae", "Hello.");
  world.turn("coordinator");
  wait(world, 86_400_000);
  expect(world.state.run?.status).toBe("open");
});

test("the team belongs to the run: the next one may have another, or none", () => {
  const world = begun();
  say(world, "rae", "Looks good.");
  wait(world);
  world.tell({ type: "run.start", goal: "again", team: { workers: [{ name: "Ann", role: "" }] } } as CommandInput);
  expect([...world.state.participants.keys()]).toEqual(["human", "coordinator", "ann"]);
  expect(world.state.past[0]).not.toHaveProperty("team");
  world.tell({ type: "agent.stop" });
  world.tell({ type: "run.start", goal: "alone", team: null } as CommandInput);
  expect([...world.state.participants.keys()]).toEqual(["human", "coordinator"]);
  world.tell({ type: "agent.stop" });
  world.tell({ type: "run.start", goal: "as before" });
  expect(world.all("run.started").at(-1)?.data.team).toMatchObject({ lead: false });
  expect([...world.state.participants.keys()]).toEqual(["human", "rae", "cody"]);
});

test.each([
  [{ workers: [], lead: false }, /a team without a lead needs workers/],
  [{ workers, on_idle: "stay" }, /a run with a lead ends when the lead finishes it/],
  [{ ...pair, kickoff: "@Bob please review" }, /@Bob is not in this team; workers: Rae, Cody/],
])("a team that cannot begin is refused: %j", (team, why) => {
  const world = start();
  world.tell({ type: "agent.stop" });
  expect(world.refused({ type: "run.start", team })).toMatch(why);
});
