import { describe, expect, test } from "vitest";
import type { EventOf } from "../schema/event.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import type { Team } from "../schema/workflow.ts";
import { type Answer, mail, type Play, use } from "./model.test-help.ts";
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

  test("reads and writes the documents, the channel and the proposals of the team under its name there", async () => {
    const inReview = (tool: string, input: object) => use(tool, { team: "review", ...input });
    const world = await home(
      {
        "alice coordinator": [
          inReview("document_read", { name: "rules.md" }),
          inReview("document_write", { name: "rules.md", content: "mine", base: 1 }),
          inReview("document_append", { name: "findings.md", content: "The token is printed." }),
          inReview("channel_read", {}),
          inReview("proposal_create", { question: "Ship it?", kind: "decision", voters: ["Cody", "Alice"] }),
          inReview("proposal_list", {}),
          use("document_list", {}),
          use("document_list", { team: "nobody" }),
          {},
        ],
        "review cody": [
          {
            calls: [
              { tool: "document_write", input: { name: "rules.md", content: "no secrets" } },
              { tool: "document_write", input: { name: "rules.md", content: "no secrets, ever", base: 1 } },
              { tool: "document_write", input: { name: "findings.md", content: "none yet" } },
            ],
          },
          { say: "@Alice, look." },
          use("vote", { proposal_id: "p1", choice: "yes" }),
          {},
        ],
      },
      { review: { ...withAlice("@Cody, begin."), on_idle: "stay" } },
    );
    const told = (await world.events("alice")).flatMap((event) =>
      event.type === "tool.ended" ? [`${event.data.outcome}: ${event.data.result}`] : [],
    );
    expect(told[0]).toContain("no secrets, ever");
    expect(told[0]).toContain("version 2 by Cody");
    expect(told[1]).toMatch(/^error: .*no secrets, ever.*write it with base 2/s);
    expect(told[2]).toBe("ok: Added; findings.md is at version 2.");
    expect(told[3]).toContain("human to cody: @Cody, begin.");
    expect(told[4]).toContain('"proposal_id":"p1"');
    expect(told[5]).toContain("p1, decision by Alice");
    expect(told[6]).toBe("ok: There are no documents.");
    expect(told[7]).toBe("error: you take part in no team of agent:nobody; teams: review");
    const { documents, proposals } = world.state("review");
    expect(documents.get("findings.md")).toMatchObject({ version: 2, by: "alice" });
    expect(proposals.get("p1")).toMatchObject({ by: "alice", votes: { cody: "yes" } });
    expect([world.state("alice").documents.size, world.state("alice").proposals.size]).toEqual([0, 0]);
  });

  describe("is judged by the rules of the team for what it does there", () => {
    const tell = say("review", "@Cody, hello.");
    const list = use("document_list", { team: "review" });
    const ballot = use("vote", { proposal_id: "review/p1", choice: "yes" });
    const from = "the workflow of agent:review says deny";
    test.each([
      [{ do: "deny", tool: "document_list" }, list, `denied: Denied: ${from}`],
      [{ do: "deny", tool: "document_list", worker: "alice", why: "not hers" }, list, "denied: Denied: not hers"],
      [{ do: "deny", tool: "document_list", worker: "Cody" }, list, "ok: There are no documents."],
      [{ do: "deny", tool: "document_list" }, use("document_list", {}), "ok: There are no documents."],
      [{ do: "ask", tool: "document_list" }, list, "asked: agent:review"],
      [{ do: "deny", tool: "send_message" }, tell, `denied: Denied: ${from}`],
      [{ do: "deny", tool: "send_message" }, use("send_message", { to: "human", content: "hello" }), "ok: "],
      [{ do: "deny", effect: "state" }, ballot, `denied: Denied: ${from}`],
      [{ do: "allow" }, list, "ok: There are no documents."],
    ] satisfies [PolicyRule, Answer, string][])("%j: %j: %s", async (rule, call, expected) => {
      const world = await home(
        { "alice coordinator": [call, {}] },
        { review: { ...withAlice("@Alice, look."), on_idle: "stay", policy: [rule] } },
      );
      const [question] = world.state("alice").questions.values();
      const ended = (await world.events("alice")).flatMap((event) =>
        event.type === "tool.ended" ? [`${event.data.outcome}: ${event.data.result}`] : [],
      );
      expect(question ? `asked: ${question.approves?.target}` : ended[0]).toContain(expected);
    });

    test("and of its next run, before that has written to it", async () => {
      const world = await home(
        { "alice coordinator": [{}, list, {}] },
        { review: { ...withAlice("@Alice, look."), on_idle: "stay" } },
      );
      await world.send("review", { type: "agent.stop" }, { actor: "human" });
      const strict = { ...withAlice("@Cody, look."), on_idle: "stay" as const, policy: [{ do: "deny" as const }] };
      await world.send("review", { type: "run.start", goal: "g", team: strict }, { actor: "human" });
      await world.send("alice", { type: "message.post", text: "What is in their documents?" });
      await world.pass(hour);
      const ended = (await world.events("alice")).filter(({ type }) => type === "tool.ended");
      const result = "document_list is denied in the team of review: the workflow of this run says deny";
      expect(ended).toMatchObject([{ data: { outcome: "error", result } }]);
    });
  });

  test("whose call a crash interrupted after the team had it adds nothing twice", async () => {
    const world = start({
      play: {
        "alice coordinator": [
          { ...use("document_append", { team: "review", name: "log.md", content: "once" }), seconds: 1 },
          {},
        ],
      },
    });
    await world.begin();
    await world.create({ name: "alice", model: "alice", start: false });
    await world.create({
      name: "review",
      model: "review",
      team: { ...withAlice("@Alice, note it."), on_idle: "stay" },
    });
    expect(await world.dies("tool.ran")).toBe(true);
    await world.restart("kill");
    await world.pass(hour);
    const written = (await world.events("review")).filter(({ type }) => type === "document.written");
    expect(written).toHaveLength(1);
    const ended = (await world.events("alice")).filter(({ type }) => type === "tool.ended");
    expect(ended).toMatchObject([{ data: { outcome: "ok", result: "Added; log.md is at version 1." } }]);
  });

  test("that no longer takes part is refused", async () => {
    const world = await home(
      { "alice coordinator": [{}, use("document_list", { team: "review" }), {}] },
      { review: { ...withAlice("@Alice, hello."), on_idle: "stay" } },
    );
    await world.send("review", { type: "worker.retire", worker: "alice", reason: "no more" }, { actor: "human" });
    await world.send("alice", { type: "message.post", text: "What is in their documents?" });
    await world.pass(hour);
    const ended = (await world.events("alice")).filter(({ type }) => type === "tool.ended");
    expect(ended).toMatchObject([
      { data: { outcome: "error", result: "alice takes part in no team of review any more" } },
    ]);
  });

  test("that does not exist (any more) is refused: the sender is told why, and the team does its work", async () => {
    const world = start({
      play: { "review cody": [{ say: "@Alice, are you there?" }, { say: "Then without Alice." }] },
    });
    await world.begin();
    await world.create({ name: "review", model: "review", team: withAlice("@Cody, ask Alice.") });
    await world.pass(hour);
    const events = await world.events("review");
    expect(events.filter(({ type }) => type === "outbox.refused")).toMatchObject([
      { data: { to: "alice", by: "cody", reason: { code: "not_found", message: "there is no agent alice" } } },
    ]);
    expect(world.asked.flatMap((one) => mail(one)).at(-1)).toContain("there is no agent alice");
    expect(world.state("review").run).toMatchObject({ status: "completed" });
    expect(world.state("review").outbox.size).toBe(0);
  });

  test.each(["../x.md", "a/../../x.md", "/x.md", "documents/../x.md"])(
    "cannot leave the team's documents by a name such as %j",
    async (name) => {
      const world = await home(
        { "alice coordinator": [use("document_write", { name, content: "x", team: "review" }), {}] },
        { review: withAlice("@Alice, write it down.") },
      );
      const [asked] = world.askedOf("alice").slice(-1);
      expect(JSON.stringify(asked?.lines)).toContain("document_write: name: a file name without folders");
      expect((await world.events("review")).filter(({ type }) => type === "document.written")).toEqual([]);
      expect((await world.settled(world.files().list("/home/agents/review"))).map((one) => one.name)).not.toContain(
        "x.md",
      );
    },
  );

  test("that is archived refuses, the sender is told, and the team does not hang", async () => {
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
