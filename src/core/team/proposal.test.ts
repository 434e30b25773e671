import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Proposal } from "../../schema/proposal.ts";
import { refusal, start, t0, type World } from "../core.test-help.ts";
import { verdict } from "./proposal.ts";

type Create = Parameters<typeof create>[1];

function create(
  world = start(),
  given: Partial<{
    options: string[];
    voters: string[];
    rule: Proposal["rule"]["rule"];
    quorum: number;
    tie: "none" | "first";
    expires_seconds: number;
  }> = {},
  actor = "alice",
) {
  world.tell({ type: "proposal.create", text: "Which?", options: ["a", "b", "c"], ...given }, actor);
  return world;
}

const p1 = (world: ReturnType<typeof start>) => world.state.proposals.get("p1")!;
const vote = (world: ReturnType<typeof start>, voter: string, option: string) =>
  world.tell({ type: "proposal.vote", proposal: "p1", voter, option }, voter);
/** Votes of alice, bob, coordinator and human, in this order; an empty place is no vote. */
const votes = (world: ReturnType<typeof start>, given: string) => {
  for (const [at, voter] of ["alice", "bob", "coordinator", "human"].entries()) {
    const option = given[at] ?? " ";
    if (option !== " " && p1(world).status === "open") vote(world, voter, option);
  }
};

describe("creating", () => {
  test("everyone who is not retired votes unless voters are named", () => {
    const world = start();
    world.tell({ type: "worker.retire", worker: "bob" });
    expect(p1(create(world))).toMatchObject({ by: "alice", voters: ["human", "coordinator", "alice"], status: "open" });
  });

  test("voters are found by name, each once", () => {
    expect(p1(create(start(), { voters: ["Bob", "@alice", "bob"] })).voters).toEqual(["bob", "alice"]);
  });

  test.each([
    [
      { options: ["Yes", "no", "yes "] },
      'invalid: the option "yes " is listed twice (case is ignored); options must differ',
    ],
    [{ voters: ["carol"] }, 'not_found: there is no participant "carol"; participants: Human, Coordinator, Alice, Bob'],
    [
      { voters: ["alice", "bob"], quorum: 3 },
      "invalid: a quorum of 3 cannot be met by 2 voters; at most 2 is possible",
    ],
  ] satisfies [Create, string][])("%j is refused", (given, why) => {
    expect(refusal(() => create(start(), given))).toBe(why);
  });

  test("a retired voter is refused by name", () => {
    const world = start();
    world.tell({ type: "worker.retire", worker: "bob" });
    expect(refusal(() => create(world, { voters: ["bob"] }))).toMatch(/^wrong_state: bob is retired/);
  });

  test("without an open run there is nothing to vote on", () => {
    const world = create();
    world.tell({ type: "run.finish", summary: "done" }, "coordinator");
    expect(refusal(() => create(world))).toMatch(/^wrong_state/);
    world.tell({ type: "run.start" });
    expect(world.state.proposals.size).toBe(0);
  });
});

describe("abstaining", () => {
  const rules = ["plurality", "majority", "unanimous"] as const;

  test.each(rules)("counts for the quorum, and is not a vote otherwise (%s)", (rule) => {
    const world = create(start(), { rule, quorum: 4 });
    votes(world, "aa");
    vote(world, "coordinator", "Abstain");
    expect(p1(world).status).toBe("open");
    vote(world, "human", "abstain");
    expect(p1(world)).toMatchObject({ status: "settled", verdict: { result: "won", option: "a" } });
  });

  test.each(rules)("by all gives no result (%s)", (rule) => {
    const world = create(start(), { rule, voters: ["alice", "bob"] });
    for (const voter of ["alice", "bob"]) vote(world, voter, "abstain");
    expect(p1(world)).toMatchObject({ status: "settled", verdict: { result: "none", why: "no_votes" } });
  });

  test("can be undone while others vote: nothing is settled early by it", () => {
    const world = create(start(), { rule: "majority" });
    vote(world, "alice", "a");
    vote(world, "bob", "abstain");
    vote(world, "coordinator", "abstain");
    expect(p1(world).status).toBe("open");
    vote(world, "bob", "b");
    vote(world, "human", "b");
    expect(p1(world)).toMatchObject({ verdict: { result: "won", option: "b" } });
  });

  test("is no option to be listed", () => {
    expect(refusal(() => create(start(), { options: ["yes", "Abstain"] }))).toBe(
      "invalid: everyone may abstain in any vote; leave it out of the options",
    );
  });
});

