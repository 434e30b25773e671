/**
 * Tool calls for models without native ones: the system prompt describes the tools and how to call them, calls are parsed from the text, and
 * results are sent back as text.
 *
 * Tags are never shown as text: what may become one is held back until it is clear. A call that is not closed, not JSON or nested is a malformed
 * call, so that the model is told of it instead of being taken for silent.
 */

import { escapeWrapper } from "../core/message/mail-envelope.ts";
import type { ToolShape } from "../schema/tool.ts";
import type { Call } from "../schema/turn.ts";
import { type Heard, inputOf, malformed } from "./answer.ts";
import type { Part } from "./backend.ts";
import type { Beat, Said } from "./repair.ts";

const opening = "<tool_call>";
const closing = "</tool_call>";

export function toolsAsText(system: string, tools: readonly ToolShape[]): string {
  if (tools.length === 0) return system;
  const list = tools.map(({ name, about, input }) => {
    const { $schema: _, ...schema } = input;
    return `- ${name}: ${about}\n  arguments: ${JSON.stringify(schema)}`;
  });
  return `${system.trimEnd()}

# Calling tools
To call a tool, write exactly this, on lines of its own, outside of code fences:
${opening}{"name": "TOOL", "arguments": {…}}${closing}
You may write several. End your answer after the last one; the results come in the next message as <tool_result>.
The arguments are JSON that fits the tool's schema. Your tools:
${list.join("\n")}`.trimStart();
}

/** The same conversation as text only, calls and results included. */
export function beatsAsText(beats: readonly Beat[]): Beat[] {
  const made: Beat[] = [];
  const user = (says: Said[]) => {
    const last = made.at(-1);
    if (last?.role === "user") last.says.push(...says);
    else made.push({ role: "user", says: [...says] });
  };
  for (const beat of beats) {
    if (beat.role === "user") {
      user(beat.says);
      continue;
    }
    const calls = beat.calls.map(({ call }) => written(call));
    const text = [beat.text, ...calls].filter(Boolean).join("\n");
    made.push({ role: "assistant", text, calls: [], kept: undefined, paused: false });
    const results = beat.calls.map(
      ({ call, result, failed }) =>
        `<tool_result name=${JSON.stringify(call.tool)}${failed ? ' failed="true"' : ""}>\n${escapeWrapper(result)}\n</tool_result>`,
    );
    if (results.length) user([{ words: results.join("\n") }]);
  }
  return made;
}

const written = ({ tool, input }: Call): string =>
  `${opening}${JSON.stringify({ name: tool, arguments: input ?? {} })}${closing}`;

type Words = Extract<Part, { type: "text" | "thought" }>;

/** The same answer, with the calls parsed from its text. */
export async function* hearTags(
  heard: AsyncGenerator<Words, Heard | undefined>,
): AsyncGenerator<Words, Heard | undefined> {
  const reader = createTagReader();
  for (;;) {
    const { done, value } = await heard.next();
    if (!done) {
      const text = value.type === "text" ? reader.read(value.text) : value.text;
      if (text) yield { type: value.type, text };
      continue;
    }
    if (!value) return undefined;
    const { text, calls } = reader.end();
    if (text) yield { type: "text", text };
    return { ...value, calls: value.stop === "done" ? calls : [], parts: [] };
  }
}

/** Parses calls from streamed text. Removing a tag never makes the text around it into one. */
export function createTagReader(): { read(text: string): string; end(): { text: string; calls: Call[] } } {
  let held = "";
  let inside = false;
  /** A tag was removed after what was shown last. */
  let gap = false;
  let shownLast = "";
  const calls: Call[] = [];
  const add = (text: string) => calls.push({ id: `call_${calls.length + 1}`, ...callIn(text) });
  const show = (text: string): string => {
    if (!text) return "";
    const apart = gap && tailOf(shownLast) > 0 ? ` ${text}` : text;
    gap = false;
    shownLast = (shownLast + apart).slice(-longestTag);
    return apart;
  };
  const take = (last: boolean): string => {
    let shown = "";
    for (;;) {
      const found = (inside ? anEnd : aTag).exec(held);
      const after = found ? held.slice(found.index + found[0].length) : "";
      const clear = found && (found.groups?.end || last || after.trim() !== "");
      if (found && clear) {
        if (inside) add(held.slice(0, found.index));
        else shown += show(held.slice(0, found.index));
        inside = !inside && !found.groups?.slash && found.groups?.end !== undefined;
        held = after;
        gap = true;
        continue;
      }
      if (inside) return shown;
      const unclear = last ? 0 : tailOf(held);
      shown += show(held.slice(0, held.length - unclear));
      held = held.slice(held.length - unclear);
      return shown;
    }
  };
  return {
    read(text) {
      held += text;
      return take(false);
    },
    end() {
      if (!inside && tailOf(held) >= "<tool_".length) held = held.slice(0, held.length - tailOf(held));
      const text = take(true);
      if (inside) add(held);
      return { text, calls };
    },
  };
}

const aTag = /<\s{0,16}(?<slash>\/?)\s{0,16}tool_call\b(?<end>\s*>)?/i;
const anEnd = /<\s*\/\s*tool_call\s*(?<end>>)/i;
const longestTag = 40;

/** How much of the end may still become a tag. */
function tailOf(text: string): number {
  const from = text.lastIndexOf("<");
  if (from < 0 || text.length - from > longestTag) return 0;
  const rest = text.slice(from).toLowerCase().replaceAll(/\s/g, "");
  return opening.startsWith(rest) || closing.startsWith(rest) ? text.length - from : 0;
}

function callIn(text: string): { tool: string; input: unknown } {
  const given = text.trim();
  const opened = given.replace(/^```[a-z]*\s*/i, "");
  const bare = (opened.endsWith("```") ? opened.slice(0, -3) : opened).trim();
  const name = /"name"\s*:\s*"([^"\\]{1,100})"/.exec(bare)?.[1] ?? "malformed_call";
  const read = inputOf(bare);
  if (typeof read === "string" || bare === "" || /<\s*tool_call\s*>/i.test(bare))
    return { tool: name, input: `${malformed}${given.slice(0, 2_000)}` };
  const { name: named, arguments: args, parameters, input } = read as Record<string, unknown>;
  const chosen = args ?? parameters ?? input ?? {};
  if (typeof named !== "string" || named === "") return { tool: name, input: `${malformed}${given.slice(0, 2_000)}` };
  return { tool: named, input: typeof chosen === "string" ? inputOf(chosen) : chosen };
}
