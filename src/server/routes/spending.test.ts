import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Spending } from "../../api/spending.ts";
import { startTeam, type Team } from "../team.test-help.ts";

describe("what was spent", () => {
  let team: Team;
  beforeAll(async () => {
    team = await startTeam();
  });
  afterAll(() => team.close());

  const rows = async (query = ""): Promise<Spending[]> =>
    (await team.ask(`GET ${team.at}/spending${query}`)).body.items;
  const sum = (all: Spending[]) => all.reduce((total, { usd }) => total + usd, 0);

  test("is told by run, day, worker, node and model, and is together what the accounts say", async () => {
    const all = await rows();
    const { body: cost } = await team.ask(`GET ${team.at}/cost`);
    expect(sum(all)).toBeCloseTo(cost.usd, 8);
    const { items: answered } = (await team.ask(`GET ${team.at}/events?types=turn.answered`)).body;
    expect(answered.length).toBeGreaterThan(3);
    expect(all.reduce((total, { calls }) => total + calls, 0)).toBe(answered.length);
    expect(sum(all.filter(({ node }) => node === "n1-first"))).toBe(0.25);
    expect(sum(all.filter(({ worker }) => worker === "coordinator"))).toBe(0.5);
    for (const [day, { usd }] of Object.entries<{ usd: number }>(cost.by.day))
      expect(sum(all.filter((row) => row.day === day))).toBeCloseTo(usd, 8);
    expect(all.every(({ run }) => run === "r1")).toBe(true);
  });

  test("comes in pages, of one run if asked, and is read on where it was: nothing counts twice", async () => {
    const all = await rows();
    const one = (await team.ask(`GET ${team.at}/spending?limit=1`)).body;
    expect(one.items).toEqual(all.slice(0, 1));
    expect((await team.ask(`GET ${team.at}/spending?limit=1&cursor=${one.next}`)).body.items).toEqual(all.slice(1, 2));
    expect(await rows("?run=r9")).toEqual([]);
    const [a, b] = await Promise.all([rows(), rows()]);
    expect(a).toEqual(all);
    expect(b).toEqual(all);
    expect((await team.ask("GET /agents/nobody/spending")).status).toBe(404);
  });
});
