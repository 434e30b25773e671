import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import type { Binding } from "../../schema/proposal.ts";
import { refusal, start } from "../core.test-help.ts";
import { leaderless } from "../leaderless.test-help.ts";
import { leads, nextMover } from "../run/lead.ts";
import { assertMergeable, bindingText, isMergeApproved } from "./binding.ts";

type World = ReturnType<typeof start>;

const own: Binding = { effect: "own", document: "plan.md" };
const write: CommandInput = { type: "document.write", document: "plan.md", sha256: "1".repeat(64), size: 1 };

/** A run with a document of alice, a node that nobody does, and a binding proposal. */
function propose(
  given: Partial<Extract<CommandInput, { type: "proposal.create" }>> & { binding: Binding },
  actor = "coordinator",
) {
  const world = start();
  world.tell({ ...write, owner: "alice" } as CommandInput, "alice");
  // It waits, so that it is not assigned by itself.
  world.tell({ type: "node.create", task: "First." }, "coordinator");
  world.tell({ type: "node.create", task: "Do it.", name: "x", depends_on: ["n1-first"] }, "coordinator");
  world.tell({ type: "proposal.create", text: "Who?", options: ["Alice", "Bob"], ...given }, actor);
  return world;
}

function vote(world: World, given: Record<string, string>) {
  return Object.entries(given).flatMap(([voter, option]) =>
    world.tell({ type: "proposal.vote", proposal: "p1", voter, option }, voter),
  );
}

const p1 = ({ state }: World) => state.proposals.get("p1")!;
const typesOf = (events: { type: string }[]) => events.map(({ type }) => type);

