/**
 * All models, by the names people write: `provider/model`, an alias of the config, or either with `text:` before it for a model that cannot call
 * tools. No provider is contacted here, except to check whether an Ollama runs on this machine when nobody chose a model.
 */
import type { Clock } from "../lib/world.ts";
import type { Config } from "../schema/config.ts";
import { type Backend, BackendError } from "./backend.ts";
import { createModel } from "./model.ts";
import { type Model, modelOf, usual } from "./models.ts";
import { type Env, type Provider, providerNames, providerOf } from "./providers.ts";
import type { Fetch, Patience } from "./watch.ts";

export interface Resolved {
  /** The name after resolving aliases. */
  name: string;
  provider: string;
  /** The provider's own name for it. */
  model: string;
  text: boolean;
  known: Model;
  baseUrl: string;
  chosenBy: string;
}

export interface Available {
  provider: string;
  /** It is configured; an Ollama may still not be running. */
  ready: boolean;
  baseUrl: string;
  chosenBy: string;
  /** The environment variables that may hold its key, and the one that does. */
  keyVariables: readonly string[];
  keyFrom: string | undefined;
  /** The default model. */
  model: string | undefined;
}

export interface Choice {
  /** Undefined if no provider is available. */
  model: string | undefined;
  why: string;
  found: Available[];
  /** Models of the Ollama on this machine; undefined if it was not asked or does not answer. */
  ollama: string[] | undefined;
}

export interface Backends {
  /** Never throws: an unknown model, or one without a key, fails when called, like a provider that cannot be reached. */
  backend(model: string): Backend;
  /** Throws a BackendError for an unknown name, so that it can be refused early. */
  resolve(model: string): Resolved;
  available(): Available[];
  /** The names of the models that a local Ollama has; undefined if it does not answer. */
  ollama(signal?: AbortSignal): Promise<string[] | undefined>;
  choose(signal?: AbortSignal): Promise<Choice>;
}

export interface BackendsOptions {
  config: Config;
  env: Env;
  clock: Clock;
  fetch: Fetch;
  patience?: Partial<Patience>;
  /** Why every call is refused: nothing is sent to any provider. */
  closed?: string;
}

const usualPatience: Patience = { silent: 60_000, whole: 600_000 };
const probeTime = 1_500;

export function createBackends({ config, env, clock, fetch, patience, closed }: BackendsOptions): Backends {
  const made = new Map<string, Backend>();

  function find(given: string): Resolved & { asked: Provider } {
    const { name, text } = resolveAlias(given, config);
    const [provider = "", ...rest] = name.split("/");
    const model = rest.join("/");
    if (!model) throw new BackendError("permanent", noModel(name, config));
    const asked = providerOf(provider, config, env);
    const family = asked.kind === "openai-compatible" ? undefined : asked.kind;
    const known = modelOf(config, provider, family, model);
    const { baseUrl, chosenBy } = asked;
    return { name, provider, model, text: text || !known.tools, known, baseUrl, chosenBy, asked };
  }

  const available = (): Available[] =>
    providerNames(config).flatMap((name) => {
      let provider: Provider;
      try {
        provider = providerOf(name, config, env);
      } catch {
        // Declared without a URL: it cannot be used.
        return [];
      }
      const { baseUrl, chosenBy, keyVariables, key, keyNeeded } = provider;
      const keyFrom = key ? keyVariables.find((variable) => env[variable]?.trim()) : undefined;
      const model = Object.hasOwn(usual, name) ? `${name}/${usual[name]}` : undefined;
      return [{ provider: name, ready: Boolean(key) || !keyNeeded, baseUrl, chosenBy, keyVariables, keyFrom, model }];
    });

  /** The names of the models that a local Ollama has. */
  async function ollama(signal?: AbortSignal): Promise<string[] | undefined> {
    if (closed) return undefined;
    const stop = new AbortController();
    const abort = () => stop.abort();
    const cancel = clock.after(probeTime, abort);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const { baseUrl } = providerOf("ollama", config, env);
      const send = fetch;
      const answer = await send(`${baseUrl.replace(/\/v1$/, "")}/api/tags`, { signal: stop.signal });
      const { models } = (await answer.json()) as { models?: { name?: unknown }[] };
      return (models ?? []).flatMap(({ name }) => (typeof name === "string" && !/embed/i.test(name) ? [name] : []));
    } catch {
      // Whatever the reason, none is available.
      return undefined;
    } finally {
      cancel();
      signal?.removeEventListener("abort", abort);
    }
  }

  return {
    backend(given) {
      if (closed) return nobody(new BackendError("permanent", closed));
      let found: ReturnType<typeof find>;
      try {
        found = find(given);
      } catch (error) {
        return nobody(error);
      }
      const { name, model, text, known, asked } = found;
      const id = `${text ? "text:" : ""}${name}`;
      const had = made.get(id);
      if (had) return had;
      const backend = createModel(
        { provider: asked, name: model, model: known, text },
        { clock, fetch, patience: { ...usualPatience, ...patience } },
      );
      made.set(id, backend);
      return backend;
    },
    resolve(given) {
      const { asked: _, ...resolved } = find(given);
      return resolved;
    },
    available,
    ollama,
    async choose(signal) {
      const found = available();
      if (closed) return { model: undefined, why: closed, found, ollama: undefined };
      if (config.model) return { model: config.model, why: "model in config.yaml", found, ollama: undefined };
      const keyed = found.find(({ keyFrom, model }) => keyFrom && model);
      if (keyed) return { model: keyed.model, why: `${keyed.keyFrom} is set`, found, ollama: undefined };
      const local = await ollama(signal);
      if (local?.[0]) return { model: `ollama/${local[0]}`, why: "Ollama runs on this machine", found, ollama: local };
      const variables = [...new Set(found.flatMap(({ keyVariables }) => keyVariables))].join(", ");
      const silent = local ? "has no model" : "does not answer";
      const why = `no model is chosen, none of ${variables} is set, and Ollama ${silent}`;
      return { model: undefined, why, found, ollama: local };
    },
  };
}

const nobody = (error: unknown): Backend => ({
  worst: () => ({ usd: 0, tokens: 0 }),
  // biome-ignore lint/correctness/useYield: it fails before it says anything
  async *call() {
    throw error;
  },
});

function noModel(name: string, { aliases }: Config): string {
  const names = Object.keys(aliases);
  const known = names.length ? `one of the aliases ${names.join(", ")}` : "an alias from config.yaml";
  return `${name || "(nothing)"} is not a model name: use provider/model, such as anthropic/${usual.anthropic}, or ${known}`;
}

/** Resolves chains of aliases; `text:` may precede any of them. */
export function resolveAlias(given: string, { aliases }: Config): { name: string; text: boolean } {
  const road: string[] = [];
  let name = given.trim();
  let text = false;
  for (;;) {
    if (name.startsWith("text:")) {
      text = true;
      name = name.slice("text:".length).trim();
    }
    if (!Object.hasOwn(aliases, name)) return { name, text };
    if (road.includes(name)) {
      const circle = [...road, name].join(" → ");
      throw new BackendError("permanent", `the aliases in config.yaml are circular: ${circle}`);
    }
    road.push(name);
    name = aliases[name]!.trim();
  }
}
