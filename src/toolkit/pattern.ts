/**
 * The query of search_files: a text, or /a regular expression/. Catastrophic backtracking is stopped by a timeout: the pattern runs in a context of
 * its own that the engine interrupts.
 */
import { createContext, Script } from "node:vm";
import { Problem } from "../schema/problem.ts";

const mostMs = 200;
const matching = new Script(
  "{ const found = []; const re = new RegExp(source, flags); text.split('\\n').forEach((line, at) => { if (re.test(line)) found.push(at); }); found.join() }",
);

/** Returns the matching lines of a text, from 0. */
export function createMatcher(query: string): (text: string) => number[] {
  const [, source, given = ""] = /^\/(.+)\/([imsu]*)$/s.exec(query) ?? [];
  if (source === undefined) {
    const wanted = query.toLowerCase();
    return (text) => text.split("\n").flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [at] : []));
  }
  const flags = given.includes("u") ? given : `${given}u`;
  try {
    new RegExp(source, flags);
  } catch (error) {
    throw new Problem("invalid", `${(error as Error).message}; to search for plain text, omit the slashes`);
  }
  const context = createContext({ source, flags, text: "" }, { codeGeneration: { strings: false, wasm: false } });
  return (text) => {
    context.text = text;
    try {
      const found = matching.runInContext(context, { timeout: mostMs }) as string;
      return found ? found.split(",").map(Number) : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      throw new Problem("invalid", `${query} takes too long; avoid nested repetitions, or search for plain text`);
    }
  };
}