describe("voting", () => {
  test("only voters vote, for themselves, and for an option there is", () => {
    const world = create(start(), { voters: ["alice", "bob"] });
    expect(refusal(() => vote(world, "human", "a"))).toBe(
      "forbidden: human has no vote on p1; its voters are alice, bob",
    );
    expect(
      refusal(() => world.tell({ type: "proposal.vote", proposal: "p1", voter: "bob", option: "a" }, "alice")),
    ).toBe("forbidden: alice cannot vote on behalf of bob; participants vote only for themselves");
    expect(refusal(() => vote(world, "alice", "d"))).toBe(
      'invalid: p1 has no option "d"; its options are a / b / c / abstain',
    );
    expect(refusal(() => world.tell({ type: "proposal.vote", proposal: "p2", voter: "bob", option: "a" }, "bob"))).toBe(
      "not_found: there is no proposal p2; proposals: p1",
    );
  });

  test("a vote may be changed while the proposal is open, and the last one counts", () => {
    const world = create();
    vote(world, "alice", "a");
    vote(world, "alice", " B");
    expect(vote(world, "alice", "b")).toEqual([]);
    expect(p1(world).votes).toEqual({ alice: "b" });
  });

  test("a reason is kept with the vote it was given for", () => {
    const world = create();
    const because = (voter: string, option: string, reason?: string) =>
      world.tell({ type: "proposal.vote", proposal: "p1", voter, option, reason }, voter);
    vote(world, "bob", "a");
    expect(p1(world).reasons).toBeUndefined();
    because("alice", "a", "it is cheap");
    because("alice", "a", "it is cheaper");
    expect(p1(world).reasons).toEqual({ alice: "it is cheaper" });
    expect(vote(world, "alice", "a")).toEqual([]);
    expect(because("alice", "a", "it is cheaper")).toEqual([]);
    because("bob", "a", "so do I");
    because("alice", "b");
    expect(p1(world)).toMatchObject({ votes: { alice: "b", bob: "a" }, reasons: { bob: "so do I" } });
    expect(Object.keys(p1(world).reasons!)).toEqual(["bob"]);
  });

  test("a voter may be called constructor", () => {
    const world = start();
    world.tell({ type: "worker.spawn", name: "Constructor" }, "coordinator");
    create(world, { voters: ["constructor", "alice"] });
    vote(world, "alice", "a");
    expect(p1(world).status).toBe("open");
    vote(world, "constructor", "a");
    expect(p1(world)).toMatchObject({ status: "settled", verdict: { result: "won", option: "a" } });
  });

  test("a settled proposal takes no votes and cannot be withdrawn", () => {
    const world = create(start(), { voters: ["alice"] });
    vote(world, "alice", "a");
    expect(refusal(() => vote(world, "alice", "b"))).toBe("wrong_state: p1 is already settled; open proposals: none");
    expect(refusal(() => world.tell({ type: "proposal.withdraw", proposal: "p1" }, "alice"))).toMatch(
      /^wrong_state: p1 is already settled/,
    );
  });

  test("only its creator, the coordinator or the human withdraws a proposal", () => {
    for (const actor of ["alice", "coordinator", "human"]) {
      const world = create();
      expect(refusal(() => world.tell({ type: "proposal.withdraw", proposal: "p1" }, "bob"))).toBe(
        "forbidden: p1 was created by alice; only its creator, the coordinator or the human can withdraw it",
      );
      world.tell({ type: "proposal.withdraw", proposal: "p1" }, actor);
      expect(p1(world).status).toBe("withdrawn");
      expect(world.tell({ type: "proposal.withdraw", proposal: "p1" }, actor)).toEqual([]);
    }
  });
});

