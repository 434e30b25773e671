/**
 * The providers: endpoint and API key. Known providers have their usual environment variables; the config may override them and may name any other
 * provider, which is then called as OpenAI-compatible. Keys come from the environment only.
 *
 * Packages are loaded on the first call: starting must be fast.
 */
import type { EmbeddingModelV4, LanguageModelV4 } from "@ai-sdk/provider";
import type { Config } from "../schema/config.ts";
import { BackendError } from "./backend.ts";
import type { Dialect } from "./shapes.ts";
import type { Fetch } from "./watch.ts";

export type Env = Record<string, string | undefined>;
export type Kind = "anthropic" | "openai" | "google" | "openrouter" | "openai-compatible";

export interface Provider {
  name: string;
  kind: Kind;
  dialect: Dialect;
  baseUrl: string;
  /** The setting that chose the base URL. */
  chosenBy: string;
  key: string | undefined;
  /** Where the key was looked for. */
  keyVariables: readonly string[];
  /** It cannot be called without one. */
  keyNeeded: boolean;
}

interface Known {
  kind: Kind;
  keys: string[];
  base: string;
  url: string;
}

/** In the order in which they are tried by default. */
export const knownProviders: Record<string, Known> = {
  anthropic: {
    kind: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    base: "ANTHROPIC_BASE_URL",
    url: "https://api.anthropic.com/v1",
  },
  openai: { kind: "openai", keys: ["OPENAI_API_KEY"], base: "OPENAI_BASE_URL", url: "https://api.openai.com/v1" },
  google: {
    kind: "google",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    base: "GOOGLE_GEMINI_BASE_URL",
    url: "https://generativelanguage.googleapis.com/v1beta",
  },
  openrouter: {
    kind: "openrouter",
    keys: ["OPENROUTER_API_KEY"],
    base: "OPENROUTER_BASE_URL",
    url: "https://openrouter.ai/api/v1",
  },
  ollama: { kind: "openai-compatible", keys: [], base: "OLLAMA_HOST", url: "http://127.0.0.1:11434/v1" },
};

const dialects: Record<Kind, Dialect> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  openrouter: "chat",
  "openai-compatible": "chat",
};

export const providerNames = (config: Config): string[] => [
  ...new Set([...Object.keys(knownProviders), ...Object.keys(config.providers)]),
];

/** Throws a BackendError for an unknown name. The key is checked when it is used. */
export function providerOf(name: string, config: Config, env: Env): Provider {
  const known = Object.hasOwn(knownProviders, name) ? knownProviders[name] : undefined;
  const said = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  if (!known && !said)
    throw new BackendError(
      "permanent",
      `there is no provider ${name}. Providers: ${providerNames(config).join(", ")}; add another as providers.${name}.base_url in config.yaml`,
    );
  const kind = said?.kind ?? known?.kind ?? "openai-compatible";
  const model = known ?? Object.values(knownProviders).find((one) => one.kind === said?.kind && one.keys.length > 0);
  const keyVariables = said?.api_key_env ? [said.api_key_env] : (model?.keys ?? []);
  const { url, chosenBy } = placeOf(name, kind, model, said?.base_url, env);
  return {
    name,
    kind,
    dialect: dialects[kind],
    baseUrl: url,
    chosenBy,
    key: keyVariables.map((variable) => env[variable]?.trim()).find(Boolean),
    keyVariables,
    // A user who configures a URL and no key may have a server that needs none.
    keyNeeded: said?.api_key_env !== undefined || (keyVariables.length > 0 && !said?.base_url),
  };
}

function placeOf(name: string, kind: Kind, known: Known | undefined, said: string | undefined, env: Env) {
  if (said) return { url: versioned(name, said, kind), chosenBy: `providers.${name}.base_url` };
  if (!known)
    throw new BackendError(
      "permanent",
      `providers.${name}.base_url is missing in config.yaml: the address of ${name} is unknown`,
    );
  const given = env[known.base]?.trim();
  if (!given) return { url: known.url, chosenBy: "the default address" };
  return { url: versioned(name, name === "ollama" ? ollamaUrl(given) : given, kind), chosenBy: known.base };
}

/** With its API version at the end, whether it was given or not. */
function versioned(name: string, given: string, kind: Kind): string {
  const url = asUrl(name, given);
  if (url.username || url.password)
    throw new BackendError(
      "permanent",
      `the address of ${name} contains a user or password; put the key into the environment and name its variable in providers.${name}.api_key_env`,
    );
  const path = url.pathname.replace(/\/+$/, "");
  const has = path.split("/").some((step) => /^v\d/.test(step));
  url.pathname = has ? path : `${path}/${kind === "google" ? "v1beta" : "v1"}`;
  url.search = "";
  url.hash = "";
  return url.toString().replace(/\/$/, "");
}

function asUrl(name: string, given: string): URL {
  try {
    return new URL(given);
  } catch {
    throw new BackendError(
      "permanent",
      `the address given for ${name} is not a URL; expected something like https://host/v1`,
    );
  }
}

/** Ollama takes host, host:port and :port too, and listens on 0.0.0.0 where it is reached on 127.0.0.1. */
function ollamaUrl(given: string): string {
  const whole = /^https?:\/\//.test(given);
  const url = asUrl("ollama", whole ? given : `http://${given.startsWith(":") ? `127.0.0.1${given}` : given}`);
  if (!url.port && !whole) url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return url.toString();
}

/** Checks the key before anything is sent. */
export function withKey(provider: Provider): Provider {
  if (provider.key || !provider.keyNeeded) return provider;
  const variables = provider.keyVariables.join(" or ");
  throw new BackendError(
    "provider",
    `${provider.name} needs a key: set ${variables} in the environment, or name another variable as providers.${provider.name}.api_key_env in config.yaml`,
  );
}

/** A placeholder where a server needs no key but the package does. */
const noKey = "none";

export async function languageModel(provider: Provider, model: string, fetch: Fetch): Promise<LanguageModelV4> {
  const { baseUrl: baseURL, key, name } = provider;
  const apiKey = key ?? noKey;
  switch (provider.kind) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic({ baseURL, apiKey, fetch }).languageModel(model);
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI({ baseURL, apiKey, fetch }).responses(model);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle({ baseURL, apiKey, fetch }).languageModel(model);
    case "openrouter": {
      const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
      return createOpenRouter({ baseURL, apiKey, fetch }).chat(model, { usage: { include: true } });
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const given = { name, baseURL, fetch, includeUsage: true, ...(key ? { apiKey } : {}) };
      return createOpenAICompatible(given).chatModel(model);
    }
  }
}

export async function embeddingModel(provider: Provider, model: string, fetch: Fetch): Promise<EmbeddingModelV4> {
  const { baseUrl: baseURL, key, name } = provider;
  const apiKey = key ?? noKey;
  switch (provider.kind) {
    case "anthropic":
      throw new BackendError(
        "permanent",
        `${name} has no embedding models; use openai, google, ollama or a compatible server`,
      );
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI({ baseURL, apiKey, fetch }).embeddingModel(model);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle({ baseURL, apiKey, fetch }).embeddingModel(model);
    case "openrouter":
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const given = { name, baseURL, fetch, ...(key ? { apiKey } : {}) };
      return createOpenAICompatible(given).embeddingModel(model);
    }
  }
}
