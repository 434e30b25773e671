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
import type { Progress } from "../schema/turn.ts";
import type { Data } from "./data.ts";
import type { Memory } from "./memory.ts";
import type { Scope } from "./scope.ts";

export interface Tool {
  name: string;
  /** What rules of the policy may call it besides its name, such as mcp.SERVER.TOOL. */
  alias?: string;
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
  /** What lasts of it when it went well; work if missing, unless it only reads. A turn on a node of which nothing lasts is counted. */
  progress?: Progress;
  /** Who may use it; everyone if missing. */
  only?: "coordinator" | "worker";
  /** Ids or names of who may use it; everyone if missing. */
  workers?: readonly string[];
  input: z.ZodType;
  /** Where a call goes outside of this machine, if it does; once the run is tainted it may be asked about (core/taint.ts). */
  target?(input: never): Target | undefined;
  /** What lasts beyond the run. */
  changes?: "memory";
  /** Shown to models instead of what `input` says, where that is not everything. */
  schema?: Record<string, unknown>;
  /** A Problem or any other throw becomes an error result that the model can act on. */
  run(input: never, context: ToolContext): Promise<string | Result>;
}

/** A host or a tool of somebody's server, and the whole address, if there is one. */
export interface Target {
  name: string;
  url?: string;
}

export interface Result {
  /** The tool's own words; they stand after the others. A wrapper of ours in them is escaped. */
  text: string;
  /** What others wrote. */
  data?: Data;
  /** Mail, as core/mail-envelope.ts shows it. */
  mail?: string;
  /** It did not go well, and `data` or `text` says why. */
  failed?: true;
  /** Parks the caller until this happens. */
  wait?: Wait;
  /** The caller has nothing to go on with. */
  final?: boolean;
  /** What lasts of this call, if not what the tool says. */
  progress?: Progress;
  /** Mail up to this seq is shown in the text; it is handled when the turn ends. */
  upto?: number;
}

/** What a tool sees of the world: its caller's place at the table. */
export interface ToolContext {
  /** The caller. */
  me: string;
  /** The node the caller holds. */
  node: string | undefined;
  /** Stable over crashes. */
  key: string;
  now: number;
  signal: AbortSignal;
  /** Tokens that the result may have; what is longer is shown in parts. Without a bound if missing. */
  room?: number;
  state(): State;
  /** The names of the tools that a worker may be given. */
  tools: readonly string[];
  /** Bytes by their hash: `put` is durable on return and may be repeated; `get` gives null for what is not there. */
  blobs: { put(content: string): Promise<string>; get(sha256: string): Promise<string | null> };
  /** Sends a command as the caller. The `nth` command of one call has its own key. */
  dispatch(command: CommandInput, nth?: number): Promise<Receipt>;
  /** Writes into the caller's scratch. */
  write(path: string, content: string): Promise<void>;
  /** What the caller may read and write, by the paths it uses. */
  files: Scope;
  /** The caller's own. */
  memory: Memory;
  /**
   * Runs a program in the caller's scratch; it ends with its time (then it was `late`), the turn, the run and the agent. With `sandbox` it can
   * write only there and read only what is for it; where no sandbox can be started it is refused.
   */
  run(
    command: [file: string, ...args: string[]],
    seconds?: number,
    sandbox?: { hosts: string[] },
  ): Promise<Exit & { late: boolean }>;
  /** Makes the caller's scratch the published output of its node, or of the run. */
  publish(summary: string, partial: boolean, limit?: "limit.turns" | "limit.context"): Promise<string>;
}

const shapes = new WeakMap<Tool, ToolShape>();

/** The tool as a model is shown it; made once. */
export function shapeOf(tool: Tool): ToolShape {
  const known = shapes.get(tool);
  if (known) return known;
  const { name, about, input } = tool;
  const shown = tool.schema ?? z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  const shape = { name, about, input: shown };
  shapes.set(tool, shape);
  return shape;
}

/** Lets each tool type its own input while the list of tools stays uniform. */
export function defineTool<S extends z.ZodType>(
  tool: Omit<Tool, "input" | "run" | "target"> & {
    input: S;
    target?(input: z.output<S>): Target | undefined;
    run(input: z.output<S>, context: ToolContext): Promise<string | Result>;
  },
): Tool {
  return tool as unknown as Tool;
}
