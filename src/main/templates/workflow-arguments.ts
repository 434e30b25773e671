/** Parameters of a workflow from the command line: what comes after `--`, by the types that the file declares. */
import { parseArgs } from "node:util";
import { closest } from "../../lib/text/closest.ts";
import { Problem } from "../../schema/problem.ts";
import type { ParamValue } from "../../schema/workflow.ts";

interface Param {
  name: string;
  type: string;
  about?: string | undefined;
  choices?: readonly string[] | undefined;
  required: boolean;
  default?: ParamValue | undefined;
  short?: string | undefined;
}

/** Values as texts, and switches; what they mean is checked where the workflow is started. Throws `invalid`, and lists what there is. */
export function parseParams(words: readonly string[], params: readonly Param[]): Record<string, string | boolean> {
  const options = Object.fromEntries(
    params.map(({ name, type, short }) => [
      name,
      { type: type === "boolean" ? ("boolean" as const) : ("string" as const), ...(short ? { short } : {}) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowNegative: true,
      allowPositionals: true,
    });
    if (positionals.length) throw new Error(`${JSON.stringify(positionals[0])} is not a parameter`);
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value as string | boolean]));
  } catch (error) {
    const message = (error as Error).message.split(/\.\s|\n/)[0]!.replace(/\.$/, "");
    const unknown = /^Unknown option '--?(?:no-)?([^']+)'/.exec(message)?.[1];
    const near =
      unknown &&
      closest(
        unknown,
        params.map(({ name }) => name),
      );
    const hint = near ? `did you mean --${near}?` : `parameters: ${params.map(usage).join(", ") || "none"}`;
    throw new Problem("invalid", `${message}; ${hint}`);
  }
}

function usage({ name, type, choices, required, short }: Param): string {
  const flag = `${short ? `-${short}, ` : ""}--${name}`;
  const value = type === "boolean" ? "" : ` ${choices ? choices.join("|") : type.toUpperCase()}`;
  return `${flag}${value}${required ? " (required)" : ""}`;
}
