/**
 * Calls of tools that the request does not list. Providers accept no call of a tool without its schema, so on the wire such a call is one of use_tool, with
 * the tool and its input inside; in our log it is a call of the tool itself. So a tool can be found and used without a change of the list, which would
 * cost the whole cached prefix.
 */

import { discovery, type ToolShape } from "../schema/tool.ts";
import type { Call } from "../schema/turn.ts";
import type { Line } from "../schema/worker.ts";

/** As a provider is shown it. */
export function wrapped(lines: readonly Line[], tools: readonly ToolShape[]): readonly Line[] {
  const listed = new Set(tools.map(({ name }) => name));
  if (!listed.has(discovery.use)) return lines;
  return lines.map((line) =>
    line.role === "assistant" && line.calls.some(({ tool }) => !listed.has(tool))
      ? { ...line, calls: line.calls.map((call) => (listed.has(call.tool) ? call : wrappedCall(call))) }
      : line,
  );
}

const wrappedCall = ({ id, tool, input }: Call): Call => ({
  id,
  tool: discovery.use,
  input: { tool, input: input ?? {} },
});

/** As the log records it. One that names no tool stays as it is, and is answered with what it lacks. */
export function unwrapped(call: Call): Call {
  if (call.tool !== discovery.use) return call;
  const { tool, input = {} } = (call.input ?? {}) as { tool?: unknown; input?: unknown };
  if (typeof tool !== "string" || !tool || tool === discovery.use) return call;
  return { id: call.id, tool, input: typeof input === "string" ? parsed(input) : input };
}

/** Some models write the input as a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
