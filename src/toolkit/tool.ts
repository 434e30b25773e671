/**
 * A tool: a named, typed action that a participant may take. Everything about it is in this one object: the model's schema, the validation of its
 * input, the prompt's guidance, its side effects, and whether it may be repeated.
 */
import { z } from "zod";
import type { ChannelPage, ChannelWish } from "../core/message/channel-search.ts";
import type { State } from "../core/state.ts";
import type { Exit } from "../lib/world.ts";
import type { CommandInput, Receipt } from "../schema/command.ts";
import type { Check } from "../schema/evidence.ts";
import type { Wait } from "../schema/node.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Progress } from "../schema/turn.ts";
import type { ConsultAnswer, ConsultWish } from "./consult.ts";
import type { Data } from "./data.ts";
import type { TeamCall } from "./in-team.ts";
import type { Memory } from "./memory.ts";
import type { Need } from "./need.ts";
import type { Scope } from "./scope.ts";

export interface Tool {
  name: string;
  /** Another name in policy rules, such as mcp.SERVER.TOOL. */
  alias?: string;
  /** Short, for the schema. */
  about: string;
  /** Longer, for the prompt: when and how to use it well. */
  guidance: string;
  /**
   * reads: changes nothing. state: changes only the log, through commands that carry the call's idempotency key, so repeating it changes nothing.
   * outside: touches files, processes or the network; it is started only once its start is durable.
   */
  effect: "reads" | "state" | "outside";
  /** Safe to retry when a crash hid its result. If not, the model is told that the outcome is unknown. */
  repeatable: boolean;
  /** The progress of a successful call; work if missing, unless it only reads. A turn on a node without progress is counted. */
  progress?: Progress;
  /** Who may use it; everyone if missing. */
  only?: "coordinator" | "worker";
  /** Useless without this, and then not there. */
  needs?: "folder";
  /** When it is in the prompt; one that is not is found with find_tools. Tools without it (of servers, of the user) are, as long as there is room. */
  offer?: Offer;
  /** Ids or names of who may use it; everyone if missing. */
  workers?: readonly string[];
  input: z.ZodType;
  /** Where a call goes outside of this machine, if it does; once the run is tainted it may need approval (core/turn/taint.ts). */
  target?(input: never): Target | undefined;
  /** Other agents that a call reaches, as policy rules name them: agent:NAME. */
  toward?(input: never): string[];
  /** What lasts beyond the run. */
  changes?: "memory";
  /** Shown to models instead of the schema of `input`, where that is not everything. */
  schema?: Record<string, unknown>;
  /** A Problem or any other throw becomes an error result that the model can act on. */
  run(input: never, context: ToolContext): Promise<string | Result>;
}

export interface Offer {
  /** In every prompt of these. */
  always?: "everyone" | "coordinator" | "worker";
  /** As soon as there is one of these. */
  when?: readonly Need[];
  /** As soon as the task says one of these, in lower case, separated by commas. */
  cues?: string;
  /** What people call it, for find_tools. */
  words?: string;
}

export type ConversationSearch = (wish: {
  query: string;
  run?: string | undefined;
  limit: number;
}) => Promise<FoundSaying[]>;

/** Something that was said, or a piece of it. `id`: of the message, question or turn, else what it is. */
export interface FoundSaying {
  seq: number;
  at: string;
  run: string;
  id: string;
  from: string;
  to: readonly string[];
  text: string;
}

/** A host or a tool of an MCP server, and the whole URL, if there is one. */
export interface Target {
  name: string;
  url?: string;
}

export interface Result {
  /** The tool's own text, after the others. A wrapper of ours in it is escaped. */
  text: string;
  /** Text by others, untrusted. */
  data?: Data;
  /** Mail, as core/message/mail-envelope.ts shows it. */
  mail?: string;
  /** It failed, and `data` or `text` says why. */
  failed?: true;
  /** Parks the caller until this happens. */
  wait?: Wait;
  /** The caller rests after this turn. */
  final?: boolean;
  /** The progress of this call, if not the tool's usual one. */
  progress?: Progress;
  /** Tools that were described to the caller, which may call them from now on. */
  offers?: string[];
  /** Mail up to this seq is shown in the text; it is handled when the turn ends. */
  upto?: number;
}

