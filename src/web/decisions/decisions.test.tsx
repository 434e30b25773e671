/** What an agent decides, drawn from states and events. */
import { describe, expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { leaderless } from "../../core/leaderless.test-help.ts";
import type { Proposal } from "../../schema/proposal.ts";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { needsOf } from "../needs/queue.ts";
import { threadOf } from "../talk/thread.ts";
import { CastVote } from "./cast-vote.tsx";
import { decisionsOf, found, titleOf } from "./decisions.ts";
import { bindingOf, Follows, isAboutPeople } from "./follows.tsx";
import { effectOf, outcomeOf, ruleWords, scoreOf, standing, tallyOf } from "./tally.ts";
import { VoteBody } from "./vote-body.tsx";
import { createVotes, voteIn } from "./votes.ts";

type World = ReturnType<typeof start>;
const vote = (world: World, voter: string, option: string, reason?: string, proposal = "p1") =>
  world.tell({ type: "proposal.vote", proposal, voter, option, reason }, voter);
const p1 = ({ state }: World): Proposal => state.proposals.get("p1")!;

/** Alice, Bob, the coordinator and the human vote. */
function voting(more: object = {}) {
  const world = start();
  const text = "How do we **compare** chips?\n\nThe ranking flips between the two.";
  world.tell({ type: "proposal.create", text, options: ["Equal batch", "Each at its best"], ...more }, "alice");
  return world;
}

const ignore = () => undefined;

describe("what follows from a vote", () => {
  test.each([
    ["", "", undefined, false],
    ["own my plan.md", "", { effect: "own", document: "my plan.md" }, true],
    ["assign n1-x", "", { effect: "assign", node: "n1-x" }, true],
    ["merge n1-x", "", { effect: "merge", node: "n1-x" }, false],
    ["lead", "", { effect: "lead" }, true],
    ["release", "", { effect: "release" }, false],
    ["budget", "12.5", { effect: "budget", limit: { usd: 12.5 } }, false],
    ["budget", "", undefined, false],
  ] as const)("%j with %j dollars", (value, usd, binding, people) => {
    expect(bindingOf(value, usd)).toEqual(binding);
    expect(isAboutPeople(bindingOf(value, usd))).toBe(people);
  });

  test("a run that somebody leads elects no one, and every run can be released or be given a budget by a vote", async () => {
    const words = async (world: World) =>
      wordsOf(await draw(<Follows state={world.state} value="budget" change={ignore} usd="" changeUsd={ignore} />));
    expect(await words(start())).not.toContain("The winner leads this run");
    const nobody = await words(leaderless());
    for (const one of ["The winner leads this run", "finished only with option 1", "New budget in dollars"])
      expect(nobody).toContain(one);
  });
});

describe("a vote that was given to another", () => {
  test("says whose it is, and what that one has chosen", async () => {
    const world = voting();
    const cast = async () =>
      wordsOf(await draw(<CastVote agent="a1" state={world.state} vote={voteIn("r1", p1(world))} />));
    expect(await cast()).toContain("or let another voter decide");
    world.tell({ type: "proposal.delegate", proposal: "p1", voter: "human", to: "bob" });
    expect(await cast()).toContain("You vote as Bob : not voted yet");
    expect(wordsOf(await draw(<VoteBody state={world.state} vote={voteIn("r1", p1(world))} />))).toMatch(
      /Delegated .*votes as Bob does/,
    );
    vote(world, "bob", "Equal batch");
    expect(await cast()).toContain("You vote as Bob : Equal batch");
    expect(standing(p1(world))).toBe("Equal batch leads, 2 of 4 have voted");
  });

  test("cannot be given to one who votes as the human does", async () => {
    const world = voting({ voters: ["human", "bob"] });
    world.tell({ type: "proposal.delegate", proposal: "p1", voter: "bob", to: "human" }, "bob");
    const html = wordsOf(await draw(<CastVote agent="a1" state={world.state} vote={voteIn("r1", p1(world))} />));
    expect(html).toContain("Your vote");
    expect(html).not.toContain("let another voter decide");
  });
});

test("a decision says when it is to be looked at again, and that it is time", async () => {
  const world = voting({ review_seconds: 3_600, voters: ["alice"] });
  const body = async () => wordsOf(await draw(<VoteBody state={world.state} vote={voteIn("r1", p1(world))} />));
  expect(await body()).toContain("To be looked at again on");
  vote(world, "alice", "Equal batch");
  world.append({ type: "proposal.review_due", data: { proposal: "p1" } });
  expect(await body()).toContain("Look at it again: its review was set for");
});

describe("a vote in words", () => {
  test.each([
    [{}, "Most votes of 4 win"],
    [{ tie: "first" }, "Most votes of 4 win, a tie goes to the earlier option"],
    [{ rule: "majority", quorum: 3, tie: "first" }, "Majority of 4, quorum 3"],
    [{ rule: "unanimous" }, "All 4 must agree"],
    [{ rule: "unanimous", voters: ["human"] }, "One vote decides"],
  ])("the rule of %j is %j", (given, words) => {
    expect(ruleWords(p1(voting(given)))).toBe(words);
  });

  test("it stands as the votes are, and each option says what it lacks", () => {
    const world = voting({ rule: "majority" });
    expect(standing(p1(world))).toBe("nobody has voted yet");
    vote(world, "alice", "Equal batch");
    expect(standing(p1(world))).toBe("Equal batch leads, 1 of 4 has voted");
    vote(world, "bob", "Each at its best");
    expect(standing(p1(world))).toBe("tied, 2 of 4 have voted");
    expect(tallyOf(p1(world)).map(({ words }) => words)).toEqual(["1 of 3 needed", "1 of 3 needed"]);
    expect(tallyOf(p1(voting())).map(({ words }) => words)).toEqual(["0 votes", "0 votes"]);
  });

  test("what the human's vote would do is what it does", () => {
    const world = voting({ rule: "majority" });
    for (const voter of ["alice", "bob"]) vote(world, voter, "Equal batch");
    expect(effectOf(world.state, p1(world), "Equal batch")).toBe("settles it: Equal batch");
    expect(effectOf(world.state, p1(world), "Each at its best")).toBe("then 3 of 4 have voted");
    vote(world, "coordinator", "Each at its best");
    expect(effectOf(world.state, p1(world), "Each at its best")).toBe("settles it: no majority, nothing is decided");
    vote(world, "human", "Each at its best");
    expect(outcomeOf(p1(world))).toEqual({ decided: false, words: "No majority, so nothing was decided" });
    expect(scoreOf(p1(world))).toBe("4 voted");
  });

  test("who abstains is counted for the quorum, needs no majority, and is on no side", () => {
    const world = voting({ rule: "majority" });
    vote(world, "bob", "abstain");
    expect(standing(p1(world))).toBe("nothing is chosen, 1 of 4 has voted");
    expect(tallyOf(p1(world)).map(({ words }) => words)).toEqual(["0 of 2 needed", "0 of 2 needed"]);
    vote(world, "alice", "Equal batch");
    vote(world, "coordinator", "Each at its best");
    expect(effectOf(world.state, p1(world), "Equal batch")).toBe("settles it: Equal batch");
    vote(world, "human", "Equal batch");
    expect([p1(world).status, scoreOf(p1(world))]).toEqual(["settled", "2 to 1"]);
  });

  test("a result says by how many", () => {
    const world = voting();
    for (const voter of ["alice", "bob", "human"]) vote(world, voter, "Equal batch");
    expect([outcomeOf(p1(world)), scoreOf(p1(world))]).toEqual([{ decided: true, words: "Equal batch" }, "3 to 0"]);
  });
});

describe("votes from events", () => {
  test("are what the state has of the run, with times and reasons; a changed vote counts once, last", () => {
    const world = voting();
    vote(world, "alice", "Equal batch", "It is fair.");
    world.now += 60_000;
    vote(world, "bob", "Equal batch");
    vote(world, "alice", "Each at its best");
    const votes = createVotes();
    for (const event of world.log) votes.take(event);
    const [only] = votes.all();
    expect(only).toMatchObject({ key: "r1/p1", run: "r1", proposal: p1(world) });
    expect(only!.ballots).toEqual([
      { voter: "bob", option: "Equal batch", at: "2026-01-01T00:01:00.000Z" },
      { voter: "alice", option: "Each at its best", at: "2026-01-01T00:01:00.000Z" },
    ]);
  });

  test("decisions of earlier runs stay, open votes come first, and the human's answers are decisions too", () => {
    const world = voting({ voters: ["alice"] });
    vote(world, "alice", "Equal batch", "A number means the same only if the setting is the same.");
    world.tell({ type: "question.ask", by: "bob", text: "Which colour?" }, "bob");
    world.tell({ type: "question.answer", answer: "Blue" });
    world.tell({ type: "run.finish", summary: "done" }, "coordinator");
    world.now += 1_000;
    world.tell({ type: "run.start" });
    expect(world.state.proposals.size).toBe(0);
    world.tell({ type: "proposal.create", text: "Another?", options: ["Yes", "No"] });
    const all = decisionsOf(world.log);
    expect(all.map(({ key }) => key)).toEqual(["r2/p1", "r1/q1", "r1/p1"]);
    expect(found(all, "Why do we compare phones?").map(titleOf)).toEqual([]);
    expect(found(all, "Why do we compare chips at the same setting?").map(titleOf)).toEqual([
      "How do we compare chips?",
    ]);
    expect(found(all, "same setting").map(({ key }) => key)).toEqual(["r1/p1"]);
    expect(found(all, "why is it BLUE?").map(({ key }) => key)).toEqual(["r1/q1"]);
    expect(found(all, "why do we").length).toBe(3);
  });
});

describe("a vote as it is shown", () => {
  const shown = (world: World, part: "body" | "cast", held: readonly object[] = []) => {
    const given = { agent: "chips", state: world.state, vote: voteIn("r1", p1(world)) };
    const one = part === "body" ? <VoteBody {...given} /> : <CastVote {...given} />;
    return draw(one, { states: [world.state], held: held as never });
  };

  test("says who chose what and why, who has not voted, and what came of it", async () => {
    const world = voting({ rule: "majority", quorum: 3 });
    vote(world, "alice", "Equal batch", "It is fair.");
    vote(world, "bob", "Equal batch");
    const open = await shown(world, "body");
    expect(wordsOf(open)).toContain("How do we compare chips? The ranking flips between the two.");
    expect(wordsOf(open)).toContain("1 missing for the quorum");
    expect(wordsOf(open)).toMatch(
      /1 Equal batch 2 of 3 needed A Alice It is fair\. B Bob gave no reason 2 Each at its/,
    );
    expect(open).toContain('aria-label="voted: Alice, Bob; not yet: You, Coordinator"');
    vote(world, "coordinator", "Equal batch");
    const settled = wordsOf(await shown(world, "body"));
    expect(settled).toMatch(/Equal batch \d\d:\d\d/);
    expect(settled).toContain("3 of 4 voted");
  });

  test("a binding vote says what it will do, and then what it did; who abstained stands apart", async () => {
    const world = start();
    world.tell({ type: "document.write", document: "plan.md", sha256: "a".repeat(64), size: 3 }, "alice");
    const binding = { effect: "own", document: "plan.md" } as const;
    world.tell({ type: "proposal.create", text: "Whose?", options: ["Alice", "Bob"], rule: "majority", binding });
    expect(wordsOf(await shown(world, "body"))).toContain("Binding the winner will own plan.md");
    vote(world, "coordinator", "abstain", "I do not read it.");
    for (const voter of ["alice", "bob", "human"]) vote(world, voter, "Bob");
    expect(world.state.documents.get("plan.md")?.owner).toBe("bob");
    const words = wordsOf(await shown(world, "body"));
    expect(words).toContain("Binding Bob owns plan.md");
    expect(words).toMatch(/Abstained Coordinator I do not read it\.$/);
    expect(found(decisionsOf(world.log), "why does bob own plan.md").length).toBe(1);
  });

  test("the human votes once asked, may change it, and can take it back while it is held", async () => {
    const world = voting();
    expect(wordsOf(await shown(world, "cast"))).toMatch(
      /^Your vote 1 Equal batch 2 Each at its best 3 Abstain R Vote ↵ or let another voter decide: Vote as … Coordinator Alice Bob$/,
    );
    const { id: question, created_at: asked_at } = p1(world);
    const held = { key: "k", batch: "b", agent: "chips", question, asked_at, words: "Equal batch", due: 0 };
    expect(wordsOf(await shown(world, "cast", [held]))).toMatch(/^You vote: Equal batch .* Undo Send now$/);
    vote(world, "human", "Equal batch");
    expect(wordsOf(await shown(world, "cast"))).toBe("You voted: Equal batch Change");
    expect(await shown(voting({ voters: ["alice"] }), "cast")).toBe("");
  });

  test("an open vote of the human needs them until they voted, the soonest deadline first", () => {
    const world = voting();
    world.now += 1_000;
    world.tell({ type: "question.ask", by: "bob", text: "Which colour?" }, "bob");
    const soon = { text: "Soon?", options: ["Yes", "No"], expires_seconds: 60 };
    world.tell({ type: "proposal.create", ...soon }, "bob");
    const titles = () => needsOf([], [["chips", world.state]]).map(({ kind, title }) => `${kind}: ${title}`);
    expect(titles()).toEqual(["vote: Soon?", "vote: How do we compare chips?", "question: Which colour?"]);
    vote(world, "human", "Yes", undefined, "p2");
    // A new state is what the page is told of.
    world.restart();
    expect(titles()).toEqual(["vote: How do we compare chips?", "question: Which colour?"]);
  });
});

test("a thread has the vote where it was proposed, and it changes there; a worker's thread has its own only", () => {
  const world = leaderless({ kickoff: "@Rae please review" });
  world.tell({ type: "proposal.create", text: "Merge?", options: ["Yes", "No"], voters: ["rae", "cody"] }, "rae");
  world.say("rae", "@Cody please vote.");
  world.tell({ type: "proposal.vote", proposal: "p1", voter: "rae", option: "Yes" }, "rae");
  world.tell({ type: "proposal.vote", proposal: "p1", voter: "cody", option: "Yes", reason: "It passes." }, "cody");
  const votes = (of: string) => threadOf(world.log, { of }).filter(({ kind }) => kind === "vote");
  expect(votes("channel")).toMatchObject([
    { by: "rae", vote: { proposal: { status: "settled" }, ballots: [{ voter: "rae" }, { reason: "It passes." }] } },
  ]);
  const items = threadOf(world.log, { of: "channel" });
  expect(items.findIndex(({ kind }) => kind === "vote")).toBeLessThan(items.length - 1);
  expect([votes("rae").length, votes("cody").length]).toEqual([1, 0]);
});
