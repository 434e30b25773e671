import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnContext } from "../../api/turn-context.ts";
import { startTeam, type Team } from "../team.test-help.ts";

describe("what a turn was shown", () => {
  let team: Team;
  beforeAll(async () => {
    team = await startTeam();
  });
  afterAll(() => team.close());

  const shown = async (query = "") => TurnContext.parse((await team.ask(`GET ${team.at}/context${query}`)).body);
  const part = ({ parts }: TurnContext, name: string) => parts.find((one) => one.name === name);

  test("is told part by part, with source, reason and tokens, which are together what the bill says", async () => {
    const first = await shown("?turn=coordinator.1");
    expect(first).toMatchObject({ turn: "coordinator.1", participant: "coordinator", run: "r1" });
    expect(part(first, "soul")).toMatchObject({ source: "SOUL.md", value: "always" });
    expect(part(first, "conversation")).toMatchObject({ source: "the log" });
    const { items } = (await team.ask(`GET ${team.at}/events?types=turn.started`)).body;
    const bill: Record<string, number> = items.find((one: { data: { turn: string } }) => one.data.turn === first.turn)
      .data.bill;
    expect(first.tokens).toBe(Object.values(bill).reduce((sum, tokens) => sum + tokens, 0));
  });

  test("says why each tool is in the prompt and which are one call away, also for turns in which nothing changed", async () => {
    const first = await shown("?turn=coordinator.1");
    const last = await shown("?turn=coordinator");
    expect(first.tools).toContainEqual({ name: "spawn_worker", why: "always" });
    expect(first.further).toContain("send_message");
    expect(last.turn).not.toBe(first.turn);
    expect(last.tools).toContainEqual({ name: "send_message", why: "there is a team" });
    expect(last.further).not.toContain("send_message");
    expect(part(last, "team")).toBeDefined();
    const ada = await shown("?turn=ada&run=r1");
    expect(ada).toMatchObject({ participant: "ada" });
    expect(part(ada, "node")).toMatchObject({ source: "_spec.md" });
  });

  test("of a turn that there is not is refused with the names that there are", async () => {
    const { status, body } = await team.ask(`GET ${team.at}/context?turn=coordinator.999`);
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain(
      "has no turn coordinator.999 yet; a turn is named PARTICIPANT.NUMBER, participants: coordinator",
    );
    expect((await team.ask(`GET ${team.at}/context?run=r9`)).status).toBe(404);
  });
});
