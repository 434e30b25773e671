/** Reads along with the stream of each agent, from where it broke off; looks away now and then where agents may go to rest (I6, I16). */
import type { Event } from "../../src/schema/event.ts";
import type { Up } from "../host.ts";
import type { Actor, Company } from "./company.ts";

export interface Reader extends Actor {
  /** What the stream of each agent showed, in order. */
  readonly seen: ReadonlyMap<string, Event[]>;
  /** Whether everyone who reads along is shown what is durable (I16). */
  check(): void;
}

/** How long something durable may take to be shown. */
const promptMs = 100;

export function createReader({ sim, setup, fleet, witness, isCalm, dice: fork }: Company, agents: string[]): Reader {
  const { time } = sim;
  const dice = fork("reader");
  const seen = new Map<string, Event[]>(agents.map((agent) => [agent, []]));

  /** Who is read along with, and the first event that is durable and not shown yet. */
  const reading = new Map<string, { up: Up; missing?: { seq: number; since: number } }>();

  function check(): void {
    // A host that is cut off from a shared store cannot show what is there.
    if (fleet.hosts.length > 1) return;
    for (const [agent, place] of reading) {
      const shown = seen.get(agent)!.at(-1)?.seq ?? 0;
      const durable = place.up.runtime.opened(agent)?.live.durableSeq() ?? 0;
      if (durable <= shown) delete place.missing;
      else if (place.missing?.seq !== shown + 1) place.missing = { seq: shown + 1, since: time.mono() };
      else if (time.mono() - place.missing.since > promptMs)
        witness.violated("I16", `event ${shown + 1} of ${agent} was durable for ${promptMs} ms and not shown`);
    }
  }

  async function follow(agent: string): Promise<void> {
    const events = seen.get(agent)!;
    for (;;) {
      const up = fleet.owner(agent)?.up();
      if (up) {
        const over = new Promise<void>((resolve) => up.world.life.onEnd(resolve));
        const away = new AbortController();
        if (setup.restAfterMs !== undefined && !isCalm()) time.after(dice.int(4_000), () => away.abort());
        const stream = up.runtime.follow(agent, events.at(-1)?.seq ?? 0, away.signal);
        reading.set(agent, { up });
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
        reading.delete(agent);
      }
      await time.sleep(setup.restAfterMs === undefined || isCalm() ? 1_000 : dice.int(6_000));
    }
  }

  return { seen, check, meet: (agent) => void follow(agent) };
}
