/** Reads along with the stream of each agent, from where it broke off; looks away now and then where agents may go to rest (I6, I16). */
import type { Event } from "../../src/schema/event.ts";
import type { Actor, Company } from "./company.ts";

export interface Reader extends Actor {
  /** What the stream of each agent showed, in order. */
  readonly seen: ReadonlyMap<string, Event[]>;
}

export function createReader({ sim, setup, fleet, witness, isCalm, dice: fork }: Company, agents: string[]): Reader {
  const { time } = sim;
  const dice = fork("reader");
  const seen = new Map<string, Event[]>(agents.map((agent) => [agent, []]));

  async function follow(agent: string): Promise<void> {
    const events = seen.get(agent)!;
    for (;;) {
      const up = fleet.owner(agent)?.up();
      if (up) {
        const over = new Promise<void>((resolve) => up.world.life.onEnd(resolve));
        const away = new AbortController();
        if (setup.restAfterMs !== undefined && !isCalm()) time.after(dice.int(4_000), () => away.abort());
        const stream = up.runtime.follow(agent, events.at(-1)?.seq ?? 0, away.signal);
        for (;;) {
          const next = await Promise.race([stream.next().catch(() => undefined), over]);
          if (!next || next.done) break;
          for (const event of next.value) {
            const expected = (events.at(-1)?.seq ?? 0) + 1;
            if (event.seq !== expected)
              witness.violated("I16", `the stream of ${agent} gave ${event.seq} where ${expected} was next`);
            events.push(event);
          }
        }
      }
      await time.sleep(setup.restAfterMs === undefined || isCalm() ? 1_000 : dice.int(6_000));
    }
  }

  return { seen, meet: (agent) => void follow(agent) };
}
