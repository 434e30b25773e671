import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Trigger } from "../../schema/trigger.ts";
import { startTeam, type Team } from "../team.test-help.ts";

describe("triggers over HTTP", () => {
  let team: Team;
  beforeAll(async () => {
    team = await startTeam();
  });
  afterAll(async () => {
    await team.close();
    expect(team.faults).toEqual([]);
  });
  const make = (body: unknown, headers = {}) => team.ask(`POST ${team.at}/triggers`, body, headers);

  test("each type takes its own config, and is there afterwards", async () => {
    const given = {
      delayed: { delay_seconds: 3600 },
      at_time: { at: "2040-05-01T09:00:00+02:00" },
      scheduled: { cron: "30 9 * * 1-5", zone: "Europe/Berlin" },
      heartbeat: { interval_seconds: 3600 },
      on_event: { pattern: "node.*", filter: { node: "n1-first" } },
      on_idle: { idle_seconds: 600 },
    };
    for (const [type, config] of Object.entries(given)) {
      const { status, body } = await make({ type, config, action: "Look", missed: "skip" });
      expect(status, JSON.stringify(body)).toBe(201);
      expect(Trigger.parse(body)).toMatchObject({ schedule: { type, ...config }, missed: "skip", by: "human" });
      expect(body.action).toEqual({ type: "wake_agent", text: "Look" });
    }
    const { items } = (await team.ask(`GET ${team.at}/triggers`)).body;
    expect(items.map(({ schedule }: Trigger) => schedule.type)).toEqual(Object.keys(given));
  });

  test("nodes and people may be called as people call them; fires are made up for once unless said", async () => {
    const { body } = await make({
      type: "delayed",
      config: { delay_seconds: 600 },
      action: { type: "send_message", to: "Ada", text: "Well?" },
    });
    expect(body).toMatchObject({ action: { to: "ada" }, missed: "once" });
    const unknown = await make({
      type: "delayed",
      config: { delay_seconds: 600 },
      action: { type: "send_message", to: "Zoe", text: "x" },
    });
    expect(unknown.status).toBe(404);
  });

  test("what is misspelt, missing or of another type is refused by name", async () => {
    const bad: [unknown, RegExp][] = [
      [{ type: "delayed", config: { seconds: 5 }, action: "x" }, /config/],
      [{ type: "delayed", config: { delay_seconds: 5, zone: "UTC" }, action: "x" }, /zone/],
      [{ type: "sometimes", config: {}, action: "x" }, /type/],
      [{ type: "scheduled", config: { cron: "no" }, action: "x" }, /cron|no/],
      [{ type: "delayed", config: { delay_seconds: 60 }, action: "  " }, /action/],
      [{ type: "delayed", config: { delay_seconds: 60 }, action: { type: "explode" } }, /action/],
      [{ type: "delayed", config: { delay_seconds: 60 }, action: "x", mised: "skip" }, /mised/],
      [{ type: "delayed", config: { delay_seconds: 60 } }, /action/],
      [{}, /type/],
    ];
    for (const [body, said] of bad) {
      const answer = await make(body);
      expect([answer.status, answer.body.error.code], JSON.stringify(body)).toEqual([400, "invalid"]);
      expect(JSON.stringify(answer.body)).toMatch(said);
    }
  });

  test("the same key makes one trigger, and another body with it is refused", async () => {
    const body = { type: "delayed", config: { delay_seconds: 900 }, action: "Once" };
    const first = await make(body, { "idempotency-key": "k1" });
    const again = await make(body, { "idempotency-key": "k1" });
    expect(again.body.id).toBe(first.body.id);
    expect((await make({ ...body, action: "Twice" }, { "idempotency-key": "k1" })).status).toBe(422);
  });

  test("one that is cancelled stays in the list and may be cancelled again; an unknown one is named", async () => {
    const { id } = (await make({ type: "delayed", config: { delay_seconds: 900 }, action: "Never" })).body;
    for (let times = 0; times < 2; times++) {
      const { status, body } = await team.ask(`DELETE ${team.at}/triggers/${id}`);
      expect([status, body.status, body.ended_by]).toEqual([200, "cancelled", "human"]);
    }
    const unknown = await team.ask(`DELETE ${team.at}/triggers/t999`);
    expect([unknown.status, unknown.body.error.message]).toEqual([404, expect.stringContaining(id)]);
    expect((await team.ask(`DELETE ${team.at}/triggers/nonsense`)).status).toBe(400);
  });
});
