import { expect, test } from "vitest";
import { runSeed } from "./seed.ts";

const together = (seed: number, hosts: 2 | 3) =>
  runSeed(seed, { with: { hosts, pauses: 4, crashes: 2, chaosMs: 20_000 } });

test.each([2, 3] as const)(
  "%i hosts take over from each other, zombies are fenced, and every promise holds",
  async (hosts) => {
    const happened: Record<string, number> = {};
    for (let seed = 1; seed <= 40; seed++) {
      const { violations, injected } = await together(seed, hosts);
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      for (const [name, times] of Object.entries(injected)) happened[name] = (happened[name] ?? 0) + times;
    }
    expect(happened).toMatchObject({
      takeover: expect.any(Number),
      zombie: expect.any(Number),
      fenced: expect.any(Number),
    });
  },
);

test("several hosts take the same course each time", async () => {
  const [once, again] = [await together(7, 3), await together(7, 3)];
  expect(again.trace).toBe(once.trace);
});
