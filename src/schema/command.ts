/** All commands: what someone wants. Validated at the edge, then trusted. */
import type { z } from "zod";
import type { Merged } from "./noun.ts";
import { type AnyNoun, nouns } from "./nouns.ts";
import { Problem } from "./problem.ts";

export const commands = Object.assign({}, ...nouns.map((noun) => noun.commands)) as Merged<AnyNoun["commands"]>;

type Shapes = typeof commands;
export type CommandType = keyof Shapes;
/** A command without fields is just its type. */
type Fields<F> = F extends Record<string, never> ? unknown : F;
export type CommandOf<T extends CommandType> = T extends CommandType
  ? { type: T } & Fields<z.output<Shapes[T]>>
  : never;
export type Command = CommandOf<CommandType>;
/** A command as people write it: fields with a default may be omitted. */
export type CommandInput = { [T in CommandType]: { type: T } & Fields<z.input<Shapes[T]>> }[CommandType];

export interface SendOptions {
  actor?: string;
  /** Idempotency key: the same key and command return the first receipt, and nothing is done twice. */
  key?: string;
}

/** The result of a command: the seq of its first event, durable. */
export interface Receipt {
  seq: number;
  /** True when this key was seen before. */
  repeated: boolean;
  /** Ids that were created, by noun. */
  made: Record<string, string>;
}

/** The largest accepted command, in characters. Larger content goes to a blob first. */
export const maxCommandSize = 2_000_000;

/** Returns the command with its defaults, or throws a Problem that names the field. An unknown field never gets into an event. */
export function parseCommand(given: unknown): Command {
  const type = typeof given === "object" && given !== null && "type" in given ? given.type : undefined;
  if (typeof type !== "string" || !Object.hasOwn(commands, type)) {
    throw new Problem(
      "unknown_command",
      `${JSON.stringify(type) ?? "nothing"} is not a command; commands: ${Object.keys(commands).join(", ")}`,
    );
  }
  if (!ours.test(type)) assertSound(type, given);
  const parsed = commands[type as CommandType].safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Problem("invalid", `${type}: ${issue!.path.join(".") || "body"}: ${issue!.message}`, {
      issues: parsed.error.issues,
    });
  }
  return { type, ...parsed.data } as Command;
}

/** Recorded by our own loop, which has sanitised its text; a model's answer may be long. */
const ours = /^(turn|tool)\./;

const deepest = 64;

/** Refuses text that is too long, or that has a lone surrogate, which no file or index could return. */
function assertSound(type: string, given: unknown): void {
  let left = maxCommandSize;
  const walk = (value: unknown, path: string, depth: number): void => {
    if (depth > deepest)
      throw new Problem("invalid", `${type}: ${path.slice(0, 100)}: nested deeper than ${deepest} levels`);
    if (typeof value === "string") {
      left -= value.length;
      if (left < 0)
        throw new Problem(
          "too_large",
          `${type}: a command may have ${maxCommandSize} characters, this one has more; make ${path} a resource`,
        );
      if (!value.isWellFormed())
        throw new Problem("invalid", `${type}: ${path}: the text is not valid Unicode (half a surrogate pair)`);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        left -= key.length;
        walk(inner, path ? `${path}.${key}` : key, depth + 1);
      }
    }
  };
  walk(given, "", 0);
}
