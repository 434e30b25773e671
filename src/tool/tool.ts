/**
 * A named, typed action a participant may take. Everything about it is in this one object: the model's schema, the input check, the prompt's
 * guidance, what it does to the world, and whether it may be repeated.
 */
import { z } from "zod";
import type { State } from "../core/state.ts";
import type { Exit } from "../lib/world.ts";
import type { CommandInput, Receipt } from "../schema/command.ts";
import type { Wait } from "../schema/node.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Memory } from "./memory.ts";

export interface Tool {
  name: string;
  /** Short, for the schema. */
  about: string;
  /** Longer, for the prompt: when and how to use it well. */
  guidance: string;
  /**
   * reads: changes nothing. state: changes only the log, through commands that carry the call's key, so repeating it changes nothing.
   * outside: touches files, processes or the network; it is started only once its start is durable.
   */
  effect: "reads" | "state" | "outside";
  /** Safe to run again when a crash hid its result. If not, the model is told that the outcome is unknown. */
  repeatable: boolean;
  /** Who may use it; everyone if missing. */
  only?: "coordinator" | "worker";
  input: z.ZodType;
  /** A Problem or any other throw becomes an error result that the model can act on. */
  run(input: never, desk: Desk): Promise<string | Result>;
}

export interface Result {
  text: string;
  /** Parks the caller until this happens. */
  wait?: Wait;
  /** The caller has nothing to go on with. */
  final?: boolean;
}

/** What a tool sees of the world: its caller's place at the table. */
export interface Desk {
  /** The caller. */
  me: string;
  /** The node the caller holds. */
  node: string | undefined;
  /** Stable over crashes. */
  key: string;
  now: number;
  signal: AbortSignal;
  state(): State;
  /** Sends a command as the caller. The `nth` command of one call has its own key. */
  dispatch(command: CommandInput, nth?: number): Promise<Receipt>;
  /** Writes into the caller's scratch. */
  write(path: string, content: string): Promise<void>;
  /** Runs a program in the caller's scratch; it ends with its time, the turn, the run and the agent. */
  run(command: [file: string, ...args: string[]], seconds?: number): Promise<Exit>;
  /** The caller's own. */
  memory: Memory;
  /** Makes the caller's scratch the published output of its node, or of the run. */
  publish(summary: string, partial: boolean): Promise<string>;
}

const shapes = new WeakMap<Tool, ToolShape>();

/** The tool as a model is shown it; made once. */
export function shapeOf(tool: Tool): ToolShape {
  const known = shapes.get(tool);
  if (known) return known;
  const { name, about, input } = tool;
  const shape = { name, about, input: z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) };
  shapes.set(tool, shape);
  return shape;
}

/** Lets each tool type its own input while the list of tools stays uniform. */
export function defineTool<S extends z.ZodType>(
  tool: Omit<Tool, "input" | "run"> & { input: S; run(input: z.output<S>, desk: Desk): Promise<string | Result> },
): Tool {
  return tool as unknown as Tool;
}