describe("the result", () => {
  const won = (option: string) => ({ result: "won", option });

  test.each([
    [{}, "aab ", "open"],
    [{}, "aabb", none("tie")],
    [{}, "aaa", won("a")],
    [{}, "aabc", won("a")],
    [{ tie: "first" }, "ccbb", won("b")],
    [{ quorum: 4 }, "aaa ", "open"],
    [{ rule: "majority" }, "aaa ", won("a")],
    [{ rule: "majority" }, "aa  ", "open"],
    [{ rule: "majority" }, "aabb", none("no_majority")],
    [{ rule: "majority", tie: "first" }, "aabb", none("no_majority")],
    [{ rule: "majority", quorum: 4 }, "aaa ", "open"],
    [{ rule: "unanimous" }, "aaa ", "open"],
    [{ rule: "unanimous" }, "ab  ", "open"],
    [{ rule: "unanimous" }, "aaab", none("not_unanimous")],
    [{ rule: "unanimous" }, "cccc", won("c")],
  ] satisfies [Create, string, unknown][])("with %j the votes %j are %j", (given, cast, result) => {
    const world = create(start(), given);
    votes(world, cast);
    const proposal = p1(world);
    expect(proposal.status === "settled" ? proposal.verdict : proposal.status).toEqual(result);
    if (proposal.status === "settled") expect(proposal.expired).toBe(false);
  });

  test.each([
    [{}, "", none("no_quorum")],
    [{ quorum: 0 }, "", none("no_votes")],
    [{ quorum: 3 }, "aa", none("no_quorum")],
    [{}, "aab", won("a")],
    [{}, "ab", none("tie")],
    [{ tie: "first" }, "ba", won("a")],
    [{ rule: "majority" }, "aa", none("no_majority")],
    [{ rule: "unanimous" }, "aaa", none("not_unanimous")],
    [{ rule: "unanimous", tie: "first", quorum: 0 }, "ab", none("not_unanimous")],
  ] satisfies [Create, string, unknown][])("expiry with %j and the votes %j gives %j", (given, cast, result) => {
    const world = create(start(), { ...given, expires_seconds: 60 });
    votes(world, cast);
    world.now = t0 + 59_999;
    expect(world.tick()).toEqual([]);
    expect(world.tell({ type: "proposal.expire", proposal: "p1" })).toEqual([]);
    world.now = t0 + 60_000;
    world.tick();
    expect(p1(world)).toMatchObject({ status: "settled", verdict: result, expired: true });
    expect(world.tell({ type: "proposal.expire", proposal: "p1" })).toEqual([]);
  });

  test("who is retired before voting is waited for no longer, but still counts as a voter", () => {
    const world = create(start(), { voters: ["alice", "bob"], rule: "majority" });
    vote(world, "alice", "a");
    expect(p1(world).status).toBe("open");
    world.tell({ type: "worker.retire", worker: "bob" });
    expect(p1(world)).toMatchObject({ status: "settled", verdict: none("no_majority") });
  });

  test("an ended run settles nothing and has nothing due", () => {
    const world = create(start(), { expires_seconds: 60 });
    world.tell({ type: "run.finish", summary: "done" }, "coordinator");
    world.now += 120_000;
    expect(world.tick()).toEqual([]);
    expect(world.tell({ type: "proposal.expire", proposal: "p1" })).toEqual([]);
  });
});

