/**
 * Opaque data that must be sent back to a provider with an answer: signatures of its thinking, its own searches and their results. Stored as the
 * parts of the answer in their order, and sent back only to the model that made them, and only if they match the transcript: otherwise the recorded
 * text and calls are sent, which every model understands.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { Kept } from "../schema/turn.ts";
import type { Line } from "../schema/worker.ts";

export type KeptPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

interface Shape {
  parts: KeptPart[];
  paused: boolean;
}

const types = new Set(["text", "reasoning", "tool-call", "tool-result", "custom"]);

/** Undefined if the recorded text and calls are everything. */
export function keep(maker: string, parts: KeptPart[], paused: boolean): Kept | undefined {
  const needed = parts.some(
    (part) =>
      part.type === "reasoning" ||
      part.type === "custom" ||
      part.type === "tool-result" ||
      (part.type === "tool-call" && part.providerExecuted) ||
      part.providerOptions !== undefined,
  );
  if (!needed && !paused) return undefined;
  return { provider: maker, parts: JSON.parse(JSON.stringify({ parts, paused })) };
}

/** The parts, if they match: the same model, the same calls in the same order, the same text, and a pause only for a provider that has pauses. */
export function keptOf(
  { maker, pauses }: { maker: string; pauses: boolean },
  line: Extract<Line, { role: "assistant" }>,
): Shape | undefined {
  if (line.kept?.provider !== maker) return undefined;
  const { parts, paused } = (line.kept.parts ?? {}) as { parts?: unknown; paused?: unknown };
  if (!Array.isArray(parts) || !parts.every(isPart)) return undefined;
  const calls = parts.filter((part) => part.type === "tool-call" && !part.providerExecuted);
  if (calls.length !== line.calls.length) return undefined;
  if (calls.some((call, at) => call.type === "tool-call" && call.toolCallId !== line.calls[at]!.id)) return undefined;
  const said = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  // Sources that were found are listed after the text.
  if (!line.text.startsWith(said.toWellFormed())) return undefined;
  if (paused === true) return pauses ? { parts, paused } : undefined;
  const speaks = calls.length > 0 || said.trim() !== "";
  return speaks ? { parts, paused: false } : undefined;
}

function isPart(part: unknown): part is KeptPart {
  if (typeof part !== "object" || part === null) return false;
  const { type, text, toolCallId, toolName, output } = part as Record<string, unknown>;
  if (!types.has(type as string)) return false;
  if (type === "text" || type === "reasoning") return typeof text === "string";
  if (type === "custom") return true;
  const named = typeof toolCallId === "string" && toolCallId !== "" && typeof toolName === "string" && toolName !== "";
  return named && (type === "tool-call" || (typeof output === "object" && output !== null));
}
