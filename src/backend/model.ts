/**
 * A model behind an API as a backend: one request, one streamed answer. It neither loops nor retries: retries, budgets and tools are the loop's.
 * The one exception: when a provider does not accept its own opaque data (another account, a changed conversation), or does not show its thinking
 * to this account, the same request is sent once more without that, because nothing was answered or billed.
 */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Clock } from "../lib/world.ts";
import type { Allowance } from "../schema/budget.ts";
import { type Heard, hear } from "./answer.ts";
import { type Backend, BackendError, type Part, type Request } from "./backend.ts";
import { cutOff, failure, type Place, stalled } from "./errors.ts";
import { unwrapped, wrapped } from "./indirect.ts";
import { keep } from "./kept.ts";
import { cacheHere, promptOf } from "./messages.ts";
import type { Model } from "./models.ts";
import { markOf } from "./names.ts";
import { billed, mostSearches, usageOf, worstOf } from "./price.ts";
import { languageModel, type Provider, withKey } from "./providers.ts";
import { type Dialect, searchTool, toolsFor } from "./shapes.ts";
import { beatsAsText, hearTags, toolsAsText } from "./text.ts";
import { tokensOf } from "./tokens.ts";
import { type Fetch, type Patience, readAll, type Watch, watch } from "./watch.ts";

export interface Asked {
  provider: Provider;
  /** The provider's own name for it. */
  name: string;
  model: Model;
  /** Calls are written and read as text. */
  text: boolean;
}

export interface Means {
  clock: Clock;
  fetch: Fetch;
  patience: Patience;
}

export function createModel({ provider, name, model, text }: Asked, { clock, fetch, patience }: Means): Backend {
  const maker = `${provider.name}/${name}`;
  const place: Place = {
    provider: provider.name,
    model: name,
    baseUrl: provider.baseUrl,
    chosenBy: provider.chosenBy,
    secrets: provider.key ? [provider.key] : [],
    now: () => clock.now(),
  };
  /** Parts that the provider refused; weak, so that it keeps no transcript alive. */
  const refused = new WeakSet<object>();
  let summaries = true;

  const most = ({ tools }: Request): Allowance => ({
    output: model.maxOutput,
    searches: model.search && !text && tools.some((tool) => tool.name === searchTool) ? mostSearches : 0,
  });
  const worst = (request: Request) => worstOf(model, tokensOf(request), request.allowed ?? most(request));

  function prepare(request: Request, signal: AbortSignal, sent: object[]) {
    const { output, searches } = request.allowed ?? most(request);
    const { tools, names } = toolsFor(text ? [] : request.tools, provider.dialect, searches);
    const system = text ? toolsAsText(request.system, request.tools) : request.system;
    const prompt = promptOf(
      { ...request, system, lines: text ? request.lines : wrapped(request.lines, request.tools) },
      {
        maker: text ? "" : maker,
        pauses: provider.kind === "anthropic",
        marks: provider.kind === "anthropic" || name.startsWith("anthropic/"),
        joined: provider.dialect === "chat" || text,
        sends(kept) {
          if (refused.has(kept)) return false;
          sent.push(kept);
          return true;
        },
        ...(text ? { reshape: beatsAsText } : {}),
      },
    );
    // Without a system prompt the tools are the end of the stable prefix.
    const last = tools.at(-1);
    if (provider.kind === "anthropic" && !system.trim() && last?.type === "function") last.providerOptions = cacheHere;
    const options: LanguageModelV4CallOptions = {
      prompt,
      maxOutputTokens: output,
      ...(tools.length ? { tools } : {}),
      includeRawChunks: true,
      abortSignal: signal,
      providerOptions: settings(provider, model, request, { summaries, searches }),
    };
    return { options, names };
  }

  async function* once(request: Request, watched: Watch, sent: object[]): AsyncGenerator<Part, Heard> {
    const { options, names } = prepare(request, watched.signal, sent);
    const asked = await languageModel(provider, name, watched.fetch);
    const { stream } = await asked.doStream(options);
    const heard = hear(readAll(stream, watched.signal), provider.dialect, names);
    const answer = yield* text ? hearTags(heard) : heard;
    if (!answer) throw cutOff(place);
    return answer;
  }

  async function* call(request: Request, signal: AbortSignal): AsyncGenerator<Part> {
    signal.throwIfAborted();
    withKey(provider);
    quiet();
    for (let first = true; ; first = false) {
      const watched = watch(clock, patience, signal, fetch);
      const sent: object[] = [];
      try {
        yield* ending(request, yield* once(request, watched, sent));
        return;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const ended = watched.ended();
        if (ended) throw stalled(place, patience[ended] / 1000, ended === "whole");
        const without = first ? dispensable(error, sent.length > 0) : undefined;
        if (!without) throw failure(error, place);
        if (without === "summaries") summaries = false;
        else for (const one of sent) refused.add(one);
      } finally {
        watched.release();
      }
    }
  }

  function* ending(request: Request, heard: Heard): Generator<Part> {
    if (heard.sources.size > 0 && heard.stop === "done") yield { type: "text", text: sourceList(heard.sources) };
    for (const one of heard.calls) yield { type: "call", ...unwrapped(one) };
    const usage = usageOf(heard, maker, model);
    const kept = text ? undefined : keep(maker, followed(heard, provider.dialect), heard.stop === "paused");
    yield {
      type: "end",
      // Without a usage report the worst case is charged.
      cost: usage ? billed(heard, usage, model) : worst(request),
      stop: heard.stop,
      ...(usage ? { usage } : {}),
      ...(kept ? { kept } : {}),
    };
  }

  return { window: model.window, name: maker, most, worst, call };
}

