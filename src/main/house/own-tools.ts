/**
 * Tools that the user wrote: every `tools/*.ts`, `.mts`, `.js` and `.mjs` of the home, imported into this process when the home is opened.
 *
 * They are code of the user's and may do what we may; so they come from the home only, never from a folder that an agent works in. Always
 * holds: a file that cannot be used is named, with the reason, and left out, and the others are there. None takes the name of another tool.
 * A file imports `defineTool` and `z` from "agiraph" wherever the home lies: that name always means the program that is running.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { Progress } from "../../schema/turn.ts";
import { type Result, shapeOf, type Tool } from "../../toolkit/tool.ts";

const importMs = 10_000;

export async function loadTools(home: string, taken: readonly Tool[]): Promise<{ tools: Tool[]; wrong: Problem[] }> {
  const folder = join(home, "tools");
  const tools: Tool[] = [];
  const wrong: Problem[] = [];
  for (const { name, kind } of await machine.files.list(folder)) {
    if (!/^[^.].*\.(ts|mts|js|mjs)$/.test(name) || /(\.d|\.test)\.\w+$/.test(name)) continue;
    const path = join(folder, name);
    try {
      if (kind !== "file") throw new Problem("invalid", "it is a link or a folder; copy the file itself there");
      const found = exportedBy(await importIn(path));
      tools.push(...checkTools(found, [...taken, ...tools]));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      wrong.push(new Problem("invalid", `${path} is ignored: ${why}`, undefined, { cause: error }));
    }
  }
  return { tools, wrong };
}

/** The same tools, safe to call; throws a Problem that says which cannot be used and why. */
export function checkTools(given: readonly unknown[], taken: readonly Tool[]): Tool[] {
  const names = new Set(taken.map(({ name }) => name));
  return given.map((one) => {
    const tool = check(one);
    if (names.has(tool.name))
      throw new Problem("name_taken", `a tool named ${tool.name} already exists; choose another name`);
    names.add(tool.name);
    return tool;
  });
}

let hooked = false;

async function importIn(path: string): Promise<Record<string, unknown>> {
  if (!hooked) {
    hooked = true;
    const url = new URL(import.meta.url.endsWith(".ts") ? "../../index.ts" : "./index.mjs", import.meta.url).href;
    registerHooks({
      resolve: (name, context, next) => (name === "agiraph" ? { url, shortCircuit: true } : next(name, context)),
    });
  }
  return await new Promise((resolve, reject) => {
    const cancel = machine.clock.after(importMs, () =>
      reject(new Problem("invalid", `it did not load within ${importMs / 1000} s`)),
    );
    import(pathToFileURL(path).href).then(resolve, reject).finally(cancel);
  });
}

/** The default export, and whatever else looks like a tool; a file may export other things by name. */
function exportedBy(module: Record<string, unknown>): unknown[] {
  const { default: main, ...named } = module;
  const found = [...new Set([...(main === undefined ? [] : [main]), ...Object.values(named).filter(looksLikeTool)])];
  if (!found.length) throw new Problem("invalid", "it exports no tool; export default defineTool({ … })");
  return found;
}

const looksLikeTool = (one: unknown): boolean =>
  typeof one === "object" && one !== null && "run" in one && "input" in one && "name" in one;

const isFunction = (value: unknown) => typeof value === "function";
const Shape = z.looseObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/, "must consist of a-z, 0-9 and _, and begin with a letter")
    .refine((name) => !name.startsWith("mcp__"), "must not begin with mcp__"),
  about: z.string().min(1).max(1000),
  guidance: z.string().min(1).max(4000),
  effect: z.enum(["reads", "state", "outside"]),
  repeatable: z.boolean(),
  only: z.enum(["coordinator", "worker"]).optional(),
  workers: z.array(z.string()).optional(),
  progress: Progress.optional(),
  input: z.custom((value) => isFunction((value as z.ZodType | undefined)?.safeParse), "must be a zod schema"),
  run: z.custom(isFunction, "must be a function"),
});

function check(one: unknown): Tool {
  const { success, error } = Shape.safeParse(one);
  if (!success) {
    const name = looksLikeTool(one) ? `the tool ${JSON.stringify((one as Tool).name)}` : "its default export";
    const [issue] = error.issues;
    throw new Problem("invalid", `${name} is invalid: ${issue!.path.join(".") || "it"}: ${issue!.message}`);
  }
  const tool = one as Tool;
  const shown = shapeIn(tool);
  if (shown.type !== "object")
    throw new Problem("invalid", `the tool ${tool.name} is invalid: its input must be an object, z.object({ … })`);
  return { ...tool, run: async (input, desk) => resultOf(tool, await tool.run(input, desk)) };
}

function shapeIn(tool: Tool): Record<string, unknown> {
  try {
    return shapeOf(tool).input;
  } catch (error) {
    const why = (error as Error).message;
    throw new Problem("invalid", `the tool ${tool.name} is invalid: its input has no JSON Schema: ${why}`);
  }
}

/** What is no text and no result of ours is shown as JSON. Nobody knows where a tool has its words from: they are data. */
function resultOf({ name, effect }: Tool, given: unknown): Result {
  const result: Result =
    typeof given === "object" && given !== null && "text" in given && typeof given.text === "string"
      ? (given as Result)
      : { text: typeof given === "string" ? given : (JSON.stringify(given) ?? "") };
  if (result.data) return result;
  const { text, ...rest } = result;
  return text
    ? {
        ...rest,
        text: "",
        data: { from: `the tool ${name}`, text, exact: true, outside: effect === "outside" ? name : undefined },
      }
    : { ...rest, text: "(nothing)" };
}