describe("properties", () => {
  const people = ["alice", "bob", "coordinator", "human"];
  const rule = fc.record({
    rule: fc.constantFrom("plurality" as const, "majority" as const, "unanimous" as const),
    quorum: fc.nat(4),
    tie: fc.constantFrom("none" as const, "first" as const),
  });
  const cast = fc.array(fc.tuple(fc.constantFrom(...people), fc.constantFrom("a", "b", "c")), { maxLength: 12 });

  test("no winner but the rule's, whatever is voted and whether or not it expires", () => {
    fc.assert(
      fc.property(rule, cast, fc.boolean(), (given, ballots, expires) => {
        const world = create(start(), { ...given, ...(expires ? { expires_seconds: 60 } : {}) });
        for (const [voter, option] of ballots) if (p1(world).status === "open") vote(world, voter, option);
        world.now += 60_000;
        world.tick();
        const proposal = p1(world);
        if (proposal.status !== "settled") {
          expect(expires).toBe(false);
          return;
        }
        const all = Object.values(proposal.votes);
        const count = (option: string) => all.filter((one) => one === option).length;
        const counts = proposal.options.map(count);
        const result = proposal.verdict;
        if (result.result === "none") {
          if (all.length === 4 && given.rule === "plurality" && given.tie === "first")
            throw new Error("a winner was withheld");
          return;
        }
        const got = count(result.option);
        expect(all.length).toBeGreaterThanOrEqual(given.quorum);
        expect(got).toBe(Math.max(...counts));
        if (given.rule === "majority") expect(got * 2).toBeGreaterThan(4);
        if (given.rule === "unanimous") expect(got).toBe(4);
        if (given.rule === "plurality" && counts.filter((one) => one === got).length > 1) {
          expect(given.tie).toBe("first");
          expect(counts.indexOf(got)).toBe(proposal.options.indexOf(result.option));
        }
      }),
    );
  });

  test("a proposal ends at most once and stays as it ended", () => {
    const step = fc.oneof(
      cast.map((ballots) => ({ do: "vote" as const, ballots })),
      fc.constant({ do: "expire" as const }),
      fc.constant({ do: "withdraw" as const }),
      fc.nat(90_000).map((by) => ({ do: "wait" as const, by })),
      fc.constant({ do: "restart" as const }),
    );
    fc.assert(
      fc.property(rule, fc.array(step, { maxLength: 8 }), (given, steps) => {
        const world = create(start(), { ...given, expires_seconds: 60 });
        let ended: Proposal | undefined;
        for (const one of steps) {
          if (one.do === "wait") world.now += one.by;
          if (one.do === "restart") world.restart();
          if (one.do === "expire") world.tell({ type: "proposal.expire", proposal: "p1" });
          if (one.do === "vote") {
            for (const [voter, option] of one.ballots) {
              if (p1(world).status === "open") vote(world, voter, option);
              else expect(refusal(() => vote(world, voter, option))).toMatch(/^wrong_state/);
            }
          }
          if (one.do === "withdraw" && p1(world).status !== "settled")
            world.tell({ type: "proposal.withdraw", proposal: "p1" });
          if (ended) expect(p1(world)).toEqual(ended);
          if (p1(world).status !== "open") ended = p1(world);
        }
        const ends = world.log.filter(({ type }) => type === "proposal.settled" || type === "proposal.withdrawn");
        expect(ends.length).toBe(ended ? 1 : 0);
      }),
    );
  });

  test("late events about an ended proposal change nothing", () => {
    const world = create(start(), { voters: ["alice"] });
    vote(world, "alice", "a");
    const before = p1(world);
    world.append({ type: "proposal.voted", data: { proposal: "p1", voter: "alice", option: "b" } });
    world.append({ type: "proposal.withdrawn", data: { proposal: "p1" } });
    world.append({
      type: "proposal.settled",
      data: { proposal: "p1", verdict: { result: "won", option: "b" }, expired: true },
    });
    expect(p1(world)).toBe(before);
  });

  test("the order of votes does not matter, except that a voter's last one counts", () => {
    fc.assert(
      fc.property(rule, cast, fc.infiniteStream(fc.nat()), (given, ballots, dice) => {
        const ballot = (all: [string, string][]) =>
          verdict({ options: ["a", "b", "c"], voters: people, rule: given, votes: Object.fromEntries(all) });
        const last = [...new Map(ballots)];
        const shuffled = last
          .map((one) => ({ one, key: dice.next().value as number }))
          .sort((x, y) => x.key - y.key)
          .map(({ one }) => one);
        expect(ballot(shuffled)).toEqual(ballot(ballots));
      }),
    );
  });

  test("votes of strangers and for options that are not there do not count", () => {
    const ballot = {
      options: ["a", "b"],
      voters: ["alice", "bob"],
      rule: { rule: "plurality", quorum: 1, tie: "first" },
      votes: { carol: "a", alice: "z" },
    } as const;
    expect(verdict({ ...ballot, options: [...ballot.options], voters: [...ballot.voters] })).toEqual(none("no_quorum"));
  });
});

const none = (why: string) => ({ result: "none", why });

