/**
 * Reads events through the door with the real client: of one agent and of all, sometimes slowly, over lost connections and restarts. Leaves now
 * and then, and comes back at its cursor or begins anew.
 *
 * Each stream gives every event after its place, once and in order (I16), and what it gave is what the log has (I6).
 */
import type { Client, Event } from "../../src/client/index.ts";
import { Problem } from "../../src/schema/problem.ts";
import { createCaller } from "../door.ts";
import { sameJson } from "../same.ts";
import type { Actor, Company } from "./company.ts";

export function createListener(company: Company): Actor {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("listener");
  /** By stream and agent. */
  const heard = new Map<string, Event[]>();

  async function listen(client: Client, agent: string | undefined): Promise<void> {
    const name = agent === undefined ? "all" : "one";
    let last = new Map<string, number>();
    let place: string | undefined;
    for (;;) {
      const from = { ...(agent === undefined ? {} : { agent }), ...(place === undefined ? {} : { after: place }) };
      try {
        for await (const { agent: whose, event, after } of client.events(from)) {
          place = after;
          const expected = (last.get(whose) ?? 0) + 1;
          if (event.seq !== expected)
            witness.violated("I16", `${whose}: the stream of ${name} gave ${event.seq} where ${expected} was next`);
          last.set(whose, event.seq);
          const events = heard.get(`${name} ${whose}`) ?? [];
          heard.set(`${name} ${whose}`, events);
          events[event.seq - 1] = event;
          if (!company.isCalm() && dice.chance(0.02)) break;
          if (!company.isCalm() && dice.chance(0.02)) await sim.time.sleep(dice.int(dice.chance(0.1) ? 90_000 : 2_000));
        }
      } catch (error) {
        // A place that is not known any more: from the beginning. An agent that is not there yet: again.
        if (!(error instanceof Problem)) throw error;
        witness.tell(agent ?? "a1", `the stream of ${name}: ${error.code} ${error.message}`);
        witness.count(`stream ${error.code}`);
        place = undefined;
      }
      if (dice.chance(0.3)) place = undefined;
      if (place === undefined) last = new Map();
      await sim.time.sleep(1_000);
    }
  }

  return {
    meet(agent) {
      if (!setup.visits || fleet.hosts.length > 1) return;
      const client = createCaller({ sim, fleet, dice, lost: () => 0 });
      const isFirst = heard.size === 0;
      // Who creates an agent may hear of it after the stream of all has told of it.
      for (const name of ["one", "all"]) if (!heard.has(`${name} ${agent}`)) heard.set(`${name} ${agent}`, []);
      void listen(client, agent);
      if (isFirst) void listen(client, undefined);
    },
    awaits() {
      for (const [stream, events] of heard) {
        const written = fleet.opened(stream.split(" ")[1]!)?.live.durableSeq() ?? 0;
        if (events.length < written) return `the stream of ${stream} is at ${events.length} of ${written}`;
      }
      return undefined;
    },
    judge(agent, { lines, written }) {
      for (const name of ["one", "all"]) {
        const events = heard.get(`${name} ${agent}`);
        if (!events) continue;
        for (const event of events) {
          const line = event && lines[event.seq - 1];
          if (event && !sameJson(line?.data, event.data))
            witness.violated("I6", `${agent}: ${event.seq} was told as ${event.type} and is now ${line?.type}`);
        }
        if (events.length < written)
          witness.violated("I16", `${agent}: the stream of ${name} ended at ${events.length} of ${written}`);
      }
    },
  };
}