describe("a binding proposal", () => {
  test("for an owner hands the document over in the same step, once", () => {
    const world = propose({ binding: own, voters: ["human", "coordinator"] });
    const events = vote(world, { human: "Bob", coordinator: "bob" });
    expect(typesOf(events)).toEqual([
      ...["proposal.voted", "proposal.voted", "proposal.settled", "document.owned", "proposal.applied"],
    ]);
    expect(world.state.documents.get("plan.md")?.owner).toBe("bob");
    expect(p1(world)).toMatchObject({ status: "settled", effect: "Bob owns plan.md" });
    expect(world.state.participants.get("bob")?.unread.at(-1)?.text).toBe("plan.md belongs to Bob now");
    // Somebody else gets it later: the old result does not take it back.
    world.tell({ type: "document.own", document: "plan.md", owner: "alice" }, "human");
    world.restart();
    expect(world.state.documents.get("plan.md")?.owner).toBe("alice");
  });

  test.each([0, 1, 2])("is applied once, also if the last %i events of its step are lost", (lost) => {
    const world = propose({ binding: own, voters: ["human"] });
    vote(world, { human: "Bob" });
    world.restart(lost);
    expect(world.state.documents.get("plan.md")?.owner).toBe("bob");
    const count = (type: string) => world.log.filter((event) => event.type === type).length;
    expect([count("document.owned"), count("proposal.applied")]).toEqual([1, 1]);
  });

  test("for a node gives it to the winner, as soon as it can start", () => {
    const world = propose({ binding: { effect: "assign", node: "n2-x" }, voters: ["human"] });
    expect(typesOf(vote(world, { human: "Bob" }))).toContain("node.wanted");
    expect(world.state.nodes.get("n2-x")).toMatchObject({ status: "pending", wanted_worker: "bob" });
    expect(p1(world)).toMatchObject({ effect: "Bob does n2-x" });
  });

  test("keeps a node from being merged until its first option has won; the newest vote counts", () => {
    const world = propose({
      binding: { effect: "merge", node: "n2-x" },
      options: ["merge", "wait"],
      voters: ["human"],
    });
    const merge = () => assertMergeable(world.state, "n2-x");
    expect(refusal(merge)).toBe("wrong_state: n2-x is being voted on (p1); wait for the result");
    assertMergeable(world.state, "n1-first");
    vote(world, { human: "wait" });
    expect(p1(world)).toMatchObject({ effect: "n2-x is not to be merged" });
    expect(refusal(merge)).toMatch(/^forbidden: n2-x is not to be merged: p1 gave wait/);
    const again = () =>
      world.tell({
        type: "proposal.create",
        text: "Now?",
        options: ["merge", "wait"],
        voters: ["human"],
        binding: { effect: "merge", node: "n2-x" },
      });
    again();
    world.tell({ type: "proposal.vote", proposal: "p2", voter: "human", option: "merge" });
    merge();
    again();
    expect(refusal(merge)).toMatch(/p3/);
    world.tell({ type: "proposal.withdraw", proposal: "p3" });
    merge();
  });

  test.each<[string, (world: World) => void, string]>([
    ["there is no result", (world) => vote(world, { human: "Alice", coordinator: "Bob" }), "there is no result"],
    [
      "the winner is retired by then",
      (world) => {
        world.tell({ type: "worker.retire", worker: "bob" });
        vote(world, { human: "Bob", coordinator: "Bob" });
      },
      "Bob is not there any more",
    ],
    [
      "the document is gone by then",
      (world) => {
        world.tell({ type: "document.remove", document: "plan.md" });
        vote(world, { human: "Bob", coordinator: "Bob" });
      },
      "there is no document plan.md any more",
    ],
  ])("changes nothing, and says so, if %s", (_, act, why) => {
    const world = propose({ binding: own, voters: ["human", "coordinator"] });
    act(world);
    expect(p1(world)).toMatchObject({ status: "settled", effect: `nothing changes: ${why}` });
    expect(world.state.documents.get("plan.md")?.owner ?? "alice").toBe("alice");
  });

  test("on a node that somebody does already changes nothing", () => {
    const world = propose({ binding: { effect: "assign", node: "n1-first" }, voters: ["human"] });
    expect(world.state.nodes.get("n1-first")).toMatchObject({ status: "assigned", worker: "alice" });
    vote(world, { human: "Bob" });
    expect(p1(world)).toMatchObject({ effect: "nothing changes: n1-first is assigned already" });
  });

  test.each<[Partial<Extract<CommandInput, { type: "proposal.create" }>>, string, RegExp]>([
    [{ rule: "majority", voters: ["bob"] }, "bob", /^forbidden: a binding vote is by everyone/],
    [
      { rule: "plurality" },
      "bob",
      /^forbidden: a binding vote is by everyone, each with one vote, and needs a majority/,
    ],
    [{ options: ["Alice", "Carol"] }, "human", /^invalid: the option "Carol" is not a participant/],
    [
      { binding: { effect: "own", document: "no.md" } },
      "human",
      /^not_found: there is no document no.md; documents: plan.md/,
    ],
    [{ binding: { effect: "assign", node: "n9-y" } }, "human", /^not_found/],
    [
      { binding: { effect: "assign", node: "n2-x" }, options: ["Alice", "human"] },
      "human",
      /^invalid: the option "human" is not a worker/,
    ],
    [{ rule: "majority", weights: { bob: 9 } }, "bob", /^forbidden: a binding vote is by everyone/],
    [{ binding: { effect: "merge", node: "n9-y" } }, "human", /^not_found/],
    [
      { binding: { effect: "budget", limit: { usd: 1 } }, options: ["yes", "no"], voters: ["alice", "bob"] },
      "human",
      /^invalid: a budget is the human's: include Human in the voters/,
    ],
  ])("%j by %s is refused", (given, actor, why) => {
    expect(refusal(() => propose({ binding: own, ...given } as never, actor))).toMatch(why);
  });

  test("of a worker takes effect when more than half of everyone agrees", () => {
    const world = propose({ binding: own, rule: "majority" }, "bob");
    expect(p1(world).voters).toEqual(["human", "coordinator", "alice", "bob"]);
    vote(world, { bob: "Bob", alice: "Alice", coordinator: "Bob" });
    expect([p1(world).status, world.state.documents.get("plan.md")?.owner]).toEqual(["open", "alice"]);
    vote(world, { human: "Bob" });
    expect(world.state.documents.get("plan.md")?.owner).toBe("bob");
  });

  test("says in the voters' inboxes what it would do", () => {
    const world = propose({ binding: own, voters: ["alice"] });
    expect(world.state.participants.get("alice")?.unread.at(-1)?.text).toBe(
      "p1: Who? (Alice / Bob) Binding: the winner will own plan.md.",
    );
  });
});

