/**
 * Translates a provider's stream into ours.
 *
 * Text and thinking are passed on as they come. Tool calls are held back until the provider has said that the answer is complete: a truncated
 * answer has no calls, and neither has one that hit its length limit or was refused. Completeness is read from the provider's own last event,
 * because the SDK below says "finished" of anything that stopped.
 */
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Call, Stop } from "../schema/turn.ts";
import type { Part } from "./backend.ts";
import type { KeptPart } from "./kept.ts";
import { createIds } from "./names.ts";
import type { Dialect } from "./shapes.ts";

export interface Heard {
  calls: Call[];
  parts: KeptPart[];
  sources: Map<string, string>;
  stop: Stop;
  usage: LanguageModelV4Usage | undefined;
  /** The provider's metadata about this call. */
  about: Record<string, unknown>;
  searches: number;
}

type Streamed = LanguageModelV4StreamPart;
type Texting = Extract<KeptPart, { type: "text" | "reasoning" }>;

/** Yields text and thinking; returns the rest, or undefined if the answer was cut off. Throws an error that the provider reports. */
export async function* hear(
  stream: AsyncIterable<Streamed>,
  dialect: Dialect,
  names: ReadonlyMap<string, string>,
): AsyncGenerator<Extract<Part, { type: "text" | "thought" }>, Heard | undefined> {
  const parts: KeptPart[] = [];
  const open = new Map<string, Texting>();
  const calls: Call[] = [];
  const sources = new Map<string, string>();
  const ids = createIds();
  let whole = false;
  let blocked = false;
  let refused = false;
  let searches = 0;
  for await (const part of stream) {
    switch (part.type) {
      case "raw":
        whole ||= isLast(dialect, part.rawValue);
        blocked ||= isBlocked(part.rawValue);
        for (const text of refusalsIn(part.rawValue)) {
          refused = true;
          yield { type: "text", text };
        }
        break;
      case "text-start":
      case "reasoning-start": {
        const begun: Texting = { type: part.type === "text-start" ? "text" : "reasoning", text: "" };
        open.set(key(part), begun);
        parts.push(withOptions(begun, part.providerMetadata));
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const begun = open.get(key(part));
        if (begun) withOptions(begun, part.providerMetadata).text += part.delta;
        if (part.delta) yield { type: part.type === "text-delta" ? "text" : "thought", text: part.delta };
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const begun = open.get(key(part));
        if (begun) withOptions(begun, part.providerMetadata);
        open.delete(key(part));
        break;
      }
      case "tool-call": {
        const { providerExecuted, toolName } = part;
        const given = inputOf(part.input);
        const id = providerExecuted ? part.toolCallId : ids(part.toolCallId);
        const input = typeof given === "string" && providerExecuted ? {} : given;
        const made: KeptPart = { type: "tool-call", toolCallId: id, toolName, input };
        if (providerExecuted) {
          made.providerExecuted = true;
          searches++;
        } else calls.push({ id, tool: names.get(toolName) ?? toolName, input });
        parts.push(withOptions(made, part.providerMetadata));
        break;
      }
      case "tool-result": {
        if (part.preliminary) break;
        const { toolCallId, toolName, result, isError } = part;
        const output = { type: isError ? ("error-json" as const) : ("json" as const), value: result };
        parts.push(withOptions({ type: "tool-result", toolCallId, toolName, output }, part.providerMetadata));
        break;
      }
      case "source":
        if (part.sourceType === "url") sources.set(part.url, part.title || part.url);
        break;
      case "custom":
        parts.push(withOptions({ type: "custom", kind: part.kind }, part.providerMetadata));
        break;
      case "error":
        throw part.error;
      case "finish": {
        if (!whole && !blocked) return undefined;
        const stop = blocked || refused ? "refused" : stopOf(part.finishReason);
        if (stop === undefined)
          throw { type: "server_error", code: "server_error", message: broken(part.finishReason) };
        const sound = stop === "done" || stop === "paused";
        const about = part.providerMetadata ?? {};
        return {
          calls: sound ? calls : [],
          parts: sound ? parts : [],
          sources,
          stop,
          usage: part.usage,
          about,
          searches,
        };
      }
    }
  }
  return undefined;
}

const key = ({ type, id }: { type: string; id: string }): string => `${type.split("-")[0]} ${id}`;

function withOptions<T extends KeptPart>(part: T, given: Record<string, unknown> | undefined): T {
  if (!given) return part;
  const before = (part.providerOptions ?? {}) as Record<string, object>;
  const after = { ...before };
  for (const [provider, options] of Object.entries(given))
    after[provider] = { ...before[provider], ...(options as object) };
  part.providerOptions = after as never;
  return part;
}

/** The prefix of a call's input that is not a JSON object. It is a text, so no tool accepts it. */
export const malformed = "malformed arguments, not a JSON object: ";

/** Never throws: an answer with one bad call still has all the others. */
export function inputOf(text: string): unknown {
  const given = text.trim();
  if (given === "") return {};
  for (let now: unknown = given, n = 0; n < 2 && typeof now === "string"; n++) {
    try {
      now = JSON.parse(now);
    } catch {
      break;
    }
    if (typeof now === "object" && now !== null && !Array.isArray(now) && isShallow(now)) return now;
  }
  return `${malformed}${given.slice(0, 2_000)}`;
}

/** Deeply nested JSON can be parsed, but not serialised again. */
const isShallow = (value: unknown, left = 64): boolean =>
  typeof value !== "object" ||
  value === null ||
  (left > 0 && Object.values(value).every((one) => isShallow(one, left - 1)));

/** Undefined if the provider says that it failed. */
function stopOf({ unified, raw }: LanguageModelV4FinishReason): Stop | undefined {
  if (raw === "pause_turn") return "paused";
  if (unified === "length") return "length";
  if (unified === "content-filter") return "refused";
  return unified === "error" ? undefined : "done";
}

const broken = ({ raw }: LanguageModelV4FinishReason): string =>
  raw === "MALFORMED_FUNCTION_CALL"
    ? "the model wrote a call that cannot be read"
    : `the answer failed (${raw ?? "error"})`;

/** Each provider marks its last event in its own way. */
function isLast(dialect: Dialect, value: unknown): boolean {
  const event = (value ?? {}) as Record<string, unknown>;
  if (dialect === "anthropic") return event.type === "message_stop";
  if (dialect === "openai") return /^response\.(completed|incomplete|failed)$/.test(String(event.type));
  const list = event[dialect === "google" ? "candidates" : "choices"];
  const [first] = Array.isArray(list) ? list : [];
  return Boolean(first?.[dialect === "google" ? "finishReason" : "finish_reason"]);
}

/** Gemini refuses a prompt without giving any answer. */
const isBlocked = (value: unknown): boolean =>
  Boolean((value as { promptFeedback?: { blockReason?: unknown } } | undefined)?.promptFeedback?.blockReason);

/** OpenAI sends refusals in a field of their own, which the SDK below drops. */
function refusalsIn(value: unknown): string[] {
  const { type, delta, choices } = (value ?? {}) as { type?: unknown; delta?: unknown; choices?: unknown };
  if (type === "response.refusal.delta") return typeof delta === "string" && delta ? [delta] : [];
  const [first] = Array.isArray(choices) ? choices : [];
  const said = first?.delta?.refusal;
  return typeof said === "string" && said ? [said] : [];
}
