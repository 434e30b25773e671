import { afterAll, beforeAll, expect, test } from "vitest";
import { startTeam, type Team } from "../team.test-help.ts";

let team: Team;
const at = () => `${team.at}/proposals`;
const which = { text: "Which way?", options: ["Left", "Right"], voters: ["human", "ada"], rule: "unanimous" };

beforeAll(async () => {
  team = await startTeam();
});
afterAll(() => team.close());

test("the human proposes, votes with a reason and changes the vote; the last one counts", async () => {
  const made = await team.ask(`POST ${at()}`, which);
  expect([made.status, made.body]).toMatchObject([201, { id: "p1", by: "human", status: "open", votes: {} }]);
  expect((await team.ask(`POST ${at()}/p1/vote`, { option: "Left", reason: "It is near." })).body).toMatchObject({
    votes: { human: "Left" },
    reasons: { human: "It is near." },
  });
  const changed = await team.ask(`POST ${at()}/p1/vote`, { option: "right" });
  expect(changed.body).toMatchObject({ status: "open", votes: { human: "Right" } });
  const vote = { type: "proposal.vote", proposal: "p1", voter: "ada", option: "Right" } as const;
  await team.runtime.send(team.agent, vote, { actor: "ada" });
  expect((await team.ask(`GET ${at()}`)).body.items).toMatchObject([
    { status: "settled", verdict: { result: "won", option: "Right" } },
  ]);
  const late = await team.ask(`POST ${at()}/p1/vote`, { option: "Left" });
  expect([late.status, late.body.error.code]).toEqual([409, "wrong_state"]);
});

test("what cannot be is refused with what could be, and a withdrawn one stays withdrawn", async () => {
  expect((await team.ask(`POST ${at()}`, { ...which, options: ["Left"] })).status).toBe(400);
  const { body } = await team.ask(`POST ${at()}`, { ...which, voters: ["ada"] });
  const foreign = await team.ask(`POST ${at()}/${body.id}/vote`, { option: "Left" });
  expect([foreign.status, foreign.body.error.message]).toEqual([403, "human has no vote on p2; its voters are ada"]);
  for (let time = 0; time < 2; time++)
    expect((await team.ask(`POST ${at()}/p2/withdraw`, {})).body).toMatchObject({ id: "p2", status: "withdrawn" });
  expect((await team.ask(`POST ${at()}/p9/withdraw`, {})).body.error.message).toContain("proposals: p1, p2");
  expect(team.faults).toEqual([]);
});
