/** Wishes of workers, proposals and memory. */
import { hash, names, type Wish } from "./draws.test-help.ts";
import type { Makers } from "./wishes.test-help.ts";

export const teamWishes = {
  "membership.vote": (d) => ({ team: "twin", proposal: "p1", option: d.text() || "yes" }),
  "proposal.delegate": (d) => ({ proposal: "p1", voter: d.voter, to: d.actor() }),
  "proposal.review": () => ({ proposal: "p1" }),
  "worker.spawn": (d) => ({
    name: d.pick(...names),
    role: d.text(),
    kind: d.pick("harnessed", "autonomous"),
    ...d.program(),
    budget: d.some(0.3, d.limit()),
  }),
  "worker.retire": (d) => ({ worker: d.who() }),
  "worker.unpark": (d) => ({ worker: d.who(), reason: d.text() }),
  "insight.propose": (d) => ({
    by: d.who(),
    run: d.some(0.5, "r1"),
    node: d.maybe(0.3, d.live()),
    subject: d.pick("a", "b"),
    text: d.text() || "x",
    file: d.some(0.4, {
      path: d.pick("MEMORY.md", "memory/a.md"),
      sha256: hash(d.int(3)),
      base: d.pick(null, hash(1)),
    }),
  }),
  "insight.accept": (d, { insights }) => ({
    insight: d.known(insights.keys()),
    path: "memory/knowledge/a.md",
    outcome: d.pick("created", "superseded", "known"),
  }),
  "insight.decline": (d, { insights }) => ({ insight: d.known(insights.keys()), reason: d.text() || "no" }),
  "reflection.start": (d) => ({ node: d.maybe(0.5, d.live()), model: "m", reserve: d.amount() }),
  "reflection.end": (d, { reflections }) => ({
    proposed: d.int(3),
    cost: d.some(0.5, reflections.open?.reserved ?? { usd: 0, tokens: 0 }),
  }),
  "proposal.create": (d, { documents, nodes }) => ({
    text: d.text(),
    options: d.chance() < 0.7 ? ["yes", "no", "x"] : d.pick([d.who(), d.who()], ["a", "A"], ["ß", "SS", "x"], ["one"]),
    binding: d.some(
      0.3,
      d.pick<Wish>(
        { effect: "own", document: d.known(documents.keys()) },
        { effect: "assign", node: d.known(nodes.keys()) },
        { effect: "merge", node: d.known(nodes.keys()) },
      ),
    ),
    voters: d.some(0.4, [d.actor(), d.actor()]),
    rule: d.pick("plurality", "majority", "unanimous"),
    quorum: d.chance() < 0.9 ? d.int(3) : 9,
    expires_seconds: d.some(0.5, d.pick(60, 3_153_600_000)),
  }),
  "proposal.vote": (d, { proposals }) => ({
    proposal: d.known(proposals.keys()),
    voter: d.voter,
    option: d.pick("yes", "NO", "x", "abstain", d.who()),
    reason: d.some(0.3, d.text()),
  }),
  "proposal.expire": (d, { proposals }) => ({ proposal: d.known(proposals.keys()) }),
  "proposal.withdraw": (d, { proposals }) => ({ proposal: d.known(proposals.keys()) }),
  "memory.ask": (d) => ({ by: "other", participant: "coordinator", question: d.text() || "?", notes: [] }),
  "memory.record": (d) => ({ participant: d.who(), path: "memory/a.md", outcome: d.pick("created", "appended") }),
} satisfies Partial<Makers>;
