/**
 * The APIs of the model providers as the gateway sees them: which call it is, the limit on its answer, and its usage. Nothing else of a request or
 * an answer is looked at.
 */
import type { Used } from "../backend/price.ts";

type Json = Record<string, unknown>;
export type Api = "messages" | "responses" | "chat" | "gemini";

/** What a path asks for. `free`: it costs nothing, so it is forwarded unmetered. */
export interface WireRequest {
  /** Without its version. */
  path: string;
  api: Api;
  free: boolean;
  /** If the path names it. */
  model?: string;
}

/** `path` is what follows the provider's name, with or without a version. Undefined if the gateway does not support it. */
export function readPath(method: string, given: string): WireRequest | undefined {
  const path = given.replace(/^\/v\d\w*(?=\/)/, "");
  const api = apiOf(path);
  if (method === "GET") return /^\/models(\/[\w.:-]+)?$/.test(path) ? { path, free: true, api } : undefined;
  if (method !== "POST") return undefined;
  if (path === "/messages/count_tokens" || /^\/models\/[\w.:-]+:countTokens$/.test(path))
    return { path, free: true, api };
  if (["/messages", "/responses", "/chat/completions"].includes(path)) return { path, free: false, api };
  const [, model] = /^\/models\/([\w.-]+):(?:stream)?[gG]enerateContent$/.exec(path) ?? [];
  return model ? { path, free: false, api, model } : undefined;
}

const apiOf = (path: string): Api =>
  path.startsWith("/messages")
    ? "messages"
    : path.startsWith("/responses")
      ? "responses"
      : path.includes(":")
        ? "gemini"
        : "chat";

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const inner = (value: unknown, name: string): Json =>
  isJson(value) && isJson(value[name]) ? (value[name] as Json) : {};
const count = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.round(value) : 0);

/** The limit on the answer that the caller set itself. */
export function outputOf(api: Api, body: Json): number | undefined {
  const given = {
    messages: body.max_tokens,
    responses: body.max_output_tokens,
    chat: body.max_completion_tokens ?? body.max_tokens,
    gemini: inner(body, "generationConfig").maxOutputTokens,
  }[api];
  return count(given) || undefined;
}

/** The request with this limit on its answer, and asked to report its usage. */
export function withOutput(api: Api, body: Json, output: number): Json {
  switch (api) {
    case "messages":
      return { ...body, max_tokens: output, ...shorterThought(body, output) };
    case "responses":
      return { ...body, max_output_tokens: output };
    case "chat": {
      const name =
        body.max_completion_tokens === undefined && body.max_tokens !== undefined
          ? "max_tokens"
          : "max_completion_tokens";
      const usage = body.stream ? { stream_options: { ...inner(body, "stream_options"), include_usage: true } } : {};
      return { ...body, [name]: output, ...usage };
    }
    case "gemini":
      return { ...body, generationConfig: { ...inner(body, "generationConfig"), maxOutputTokens: output } };
  }
}

/** Anthropic refuses a thinking budget that is not below the limit. */
function shorterThought(body: Json, output: number): Json {
  const thinking = inner(body, "thinking");
  if (count(thinking.budget_tokens) < output) return {};
  return {
    thinking: output > 1_024 ? { ...thinking, budget_tokens: Math.max(1_024, output - 512) } : { type: "disabled" },
  };
}

/** Adds the usage that an answer, or one event of a stream, reports. Later numbers replace earlier ones: they are cumulative. */
export function readUsage(api: Api, said: unknown, used: Partial<Used>): void {
  if (api === "messages") {
    const usage = { ...inner(inner(said, "message"), "usage"), ...inner(said, "usage") };
    const [read, write] = [usage.cache_read_input_tokens, usage.cache_creation_input_tokens];
    if (read !== undefined) used.cache_read = count(read);
    if (write !== undefined) used.cache_write = count(write);
    if (usage.input_tokens !== undefined)
      used.input = count(usage.input_tokens) + (used.cache_read ?? 0) + (used.cache_write ?? 0);
    if (usage.output_tokens !== undefined) used.output = count(usage.output_tokens);
  } else if (api === "gemini") {
    const usage = inner(said, "usageMetadata");
    if (usage.promptTokenCount === undefined) return;
    used.input = count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount);
    used.cache_read = count(usage.cachedContentTokenCount);
    used.output = count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount);
  } else {
    const usage = { ...inner(inner(said, "response"), "usage"), ...inner(said, "usage") };
    const [input, output] = [usage.input_tokens ?? usage.prompt_tokens, usage.output_tokens ?? usage.completion_tokens];
    if (input === undefined) return;
    const details = { ...inner(usage, "prompt_tokens_details"), ...inner(usage, "input_tokens_details") };
    used.input = count(input);
    used.cache_read = count(details.cached_tokens);
    used.output = count(output);
  }
}

/** An error in the format of this API. */
export function errorOf(api: Api, status: number, message: string): Json {
  const type = status === 401 ? "authentication_error" : status < 500 ? "invalid_request_error" : "api_error";
  if (api === "messages") return { type: "error", error: { type, message } };
  if (api === "gemini") return { error: { code: status, message, status: "INVALID_ARGUMENT" } };
  return { error: { message, type, code: null, param: null } };
}
