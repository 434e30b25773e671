import { afterAll, beforeAll, expect, test } from "vitest";
import { startTeam, type Team } from "../team.test-help.ts";

let team: Team;
const at = () => `${team.at}/suggestions`;
const suggestions = async () => (await team.ask(`GET ${team.at}/board`)).body.suggestions;

beforeAll(async () => {
  team = await startTeam();
  await team.runtime.send(team.agent, { type: "suggestion.make", by: "ada", text: "A fourth thing" }, { actor: "ada" });
});
afterAll(() => team.close());

test("a wish that cannot be is refused with what could be", async () => {
  const unknown = await team.ask(`POST ${at()}/sg9`, { decision: "add" });
  expect([unknown.status, unknown.body.error.code]).toEqual([404, "not_found"]);
  expect(unknown.body.error.message).toContain("open suggestions: sg1, sg2");
  const reason = await team.ask(`POST ${at()}/sg1`, { decision: "add", reason: "good" });
  expect([reason.status, reason.body.error.message]).toEqual([400, "reason is only allowed with dismiss"]);
  expect((await team.ask(`POST ${at()}/sg1`, { decision: "perhaps" })).status).toBe(400);
  expect((await suggestions()).map(({ status }: { status: string }) => status)).toEqual(["open", "open"]);
});

test("what is added is a node for who suggested it, and is decided once", async () => {
  const { status, body } = await team.ask(`POST ${at()}/sg1`, { decision: "add" });
  expect([status, body.status, body.as]).toEqual([200, "taken", "n3-look-at-a-third-thing"]);
  const { nodes } = (await team.ask(`GET ${team.at}/board`)).body;
  expect(nodes[2]).toMatchObject({ id: body.as, creator: "human", status: "pending" });
  expect(await team.runtime.read(team.agent, (state) => state.nodes.get(body.as))).toMatchObject({
    wanted_worker: "ada",
    suggestion: "sg1",
  });
  const again = await team.ask(`POST ${at()}/sg1`, { decision: "dismiss" });
  expect([again.status, again.body.error.code]).toEqual([409, "wrong_state"]);
});

test("what is dismissed is told to who suggested it; twice is the same", async () => {
  for (let time = 0; time < 2; time++) {
    const { status, body } = await team.ask(`POST ${at()}/sg2`, { decision: "dismiss", reason: "too early" });
    expect([status, body.status, body.reason]).toEqual([200, "dismissed", "too early"]);
  }
  expect(team.faults).toEqual([]);
});
