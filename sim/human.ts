/** All people of a seed together: who takes part in it, and what they were told. One kind of person is one file of people/. */
import type { Event } from "../src/schema/event.ts";
import type { Fleet } from "./fleet.ts";
import { createClis } from "./people/cli.ts";
import { type Actor, type Company, createCompany, type Evidence } from "./people/company.ts";
import { createAgents } from "./people/creator.ts";
import { createCustomer } from "./people/customer.ts";
import { createEditor } from "./people/editor.ts";
import { createHelper } from "./people/helper.ts";
import { createListener } from "./people/listener.ts";
import { createMeddler } from "./people/meddler.ts";
import { createMover } from "./people/mover.ts";
import { createOwner } from "./people/owner.ts";
import { createPrograms } from "./people/program.ts";
import { createReader } from "./people/reader.ts";
import { createUploader } from "./people/uploader.ts";
import { createVisitor } from "./people/visitor.ts";
import type { Setup } from "./setup.ts";
import type { Witness } from "./witness.ts";
import type { SimWorld } from "./world.ts";

export interface Human extends Pick<Company, "acked" | "calm" | "retries"> {
  /** What somebody is still to be told, if so. */
  awaits(): string | undefined;
  /** What the stream of each agent showed, in order. */
  readonly seen: ReadonlyMap<string, Event[]>;
  /** Between any two events: whoever reads along is shown what is durable. */
  check(): void;
  /** What each of them was told is so. */
  judge(agent: string, evidence: Evidence): Promise<void>;
}

export function createHuman(sim: SimWorld, setup: Setup, fleet: Fleet, agents: string[], witness: Witness): Human {
  const company = createCompany(sim, setup, fleet, witness);
  const reader = createReader(company, agents);
  const actors: Actor[] = [
    reader,
    createHelper(company),
    createMeddler(company),
    createOwner(company),
    createEditor(company),
    createUploader(company),
    createVisitor(company),
    createListener(company),
    createMover(company),
    createPrograms(company),
    createClis(company),
    createCustomer(company, agents),
  ];
  createAgents(company, agents, (agent) => {
    for (const actor of actors) actor.meet(agent);
  });
  return {
    awaits() {
      if (company.open()) return "requests without an answer";
      for (const actor of actors) {
        const what = actor.awaits?.();
        if (what) return what;
      }
      return undefined;
    },
    acked: company.acked,
    retries: company.retries,
    calm: company.calm,
    seen: reader.seen,
    check: reader.check,
    async judge(agent, evidence) {
      for (const actor of actors) await actor.judge?.(agent, evidence);
    },
  };
}