/** The tool context: what a tool sees of its caller and the world. */
export interface ToolContext {
  /** The caller. */
  me: string;
  /** The node the caller holds. */
  node: string | undefined;
  /** The call's idempotency key, stable across crashes. */
  key: string;
  now: number;
  signal: AbortSignal;
  /** The room for the result in tokens; longer content is shown in parts. Unlimited if missing. */
  room?: number | undefined;
  state(): State;
  /** Messages of the run, from the whole log. */
  channel(wish: ChannelWish): Promise<ChannelPage>;
  /** Searches all that was ever said to the caller or by it; for the agent itself, in all runs. */
  conversation: ConversationSearch;
  /** Whether this home has an agent of this name. */
  hasAgent(agent: string): Promise<boolean>;
  /** The tools that the caller may call, in the prompt or not. */
  granted(): readonly Tool[];
  /** The names of the tools that a worker may be given. */
  tools: readonly string[];
  /** The driver that a participant may choose for another by this name; `program`: only a program will do. Throws a Problem that lists what there is. */
  driver(name: string | undefined, program?: "program"): string;
  /** Blobs by their hash: `put` is durable on return and idempotent; `get` returns null for a missing one. */
  blobs: { put(content: string): Promise<string>; get(sha256: string): Promise<string | null> };
  /** Sends a command as the caller. The `nth` command of one call has its own key. */
  dispatch(command: CommandInput, nth?: number): Promise<Receipt>;
  /** Writes into the caller's scratch. */
  write(path: string, content: string): Promise<void>;
  /** What the caller may read and write, by the paths it uses. */
  files: Scope;
  /** The caller's own. */
  memory: Memory;
  /** Takes an insight into the agent's memory; throws a Problem if the caller may not. */
  accept(insight: string): Promise<{ path: string }>;
  /** What another agent tells from its shared notes; the question is in its log. */
  consult(agent: string, wish: ConsultWish): Promise<ConsultAnswer>;
  /** Calls a tool in the team of another agent, as the guest that this agent is there. */
  callInTeam(team: string, call: TeamCall): Promise<Result>;
  /**
   * Runs a program in the caller's scratch; it ends with its timeout (then it was `late`), the turn, the run and the agent. With `sandbox` it can
   * write only there and read only what is for it; where no sandbox can be started it is refused. It reaches the hosts that the config allows, and
   * those that the human allows when asked (`text` is what they are shown of the command).
   */
  run(
    command: [file: string, ...args: string[]],
    seconds?: number,
    sandbox?: { text: string },
  ): Promise<Exit & { late: boolean; offline?: string; reach: Reach }>;
  /** Merges what a node published into the integration branch, or says which files conflict; then nothing is merged. */
  merge(node: string, message?: string): Promise<{ version: string } | { conflicts: string[] }>;
  /** Publishes the caller's scratch as the output of its node, or of the run; `checks` are on the answer of the run. */
  publish(
    summary: string,
    partial: boolean,
    limit?: "limit.turns" | "limit.context",
    checks?: readonly Check[],
  ): Promise<PublishResult>;
}

export interface PublishResult {
  /** False: it did not pass its checks, and nothing was published. */
  published: boolean;
  text: string;
  /** What the checks said: others' text. */
  details?: string | undefined;
  /** The author of `details`, if it may be a stranger. */
  outside?: string | undefined;
}

/** The result of a tool that publishes. */
export function resultOf({ published, text, details, outside }: PublishResult, more: string): Result {
  if (published) return { text: `${text}${more}`, final: true };
  const data = details ? { from: "the checks", text: details, exact: true, outside } : undefined;
  return { text: `${text}${more}`, failed: true, ...(data ? { data } : {}) };
}

/** What became of the hosts that a command wanted to reach. */
export interface Reach {
  opened: string[];
  /** `question`: the human was asked and can still answer. */
  refused: { host: string; why: string; question?: string }[];
}

const shapes = new WeakMap<Tool, ToolShape>();

/** The tool as a model sees it; made once. */
export function shapeOf(tool: Tool): ToolShape {
  const known = shapes.get(tool);
  if (known) return known;
  const { name, about, input } = tool;
  const shown = tool.schema ?? plain(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }));
  const shape = { name, about, input: shown };
  shapes.set(tool, shape);
  return shape;
}

/** Without what a model has no use for: it is paid for in every prompt, and the input is checked in any case. */
function plain(schema: object): ToolShape["input"] {
  return JSON.parse(JSON.stringify(schema, (key, value) => (isNeedless(key, value) ? undefined : value)));
}

/** A field of an input may have one of these names; its value is then a schema, not a limit. */
function isNeedless(key: string, value: unknown): boolean {
  if (key === "$schema" || key === "propertyNames") return true;
  if (key === "additionalProperties") return Object.keys(value ?? {}).length === 0;
  if (key === "minLength" || key === "exclusiveMinimum") return typeof value === "number";
  if (key === "maxLength" || key === "maxItems") return typeof value === "number" && value >= enough;
  if (key === "maximum") return typeof value === "number" && value > 1_000_000;
  return key === "pattern" && typeof value === "string" && value.length > 20;
}
/** A limit that no model reaches by mistake; whoever does is told. */
const enough = 20;

/** Lets each tool type its own input while the list of tools stays uniform. */
export function defineTool<S extends z.ZodType>(
  tool: Omit<Tool, "input" | "run" | "target" | "toward"> & {
    input: S;
    toward?(input: z.output<S>): string[];
    target?(input: z.output<S>): Target | undefined;
    run(input: z.output<S>, context: ToolContext): Promise<string | Result>;
  },
): Tool {
  return tool as unknown as Tool;
}