describe("a vote on the run itself", () => {
  const choose = (
    world: World,
    given: Omit<Extract<CommandInput, { type: "proposal.create" }>, "type">,
    actor = "human",
  ) => world.tell({ type: "proposal.create", rule: "majority", ...given }, actor);
  const yes = { options: ["yes", "no"], text: "?" };

  test("elects who leads where nobody does, once: what concerns the run goes there", () => {
    const world = leaderless({ kickoff: "@Rae hi" });
    choose(world, { text: "Who?", options: ["Rae", "Cody"], binding: { effect: "lead" } }, "rae");
    const events = vote(world, { human: "Cody", rae: "Cody" });
    expect(typesOf(events)).toContain("run.led");
    expect(p1(world)).toMatchObject({ effect: "Cody leads this run" });
    expect(world.all("run.led")).toHaveLength(1);
    expect([leads(world.state, "cody"), leads(world.state, "rae"), nextMover(world.state)]).toEqual([
      true,
      false,
      "cody",
    ]);
    world.restart();
    expect(nextMover(world.state)).toBe("cody");
    expect(
      refusal(() => choose(start(), { text: "?", options: ["Alice", "Bob"], binding: { effect: "lead" } })),
    ).toMatch("wrong_state: Coordinator leads this run");
  });

  test("changes the budget only with the human's vote, once", () => {
    const binding = { effect: "budget", limit: { usd: 9 } } as const;
    const without = start();
    choose(without, { ...yes, binding }, "alice");
    vote(without, { alice: "yes", bob: "yes", coordinator: "yes", human: "no" });
    expect(p1(without)).toMatchObject({ effect: "the budget stays as it is: the human has not voted for it" });
    expect(without.all("budget.set")).toEqual([]);

    const world = start();
    choose(world, { ...yes, binding }, "alice");
    vote(world, { alice: "yes", bob: "yes", coordinator: "yes" });
    expect(p1(world).status).toBe("open");
    vote(world, { human: "yes" });
    world.restart();
    expect(p1(world)).toMatchObject({ effect: "the budget of this run is $9" });
    expect(world.all("budget.set")).toHaveLength(1);
    expect(world.state.accounts.get("run")?.limit).toEqual({ usd: 9 });
    expect(refusal(() => choose(start(), { ...yes, binding, voters: ["alice"] }))).toMatch(
      "include Human in the voters",
    );
  });

  test("keeps it from being finished until the first option wins", () => {
    const world = start();
    const finish = { type: "run.finish", summary: "done" } as const;
    choose(world, { ...yes, voters: ["human"], binding: { effect: "release" } });
    expect(world.refused(finish, "coordinator")).toMatch("wrong_state: r1 is being voted on (p1)");
    vote(world, { human: "no" });
    expect(world.refused(finish, "coordinator")).toMatch("forbidden: r1 is not to be finished: p1 gave no");
    choose(world, { ...yes, voters: ["human"], binding: { effect: "release" } });
    world.tell({ type: "proposal.vote", proposal: "p2", voter: "human", option: "yes" });
    world.tell(finish, "coordinator");
    expect(world.state.run?.status).toBe("completed");
  });

  test("that refuses the release pauses a run that nobody leads instead of ending it", () => {
    const world = leaderless({ kickoff: "@Rae hi" });
    choose(world, { ...yes, voters: ["human"], binding: { effect: "release" } });
    world.say("rae", "ok");
    vote(world, { human: "no" });
    for (const one of ["rae", "cody"]) if (world.thinker(one).unread.length) world.say(one, "ok");
    world.rest();
    expect(world.state.agent).toMatchObject({
      status: "paused",
      reason: { message: expect.stringContaining("p1 gave no") },
    });
  });
});

test.each<[Binding, string]>([
  [own, "the winner will own plan.md"],
  [{ effect: "assign", node: "n1" }, "the winner will do n1"],
  [{ effect: "merge", node: "n1" }, "n1 is merged only if the first option wins"],
  [{ effect: "release" }, "the run is finished only if the first option wins"],
  [{ effect: "lead" }, "the winner will lead this run"],
  [
    { effect: "budget", limit: { usd: 9, tokens: 100 } },
    "the budget of this run will be $9, 100 tokens if the first option wins and the human votes for it",
  ],
  [
    { effect: "budget", limit: {} },
    "the budget of this run will be without a limit if the first option wins and the human votes for it",
  ],
])("those who vote read what %j means", (binding, text) => {
  expect(bindingText(binding)).toBe(text);
});

