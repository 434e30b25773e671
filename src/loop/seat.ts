/** What a loop needs of its agent: a participant's seat. The runtime gives it; a test may build one by hand. */
import type { Backend } from "../backend/backend.ts";
import type { State } from "../core/state.ts";
import type { OwnMemory } from "../guard/memory.ts";
import type { World } from "../lib/world.ts";
import type { CommandInput } from "../schema/command.ts";
import type { Thinker } from "../schema/worker.ts";
import type { Desk, Tool } from "../tool/tool.ts";

export interface Seat {
  world: World;
  /** Aborts when this participant must stop at once: its node was taken away, the run ended, or the agent was closed. */
  signal: AbortSignal;
  /** The agent was closed: nothing can be recorded any more. */
  closed(): boolean;
  /** The participant as it is now, or nothing if it is gone. */
  me(): Thinker | undefined;
  state(): State;
  /** True as long as new turns may be started: the agent is active and its run is open. */
  open(): boolean;
  /** Decides at once and hands the events to the log; throws the Problem. Not yet durable. */
  record(command: CommandInput): void;
  /** Resolves when everything recorded so far is durable. Nothing outside is touched before. */
  durable(): Promise<void>;
  /** Takes in what people changed by hand. */
  refresh(): Promise<void>;
  backend(model: string | undefined): Backend;
  /** Its own; `opening` is what it is shown at the start. */
  memory: OwnMemory;
  tools: readonly Tool[];
  desk(call: { key: string }): Desk;
}