/** Options per provider. No temperature: reasoning models refuse it. */
function settings(
  { kind }: Provider,
  { reasons }: Model,
  { system, participant }: Request,
  { summaries, searches }: { summaries: boolean; searches: number },
): NonNullable<LanguageModelV4CallOptions["providerOptions"]> {
  const thinking = reasons === "adaptive" ? { thinking: { type: "adaptive", display: "summarized" } } : {};
  // Arguments streamed without validation arrive sooner and are malformed more often.
  if (kind === "anthropic") return { anthropic: { toolStreaming: false, ...thinking } };
  if (kind === "google" && reasons === "thoughts") return { google: { thinkingConfig: { includeThoughts: true } } };
  if (kind !== "openai") return {};
  return {
    openai: {
      // The provider stores nothing; its thinking comes back encrypted instead.
      store: false,
      ...(searches ? { maxToolCalls: searches } : {}),
      promptCacheKey: `${participant.slice(0, 40)}-${markOf(system)}`,
      ...(reasons === "effort" ? { reasoningEffort: "medium", reasoningSummary: summaries ? "auto" : null } : {}),
    },
  };
}

/** OpenAI accepts thinking only with what followed it, and its searches are not sent back; Gemini needs only what it signed. */
const followed = ({ parts }: Heard, dialect: Dialect) =>
  parts.filter((part, at) => {
    if (part.type !== "reasoning") return true;
    const next = parts[at + 1];
    if (dialect === "openai") return next !== undefined && !(next.type === "tool-call" && next.providerExecuted);
    return dialect !== "google" || part.providerOptions?.google?.thoughtSignature !== undefined;
  });

const mostSources = 20;

function sourceList(sources: ReadonlyMap<string, string>): string {
  const list = [...sources].slice(0, mostSources);
  return `\n\nSources:\n${list.map(([url, title]) => `- ${title === url ? "" : `${title}: `}${url}`).join("\n")}`;
}

/** What to leave out when a refused request is retried. */
function dispensable(error: unknown, keptSent: boolean): "kept" | "summaries" | undefined {
  if (error instanceof BackendError) return undefined;
  const { statusCode, responseBody } = (error ?? {}) as { statusCode?: unknown; responseBody?: unknown };
  if (statusCode !== 400 || typeof responseBody !== "string") return undefined;
  if (/reasoning[ ._]summar/i.test(responseBody)) return "summaries";
  const about = /thinking|signature|encrypted|reasoning|server_tool_use|web_search_tool_result/i;
  return keptSent && about.test(responseBody) ? "kept" : undefined;
}

/** The SDK warns on the console otherwise. */
function quiet(): void {
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
}