describe("delegation", () => {
  const open = (more = {}) => {
    const world = start();
    world.tell({ type: "proposal.create", text: "Ship?", options: ["yes", "no"], rule: "majority", ...more });
    return world;
  };
  const delegate = (world: World, voter: string, to: string) =>
    world.tell({ type: "proposal.delegate", proposal: "p1", voter, to }, voter);
  const cast = (world: World, voter: string, option: string) =>
    world.tell({ type: "proposal.vote", proposal: "p1", voter, option }, voter);

  test("a voter counts for what the one it delegated to votes, also through another", () => {
    const world = open();
    delegate(world, "human", "Alice");
    delegate(world, "alice", "bob");
    expect(world.state.proposals.get("p1")).toMatchObject({ status: "open", votes: {} });
    cast(world, "bob", "yes");
    expect(world.state.proposals.get("p1")).toMatchObject({
      status: "settled",
      votes: { bob: "yes" },
      verdict: { result: "won", option: "yes" },
    });
  });

  test("ends when one votes oneself, and a vote ends when one delegates", () => {
    const world = open({ rule: "unanimous" });
    cast(world, "alice", "no");
    delegate(world, "alice", "bob");
    expect(world.state.proposals.get("p1")).toMatchObject({ votes: {}, delegations: { alice: "bob" } });
    cast(world, "alice", "yes");
    expect(world.state.proposals.get("p1")).toMatchObject({ votes: { alice: "yes" }, delegations: {} });
  });

  test("has no cycle, and only voters take part in it", () => {
    const world = open({ voters: ["alice", "bob", "human"] });
    delegate(world, "alice", "bob");
    expect(world.refused({ type: "proposal.delegate", proposal: "p1", voter: "bob", to: "alice" }, "bob")).toMatch(
      "invalid: alice votes as bob does",
    );
    expect(world.refused({ type: "proposal.delegate", proposal: "p1", voter: "human", to: "coordinator" })).toMatch(
      "forbidden: coordinator has no vote on p1",
    );
    expect(world.refused({ type: "proposal.delegate", proposal: "p1", voter: "bob", to: "human" }, "alice")).toMatch(
      "forbidden: alice cannot delegate on behalf of bob",
    );
  });

  test("to one that retires without a vote leaves nobody to wait for", () => {
    const world = open({ voters: ["alice", "bob"], rule: "plurality" });
    delegate(world, "alice", "bob");
    world.tell({ type: "worker.retire", worker: "bob" });
    expect(world.state.proposals.get("p1")).toMatchObject({
      status: "settled",
      verdict: { result: "none", why: "no_quorum" },
    });
  });
});

describe("weights, ties and reviews", () => {
  test("a weight counts as so many votes, but not for the quorum", () => {
    const world = start();
    const voters = ["alice", "bob", "human"];
    const given = { text: "?", options: ["a", "b"], voters, weights: { Alice: 3 } };
    world.tell({ type: "proposal.create", ...given, rule: "majority", quorum: 2 });
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "alice", option: "a" }, "alice");
    expect(world.state.proposals.get("p1")!.status).toBe("open");
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "bob", option: "b" }, "bob");
    expect(world.state.proposals.get("p1")).toMatchObject({ verdict: { result: "won", option: "a" } });
    expect(world.refused({ type: "proposal.create", ...given, voters: ["bob"] })).toMatch("weights: alice has no vote");
  });

  test("its creator's vote decides a tie if that is the rule", () => {
    const world = start();
    const given = { text: "?", options: ["a", "b"], voters: ["alice", "bob"], tie: "creator" as const };
    world.tell({ type: "proposal.create", ...given }, "bob");
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "alice", option: "a" }, "alice");
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "bob", option: "b" }, "bob");
    expect(world.state.proposals.get("p1")).toMatchObject({ verdict: { result: "won", option: "b" } });
  });

  test("a decision with a review date comes up again once, to the lead and the human", () => {
    const world = start();
    const given = { text: "Tabs?", options: ["yes", "no"], voters: ["human"], review_seconds: 86_400 };
    world.tell({ type: "proposal.create", ...given });
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "human", option: "yes" });
    expect(world.tick()).toEqual([]);
    world.now += 86_400_000;
    expect(world.tick().map(({ type }) => type)).toEqual(["proposal.review_due"]);
    for (const reader of ["human", "coordinator"])
      expect(world.state.participants.get(reader)!.unread.at(-1)!.text).toMatch(/^Look at p1 again: Tabs\? It was/);
    expect(world.tick()).toEqual([]);
  });
});
