/**
 * Translates a participant's transcript into the messages of a provider. Inbox entries are untrusted data, and stand in wrappers
 * (core/message/mail-envelope.ts).
 *
 * The messages of one call begin with those of the call before, up to the note, so that provider caches hit.
 */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { wrapEntry } from "../core/message/mail-envelope.ts";
import type { Request } from "./backend.ts";
import { type KeptPart, keptOf } from "./kept.ts";
import { createIds, plainName } from "./names.ts";
import { type Answer, type Beat, repair, type Said } from "./repair.ts";

export interface Wire {
  /** The model that kept parts can be sent back to: provider/model. */
  maker: string;
  /** It may pause an answer in the middle, to be continued. */
  pauses: boolean;
  /** Explicit cache markers. */
  marks: boolean;
  /** One text for each user message: OpenAI-compatible servers often accept no other. */
  joined: boolean;
  /** Kept parts are sent only if this returns true. */
  sends?: ((kept: object) => boolean) | undefined;
  /** For models that only know text. */
  reshape?: ((beats: readonly Beat[]) => Beat[]) | undefined;
}

type User = Extract<LanguageModelV4Message, { role: "user" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;

export function promptOf(
  request: Pick<Request, "system" | "data" | "lines" | "note">,
  wire: Wire,
): LanguageModelV4Prompt {
  const repaired = repair(request.lines, (line) => {
    const kept = keptOf(wire, line);
    return kept && (wire.sends?.(line.kept!) ?? true) ? kept : undefined;
  });
  const beats = wire.reshape ? wire.reshape(repaired) : repaired;
  const ids = createIds();
  const messages = beats.flatMap((beat) => (beat.role === "user" ? [user(beat.says, wire)] : spoken(beat, ids)));
  if (request.data?.trim()) addData(messages, request.data.trim(), wire);
  if (wire.marks) mark(messages);
  if (request.note?.trim() && !resumes(beats)) addNote(messages, `<note>\n${request.note.trim()}\n</note>`, wire);
  const system = request.system.trim();
  if (!system) return messages;
  const marked = wire.marks ? { providerOptions: cacheHere } : {};
  return [{ role: "system", content: system, ...marked }, ...messages];
}

/** A paused answer must be the last message. */
const resumes = (beats: Beat[]): boolean => {
  const last = beats.at(-1);
  return last?.role === "assistant" && last.paused;
};

function user(says: Said[], wire: Wire): User {
  const texts = says.map((said) => ("words" in said ? said.words : said.entries.map(wrapEntry).join("\n")));
  const parts = wire.joined ? [texts.join("\n\n")] : texts;
  return { role: "user", content: parts.map((text) => ({ type: "text", text })) };
}

function spoken(answer: Answer, ids: (id: string) => string): LanguageModelV4Message[] {
  const named = answer.calls.map(({ call }) => ({
    id: ids(call.id),
    tool: plainName(call.tool),
    input: objectOf(call.input),
  }));
  const content = answer.kept ? givenBack(answer.kept.parts, named) : freshly(answer.text, named);
  const message: LanguageModelV4Message = { role: "assistant", content };
  if (named.length === 0) return [message];
  const results: ToolMessage["content"] = answer.calls.map(({ result, failed }, at) => ({
    type: "tool-result",
    toolCallId: named[at]!.id,
    toolName: named[at]!.tool,
    output: { type: failed ? "error-text" : "text", value: result },
  }));
  return [message, { role: "tool", content: results }];
}

type Named = { id: string; tool: string; input: Record<string, unknown> };

const freshly = (text: string, calls: Named[]): KeptPart[] => [
  ...(text ? [{ type: "text" as const, text }] : []),
  ...calls.map(({ id, tool, input }) => ({ type: "tool-call" as const, toolCallId: id, toolName: tool, input })),
];

/** Unchanged, but with the ids, names and inputs of the record, and without empty texts. */
function givenBack(kept: unknown, calls: Named[]): KeptPart[] {
  const { parts } = kept as { parts: KeptPart[] };
  const left = [...calls];
  const content = parts.flatMap((part): KeptPart[] => {
    if (part.type === "text" && part.text.trim() === "" && !part.providerOptions) return [];
    if (part.type !== "tool-call" || part.providerExecuted) return [part];
    const { id, tool, input } = left.shift()!;
    return [{ ...part, toolCallId: id, toolName: tool, input }];
  });
  const last = content.at(-1);
  if (last?.type === "text") content[content.length - 1] = { ...last, text: last.text.trimEnd() };
  return content;
}

/** Malformed arguments are shown to the model as it wrote them. */
const objectOf = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { "(malformed)": input ?? null };

function addData(messages: LanguageModelV4Prompt, text: string, wire: Wire): void {
  const [first] = messages;
  if (first?.role !== "user") {
    messages.unshift({ role: "user", content: [{ type: "text", text }] });
    return;
  }
  const [said] = first.content;
  if (wire.joined && said?.type === "text") first.content = [{ ...said, text: `${text}\n\n${said.text}` }];
  else first.content.unshift({ type: "text", text });
}

function addNote(messages: LanguageModelV4Prompt, text: string, wire: Wire): void {
  const last = messages.at(-1);
  if (last?.role !== "user") {
    messages.push({ role: "user", content: [{ type: "text", text }] });
    return;
  }
  const [only] = last.content;
  if (wire.joined && only?.type === "text") last.content = [{ ...only, text: `${only.text}\n\n${text}` }];
  else last.content.push({ type: "text", text });
}

export const cacheHere = {
  anthropic: { cacheControl: { type: "ephemeral" } },
  openrouter: { cacheControl: { type: "ephemeral" } },
};

/**
 * Markers at the end of what will be repeated, and at the end of the last call: a provider looks back only twenty blocks from a marker, and a turn
 * with many calls is longer.
 */
function mark(messages: LanguageModelV4Prompt): void {
  let left = 2;
  for (let at = messages.length - 1; at >= 0 && left > 0; at--) {
    const message = messages[at]!;
    if (message.role !== "user" && message.role !== "tool") continue;
    // Tool results and the user text after them are one message for the provider: one marker is enough.
    if (message.role === "tool" && messages[at + 1]?.role === "user") continue;
    const last = message.content.at(-1)!;
    message.content[message.content.length - 1] = { ...last, providerOptions: cacheHere } as never;
    left--;
  }
}
