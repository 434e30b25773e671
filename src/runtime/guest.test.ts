import { describe, expect, test } from "vitest";
import type { EventOf } from "../schema/event.ts";
import type { Team } from "../schema/workflow.ts";
import { mail, type Play, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;
const say = (team: string, content: string) => use("send_message", { to: `agent:${team}`, content });

const withAlice = (kickoff: string, more: Partial<Team["workers"][number]> = {}): Team => ({
  workers: [
    { name: "Alice", role: "Focus on security.", ref: "alice", ...more },
    { name: "Cody", role: "codes" },
  ],
  nodes: [],
  stages: [],
  lead: false,
  kickoff,
});

async function home(play: Play, teams: Record<string, Team>) {
  const world = start({ play });
  await world.begin();
  await world.create({ name: "alice", model: "alice", start: false });
  for (const [name, team] of Object.entries(teams)) {
    await world.create({ name, model: name, team });
    await world.pass(hour);
  }
  const posts = async (agent: string) =>
    (await world.events(agent)).filter((event): event is EventOf<"message.posted"> => event.type === "message.posted");
  return {
    ...world,
    channel: async (agent: string) =>
      (await posts(agent)).map(({ data: { from, to, text } }) => `${from} to ${to.join(", ")}: ${text}`),
    askedOf: (model: string) => world.asked.filter((one) => one.model === model),
  };
}

describe("a lasting agent in a team", () => {
  test("is told what the team is, answers under its name there, and the team ends when it is idle too", async () => {
    const world = await home(
      {
        "alice coordinator": [
          say("review", "@Cody, the token is printed."),
          {},
          say("review", "@Cody, thanks, that is it."),
          {},
        ],
        "review cody": [{ say: "@Alice, mended." }, {}],
      },
      { review: withAlice("@Alice please review.") },
    );
    expect(await world.channel("review")).toEqual([
      "human to alice: @Alice please review.",
      "alice to cody: @Cody, the token is printed.",
      "cody to alice: @Alice, mended.",
      "alice to cody: @Cody, thanks, that is it.",
    ]);
    const first = mail(world.askedOf("alice")[0]!).at(-1)!;
    expect(first).toContain("You take part in the team of agent:review as Alice.");
    expect(first).toContain("With you: Human, Cody.\nFocus on security.");
    expect(first).toContain("Human: @Alice please review.");
    expect(mail(world.askedOf("alice").at(-1)!).at(-1)).toBe("Cody: @Alice, mended.");
    expect(world.state("review").run?.status).toBe("completed");
    expect(world.state("review").outbox.size).toBe(0);
    expect(world.state("alice").outbox.size).toBe(0);
    expect(world.state("alice").memberships.get("review")).toMatchObject({ as: "Alice", run: "r1" });
  });

  test("is in two teams at once with one conversation and one memory", async () => {
    const world = await home(
      {
        "alice coordinator": [
          say("review", "@Cody, seen in review."),
          {},
          say("deploy", "@Cody, seen in deploy."),
          say("review", "@Cody, I also look after deploy."),
          {},
        ],
      },
      { review: { ...withAlice("@Alice look."), on_idle: "stay" }, deploy: withAlice("@Alice look.") },
    );
    expect(world.state("deploy").run?.status).toBe("completed");
    expect(await world.channel("review")).toContain("alice to cody: @Cody, I also look after deploy.");
    for (const team of ["review", "deploy"]) {
      expect(await world.channel(team)).toContain(`alice to cody: @Cody, seen in ${team}.`);
    }
    expect([...world.state("alice").memberships.keys()].sort()).toEqual(["deploy", "review"]);
    expect(new Set(world.askedOf("alice").map(({ participant }) => participant))).toEqual(new Set(["coordinator"]));
  });

  test("votes in the team, once", async () => {
    const world = await home(
      {
        "alice coordinator": [{}, use("vote", { proposal_id: "review/p1", choice: "approve", reason: "safe" }), {}],
        "review cody": [
          use("proposal_create", { question: "Merge?", kind: "approval", rule: "majority", voters: ["Alice", "Cody"] }),
          use("vote", { proposal_id: "p1", choice: "approve" }),
          {},
        ],
      },
      { review: withAlice("@Cody and @Alice, decide.") },
    );
    expect(world.state("review").proposals.get("p1")).toMatchObject({
      status: "settled",
      votes: { alice: "approve", cody: "approve" },
      reasons: { alice: "safe" },
      verdict: { result: "won", option: "approve" },
    });
    expect((await world.events("review")).filter(({ type }) => type === "proposal.voted")).toHaveLength(2);
    expect(world.state("review").run?.status).toBe("completed");
  });

  test("that is stopped refuses, the sender is told, and the team does not hang", async () => {
    const world = start({ play: { "review cody": [{ say: "Then without Alice." }] } });
    await world.begin();
    await world.create({ name: "alice", model: "alice" });
    await world.pass(hour);
    await world.send("alice", { type: "agent.archive" }, { actor: "human" });
    await world.create({ name: "review", model: "review", team: withAlice("@Alice please review. @Cody, wait.") });
    await world.pass(hour);
    expect(world.state("review").run?.status).toBe("completed");
    expect((await world.events("review")).filter(({ type }) => type === "outbox.refused")).toHaveLength(1);
  });

  test("does no nodes, and cannot be changed by a team", async () => {
    const world = start({});
    await world.begin();
    const node = { id: "n", title: "N", spec: "s", worker: "Alice", depends_on: [] };
    await expect(world.create({ team: { ...withAlice("@Cody hi"), nodes: [node] } })).rejects.toThrow(
      "Alice is a guest (ref) and does no nodes",
    );
    await expect(world.create({ team: withAlice("@Cody hi", { soul: "You are somebody else." }) })).rejects.toThrow(
      "alice is an agent of its own and brings its soul",
    );
  });
});
