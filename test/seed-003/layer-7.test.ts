/** Layer 7, proposals: a decision with a rule instead of talk without an end. */
import { expect, test } from "vitest";
import { call, openHouse, pair } from "./house.ts";

const params = { agent: "t" };
const propose = (more: object) => call("proposal_create", { question: "Ship it?", voters: ["Rae", "Cody"], ...more });
const vote = (choice: string) => call("vote", { proposal_id: "p1", choice, reason: `I say ${choice}.` });
const proposalOf = async (house: Awaited<ReturnType<typeof openHouse>>) =>
  (await house.client.listProposals({ params })).items[0]!;

test("agents propose, the voters are woken and vote, the result is in front of everybody, with reasons", async () => {
  const house = await openHouse({
    rae: [propose({ kind: "approval" }), vote("approve")],
    cody: [vote("approve")],
  });
  await house.client.createAgent(pair("@Rae decide."));
  await house.rest("t");
  expect(await proposalOf(house)).toMatchObject({
    status: "settled",
    verdict: { result: "won", option: "approve" },
    reasons: { rae: "I say approve.", cody: "I say approve." },
  });
  expect(house.told("cody")).toContain("p1: Ship it?");
  const heard = (model: string) =>
    house.asked(model).some((_, nth) => house.told(model, nth).includes("p1 is settled"));
  expect([heard("rae"), heard("cody")]).toEqual([true, true]);
});

test.each([
  ["election", ["Rae", "Cody"]],
  ["decision", ["yes", "no"]],
  ["approval", ["approve", "reject"]],
  ["assignment", ["Rae", "Cody"]],
])("a proposal is of the kind %s, with its usual options", async (kind, options) => {
  const house = await openHouse({ rae: [propose({ kind, deadline_seconds: 1_000 })] });
  await house.client.createAgent(pair("@Rae decide."));
  await expect.poll(async () => (await house.client.listProposals({ params })).items.length).toBe(1);
  expect(await proposalOf(house)).toMatchObject({ kind, options });
});

test.each([
  ["plurality", "approve", "abstain", { result: "won", option: "approve" }],
  ["majority", "approve", "reject", { result: "none" }],
  ["majority", "approve", "approve", { result: "won", option: "approve" }],
  ["unanimous", "approve", "reject", { result: "none", why: "not_unanimous" }],
  ["unanimous", "reject", "reject", { result: "won", option: "reject" }],
])("%s: %s and %s", async (rule, first, second, verdict) => {
  const house = await openHouse({ rae: [propose({ kind: "approval", rule }), vote(first)], cody: [vote(second)] });
  await house.client.createAgent(pair("@Rae decide."));
  await house.rest("t");
  expect(await proposalOf(house)).toMatchObject({ status: "settled", verdict });
});

test("without its quorum a proposal has no winner when it expires", async () => {
  const house = await openHouse({
    rae: [propose({ kind: "approval", quorum: 2, deadline_seconds: 2 }), vote("approve")],
  });
  await house.client.createAgent(pair("@Rae decide."));
  await expect.poll(async () => (await house.client.listProposals({ params })).items[0]?.status).toBe("settled");
  expect(await proposalOf(house)).toMatchObject({ expired: true, verdict: { result: "none", why: "no_quorum" } });
});

test("a binding proposal takes effect by the runtime, once; an advisory one changes nothing", async () => {
  const house = await openHouse({
    rae: [
      propose({ kind: "election", rule: "majority", voters: undefined, binding: { effect: "own", of: "plan.md" } }),
      vote("Cody"),
    ],
    cody: [vote("Cody")],
  });
  const documents = [{ name: "plan.md", text: "# Plan\n" }];
  await house.client.createAgent(pair("@Rae who owns the plan?", { documents }));
  await house.client.waitForAgent({ params, query: { seconds: 5, until: "question" } });
  await expect.poll(async () => Object.keys((await proposalOf(house))?.votes ?? {}).length).toBe(2);
  await house.client
    .voteOnProposal({ params: { ...params, proposal: "p1" }, body: { option: "Cody" } })
    .catch(() => undefined);
  await house.rest("t");
  expect((await house.client.listDocuments({ params })).items).toMatchObject([{ name: "plan.md", owner: "cody" }]);
  expect(house.events("t").filter(({ type }) => type === "proposal.applied")).toHaveLength(1);
});

test("people see a proposal among what needs them, vote, and are counted", async () => {
  const house = await openHouse({ rae: [propose({ kind: "approval", voters: ["Human"] })] });
  await house.client.createAgent(pair("@Rae ask for approval."));
  await expect.poll(async () => (await house.client.listProposals({ params })).items.length).toBe(1);
  await expect.poll(async () => JSON.stringify(await house.client.inbox({ query: {} }))).toContain("Ship it?");
  await house.client.voteOnProposal({
    params: { ...params, proposal: "p1" },
    body: { option: "reject", reason: "Not yet." },
  });
  await house.rest("t");
  expect(await proposalOf(house)).toMatchObject({
    verdict: { result: "won", option: "reject" },
    reasons: { human: "Not yet." },
  });
});
