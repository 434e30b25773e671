/** Agents that look up one thing after another, as the provider of the bench has them do, through the real runtime and the real backends. */
import { z } from "zod";
import { machine } from "../src/lib/machine/index.ts";
import type { World } from "../src/lib/world.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import { defineTool, type Tool, type ToolContext } from "../src/toolkit/tool.ts";
import { createHouse } from "./house.ts";
import { backendsAt, type Provider, tool } from "./provider.ts";

export const about = "Look up an entry.";
export const entry = z.object({ what: z.string() });

/** About as much as a page of a file or a search brings. */
export const found = (what: string): string =>
  `${what}: ${"the second candidate meets all five needs, if someone else runs it; ".repeat(7)}`.slice(0, 500);

/** It counts as touching the world: its start must be durable before it runs, as it is for files, programs and the web. */
const lookUp = (act: LookersOptions["act"]): Tool =>
  defineTool({
    name: tool,
    about,
    guidance: "One entry at a time.",
    effect: "outside",
    repeatable: true,
    input: entry,
    async run({ what }, context) {
      await act?.(context);
      return found(what);
    },
  });

export interface LookersOptions {
  world?: World;
  tools?: readonly Tool[];
  /** What looking something up does besides. */
  act?(context: ToolContext): Promise<void>;
}

export interface Lookers {
  /** Lets a new agent look up so many things, and waits until it rests. Returns the milliseconds of each turn: from an answer to the next request. */
  take(turns: number, begins?: () => void): Promise<number[]>;
  stop(): Promise<void>;
}

export async function createLookers(
  home: string,
  provider: Provider,
  model: string,
  { world = machine, tools = [], act }: LookersOptions = {},
): Promise<Lookers> {
  const backends = backendsAt(provider.url);
  const house = { ...createHouse({ home, world, backend: backends.backend }), tools: [lookUp(act), ...tools] };
  const runtime = createRuntime(house);
  await runtime.start();

  return {
    async take(turns, begins) {
      const agent = await runtime.create({ goal: "look things up", name: "looker", model, start: false });
      const { live, projector, running, settled } = runtime.opened(agent)!;
      const rest = async () => {
        while (running().size > 0) await new Promise(setImmediate);
        await settled();
        await projector.idle();
        await live.durable();
      };
      await rest();
      begins?.();
      const played = provider.play(turns);
      await runtime.send(agent, { type: "run.start" });
      const times = await played;
      await rest();
      return times;
    },
    async stop() {
      await runtime.stop();
      await house.store.close();
    },
  };
}