describe("a gate", () => {
  const binding: Binding = { effect: "merge", node: "n2-x" };
  const options = ["merge", "wait"];

  test("that more wanted closed, or that gave no result, is closed; one that was won by its first option is open, and says so", () => {
    const no = propose({ binding, options, voters: ["human"] });
    expect(isMergeApproved(no.state, "n2-x")).toBe(false);
    vote(no, { human: "wait" });
    expect(isMergeApproved(no.state, "n2-x")).toBe(false);

    const tie = propose({ binding, options, voters: ["human", "coordinator"] });
    vote(tie, { human: "merge", coordinator: "wait" });
    expect(p1(tie)).toMatchObject({ status: "settled", verdict: { result: "none" } });
    expect(isMergeApproved(tie.state, "n2-x")).toBe(false);
    expect(refusal(() => assertMergeable(tie.state, "n2-x"))).toMatch(
      /^forbidden: n2-x is not to be merged: p1 gave no result \(.+\)\. Put it to the vote again, or change it first$/,
    );

    const yes = propose({ binding, options, voters: ["human"] });
    vote(yes, { human: "merge" });
    expect(p1(yes)).toMatchObject({ effect: "n2-x may be merged" });
    expect(isMergeApproved(yes.state, "n2-x")).toBe(true);
    // It is of this node, and of merging: nothing else is approved by it.
    expect(isMergeApproved(yes.state, "n1-first")).toBe(false);
  });

  test("of who does a node is not one of merging it", () => {
    const world = propose({ binding: { effect: "assign", node: "n2-x" }, voters: ["human"] });
    assertMergeable(world.state, "n2-x");
    vote(world, { human: "Alice" });
    expect(isMergeApproved(world.state, "n2-x")).toBe(false);
  });

  test("of the run says what came of it", () => {
    for (const [option, effect] of [
      ["yes", "the run may be finished"],
      ["no", "the run is not to be finished"],
    ] as const) {
      const world = propose({ binding: { effect: "release" }, options: ["yes", "no"], voters: ["human"] });
      vote(world, { human: option });
      expect(p1(world)).toMatchObject({ effect });
    }
  });
});

test("the human may win, and a vote for who does it already changes nothing more", () => {
  const human = propose({ binding: own, options: ["Human", "Bob"], voters: ["human"] });
  vote(human, { human: "Human" });
  expect(human.state.documents.get("plan.md")?.owner).toBe("human");

  const world = propose({ binding: { effect: "assign", node: "n1-first" }, voters: ["human"] });
  vote(world, { human: "Alice" });
  expect(p1(world)).toMatchObject({ effect: "Alice does n1-first" });
  expect(world.all("node.wanted")).toEqual([]);
});

test("a budget that was voted down stays, and one without documents names none", () => {
  const world = propose({
    binding: { effect: "budget", limit: { usd: 9 } },
    options: ["yes", "no"],
    voters: ["human", "alice"],
  });
  vote(world, { human: "no", alice: "no" });
  expect(p1(world)).toMatchObject({ effect: "the budget stays as it is" });
  expect(world.all("budget.set")).toEqual([]);
  const empty = start();
  const create = { type: "proposal.create", text: "?", options: ["Alice", "Bob"], binding: own } as const;
  expect(empty.refused(create)).toBe("not_found: there is no document plan.md; documents: none");
});

test("a result that was not applied before its run ended stays so", () => {
  const world = propose({ binding: own, voters: ["human"] });
  world.tell({ type: "run.finish", summary: "s" });
  const settled = {
    ...p1(world),
    status: "settled",
    verdict: { result: "won", option: "Bob" },
    ended_at: "x",
    votes: {},
  };
  world.state.proposals.set("p1", settled as never);
  world.settle();
  expect(p1(world)).not.toHaveProperty("effect");
});

test("an election that was decided while the run got a coordinator changes nothing", () => {
  const world = leaderless({ kickoff: "@Rae hi" });
  world.tell({
    type: "proposal.create",
    ...{ text: "Who?", options: ["Rae", "Cody"], rule: "majority", binding: { effect: "lead" }, voters: ["human"] },
  } as CommandInput);
  world.state.participants.set("coordinator", start().thinker("coordinator"));
  vote(world, { human: "Cody" });
  expect(p1(world)).toMatchObject({ effect: "nothing changes: the run has a coordinator" });
  expect(world.all("run.led")).toEqual([]);
});
