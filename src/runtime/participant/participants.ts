/** The contexts of one agent's participants. What each is shown and may use is kept from loop to loop, so that requests extend each other. */

import type { Backend } from "../../backend/backend.ts";
import { modelOf } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import { driverFor, isProgram } from "../../core/turn/driver.ts";
import { createGuard, type Guard } from "../../guard/guard.ts";
import type { Meaning } from "../../guard/meaning.ts";
import { heldPlace } from "../../guard/memory-place.ts";
import { budgetFor } from "../../guard/select.ts";
import type { ParticipantContext } from "../../loop/participant-context.ts";
import type { Thinker } from "../../schema/worker.ts";
import { offered } from "../../toolkit/offered.ts";
import type { Tool } from "../../toolkit/tool.ts";
import { createShelf } from "../workspace/prompt-sources.ts";
import {
  createParticipantContext,
  memoryOf,
  ownToolsOf,
  type ParticipantContextOptions,
  toolsOf,
  treatmentOf,
} from "./participant-context.ts";

export interface Participants {
  take(id: string, signal: AbortSignal): ParticipantContext;
  /** The same with what it may call by itself. */
  takeOwn(id: string, signal: AbortSignal): ParticipantContext;
  /** People changed files: everyone reads again. */
  stale(): void;
}

export interface ParticipantsOptions extends Omit<ParticipantContextOptions, "guard" | "tools"> {
  /** The skills that may be used, as they are shown. */
  skillList(): Promise<string>;
  /** What is near to a task; missing without an embedder. */
  meaning?: Meaning | undefined;
}

interface Kept {
  run: string | undefined;
  by: string;
  tools(): readonly Tool[];
  guard: Guard;
}

const isSame = (one: readonly Tool[], other: readonly Tool[]): boolean =>
  one.length === other.length && one.every((tool, at) => tool === other[at]);

export function createParticipants(options: ParticipantsOptions): Participants {
  const { home, live, world, store, memories, all, written, skillList: skills, withheld } = options;
  const guards = new Map<string, Kept>();

  /** The same list as long as the same is offered. */
  function toolsFor(id: string, known: readonly Tool[] = []): readonly Tool[] {
    const one = thinkerOf(live.state(), id);
    const tools = one ? toolsOf(live.state(), one, offered(all, live.state().agent?.tools)) : [];
    return isSame(known, tools) ? known : tools;
  }

  function guardOf(id: string): Kept {
    const run = live.state().run?.id;
    const me = () => thinkerOf(live.state(), id);
    const { by } = driverFor(live.state(), me()!);
    const known = guards.get(id);
    if (known?.run === run && known?.by === by) return known;
    const taskFor = (one: Thinker | undefined): string => {
      const { nodes, run, agent } = live.state();
      return nodes.get(one?.node ?? "")?.task ?? run?.goal ?? agent?.goal ?? "";
    };
    const memory = async () => {
      const now = world.clock.now();
      const own = await memoryOf(id, { home, live, memories }).opening(now, taskFor(me()));
      if (!treatmentOf(live.state(), options.taint, id)) return own;
      const held = await memories.of(heldPlace(home, live.agent, live.state().run!.id)).opening(now);
      return held ? `${own}\n\n# Noted in this run, and held until the human accepts it\n${held}` : own;
    };
    /** Only for a run that is tainted already: reading them taints. */
    const foreign = async () =>
      live.state().taint.inherited && me()?.kind === "coordinator"
        ? await memoryOf(id, { home, live, memories }).foreign()
        : "";
    const blob = (sha256: string) => store.getBlob(live.agent, sha256);
    const sources = { memory, foreign, skills, withheld, written, blob, meaning: options.meaning };
    const shelf = createShelf({ home, files: world.files, state: live.state, me, ...sources });
    let list = toolsFor(id);
    const tools = () => {
      list = toolsFor(id, list);
      return list;
    };
    const budget = () => budgetFor(windowOf(live.state(), me(), options.backend));
    const made: Kept = { run, by, tools, guard: createGuard({ shelf, state: live.state, me, tools, budget }) };
    guards.set(id, made);
    return made;
  }

  return {
    take(id, signal) {
      const { guard, tools } = guardOf(id);
      return createParticipantContext(id, { ...options, guard, tools }, signal);
    },
    takeOwn(id, signal) {
      const { guard } = guardOf(id);
      const own = ownToolsOf(live.state(), thinkerOf(live.state(), id)!, offered(all, live.state().agent?.tools));
      return createParticipantContext(id, { ...options, guard, tools: () => own }, signal);
    },
    stale() {
      for (const { guard } of guards.values()) guard.stale();
    },
  };
}

/** The model's, or the smaller one that the agent was given. A program minds its own. */
function windowOf(state: State, one: Thinker | undefined, backend: (model: string) => Backend): number | undefined {
  if (!one || isProgram(state, one)) return undefined;
  const own = backend(modelOf(state, one) ?? state.agent?.model ?? "").window;
  const given = state.agent?.context_window;
  return given === undefined ? own : Math.min(given, own ?? given);
}

function thinkerOf(state: State, id: string): Thinker | undefined {
  const one = state.participants.get(id);
  return one && one.kind !== "human" ? one : undefined;
}
