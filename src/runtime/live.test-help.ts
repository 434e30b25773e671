/** One agent, live, by itself: a log in memory that can be told what to answer, a lease that can be lost, virtual time. */
import { createSimWorld } from "../../sim/world.ts";
import { defaultLimits, type Limits } from "../core/limits.ts";
import { fold } from "../core/reduce.ts";
import { emptyState } from "../core/state.ts";
import type { Event } from "../schema/event.ts";
import type { Problem } from "../schema/problem.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import type { Log } from "../store/store.ts";
import { createLive } from "./live.ts";

interface Given {
  /** What it is made with. */
  create?: object;
  /** The log as it was found, instead. */
  before?: readonly Event[];
  limits?: Limits;
}

export async function startLive({ create = {}, before, limits = defaultLimits }: Given = {}) {
  const lost = new AbortController();
  const sim = createSimWorld({ seed: 1, config: { buggify: 0, late: 0 } });
  const world = sim.incarnate();
  const log = await createMemoryStore().open("chips", { fence: 1, create: true });
  await log.append(before ?? []);
  let append: Log["append"] = log.append;
  let disturb: (() => void) | undefined;
  const told: Event[] = [];
  const changed: Event[] = [];
  const broken: Problem[] = [];
  const live = createLive({
    agent: "chips",
    log: { ...log, append: (events) => append(events) },
    lease: { agent: "chips", fence: 1, lost: lost.signal, release: async () => undefined },
    state: fold(emptyState(), before ?? []),
    world,
    limits,
    changed: (events) => {
      disturb?.();
      changed.push(...events);
    },
    told: (events) => told.push(...events),
    broken: (problem) => broken.push(problem),
  });
  const command = {
    type: "agent.create",
    agent: "chips",
    goal: "Know chips",
    model: "scripted/test",
    ...create,
  } as const;
  const receipt = before ? undefined : await live.dispatch(command, { actor: "human" });
  return {
    sim,
    world,
    live,
    log,
    receipt,
    lost,
    told,
    changed,
    broken,
    /** From now on the log answers this; what it is given is not kept. */
    answer(next: Log["append"]) {
      append = next;
    },
    /** Done whenever something has changed. */
    disturb(what: () => void) {
      disturb = what;
    },
    /** Begins a turn, as a loop does. */
    begin: (participant = "coordinator") =>
      live.step({ type: "turn.start", participant, reserve: { usd: 0, tokens: 0 } }, participant),
  };
}
