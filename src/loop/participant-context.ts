/** What a loop is given of its agent, for one participant. The runtime makes it (runtime/participant/participant-context.ts); a test may build one by hand. */
import type { Backend } from "../backend/backend.ts";
import type { State } from "../core/state.ts";
import type { Guard } from "../guard/guard.ts";
import type { Redactor } from "../lib/text/redact.ts";
import type { World } from "../lib/world.ts";
import type { CommandInput } from "../schema/command.ts";
import type { TaintPolicy } from "../schema/config.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import type { Thinker } from "../schema/worker.ts";
import type { Tool, ToolContext } from "../toolkit/tool.ts";

/** A piece of an answer that is still coming. It is never stored. */
export interface Delta {
  type: "text" | "thought";
  text: string;
  turn: string;
  participant: string;
}

export interface ParticipantContext {
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
  tools: readonly Tool[];
  policy: readonly PolicyRule[];
  /** Once something from outside was read; everything is allowed if missing. */
  taint?: TaintPolicy;
  /** Without known secrets: what a model or a tool says is neither stored nor shown with them. */
  redact: Redactor;
  /** What this participant is shown. */
  guard: Guard;
  /** Resolves when the state has changed, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  /** Words as they come, for whoever watches; nobody may. */
  hear?: ((delta: Delta) => void) | undefined;
  /** `room`: for the result, in tokens. */
  toolContext(call: { key: string; room?: number }): ToolContext;
}
