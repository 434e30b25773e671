import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";
import { logOf, post, type Reading, read, rest } from "./streams.test-help.ts";

/** So many that places cannot name them all: they rest on a base, and on another one later. */
const agents = Array.from({ length: 36 }, (_, n) => `a${n + 1}`);

describe("the events of all agents", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    for (const name of agents) await server.ask("POST /agents", { goal: "Say little", name });
    await rest(server, ...agents);
  });
  afterAll(() => server.close());

  /** Every event of the home there is now, by agent. */
  async function logs(): Promise<Map<string, number[]>> {
    const all = new Map<string, number[]>();
    for (const agent of server.runtime.agents())
      all.set(
        agent,
        (await logOf(server, agent)).map(({ seq }) => seq),
      );
    return all;
  }

  const sum = (all: Map<string, number[]>) => [...all.values()].reduce((total, { length }) => total + length, 0);

  function byAgent(events: readonly { agent?: string; seq: number }[]): Map<string, number[]> {
    const all = new Map<string, number[]>();
    for (const { agent, seq } of events) all.set(agent!, [...(all.get(agent!) ?? []), seq]);
    return all;
  }

  const got = (count: number) => (reading: Reading) => reading.ids().length >= count;

  test("are exactly those of each, in its order, whether they were there or come; an agent that is made later joins", async () => {
    const reading = await read(server, "/events");
    await reading.until(got(sum(await logs())));
    for (const agent of agents) await post(server, agent);
    await server.ask("POST /agents", { goal: "Say little", name: "late" });
    await rest(server, ...agents, "late");
    const all = await logs();
    await reading.until(got(sum(all)));
    reading.close();
    expect(byAgent(reading.events())).toEqual(all);
    expect(Math.max(...reading.ids().map(({ length }) => length))).toBeLessThan(1_000);
    expect(readdirSync(join(server.home, "streams")).length).toBeGreaterThan(1);
  });

  test("go on after any of them without gap and without duplicate, also over restarts and from the middle of the past", async () => {
    let lives = 1;
    const run = fc.record({
      stop: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
      again: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ stop, again }) => {
        const seen: { agent?: string; seq: number }[] = [];
        let after = "0";
        for (const part of stop) {
          const total = sum(await logs()) - seen.length;
          if (total === 0) break;
          const reading = await read(server, "/events", { "last-event-id": after });
          const count = Math.max(1, Math.round(part * total));
          if (part > 0.5) await post(server, agents[Math.floor(part * 36) % 36]!, 2);
          await reading.until(got(count));
          reading.close();
          seen.push(...reading.events().slice(0, count));
          after = reading.ids()[count - 1]!;
          if (again === 3 && lives < 4) {
            lives++;
            await server.restart();
          }
        }
        const reading = await read(server, `/events?after=${encodeURIComponent(after)}`);
        for (const agent of agents.slice(0, again)) await post(server, agent);
        await rest(server, ...agents);
        const all = await logs();
        const left = sum(all) - seen.length;
        await reading.until(got(left));
        reading.close();
        expect(byAgent([...seen, ...reading.events()])).toEqual(all);
      }),
      { numRuns: 20, examples: [[{ stop: [0.2, 0.7], again: 3 }]] },
    );
    expect(lives).toBeGreaterThan(1);
  });

  test("come as pages that go over into a stream", async () => {
    await rest(server, ...agents);
    const all = await logs();
    const found: { agent: string; seq: number }[] = [];
    let after = "0";
    for (let next: string | null = "0"; next !== null; ) {
      const { body } = await server.ask(`GET /events?limit=100&after=${encodeURIComponent(next)}`);
      found.push(...body.items);
      next = body.next;
      after = body.after;
    }
    expect(byAgent(found)).toEqual(all);
    const reading = await read(server, `/events?after=${encodeURIComponent(after)}`);
    await post(server, "a7");
    await rest(server, "a7");
    const now = await logOf(server, "a7");
    await reading.until(got(now.length - all.get("a7")!.length));
    reading.close();
    expect(byAgent(reading.events())).toEqual(
      new Map([["a7", now.slice(all.get("a7")!.length).map(({ seq }) => seq)]]),
    );
  });

  test("from now on are only what is new", async () => {
    const reading = await read(server, "/events?after=now&types=message.posted");
    await post(server, "a3", 2, "only this");
    await reading.until(got(2));
    reading.close();
    expect(reading.events().map(({ agent, type }) => `${agent} ${type}`)).toEqual([
      "a3 message.posted",
      "a3 message.posted",
    ]);
  });
});
