/** Embeddings by a provider. All vectors of one embedder have the same dimensions; an embedder with another id is another vector space. */
import type { Clock } from "../lib/world.ts";
import type { Config } from "../schema/config.ts";
import { BackendError } from "./backend.ts";
import { failure, type Place, stalled } from "./errors.ts";
import { type Env, embeddingModel, providerOf, withKey } from "./providers.ts";
import { type Fetch, watch } from "./watch.ts";

export interface Embedder {
  id: string;
  /** Dimensions of each vector; for an unknown model known after the first text. */
  readonly size: number | undefined;
  /** In the order of the texts. Throws a BackendError. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

const sizes: Record<string, number> = {
  "openai/text-embedding-3-small": 1536,
  "openai/text-embedding-3-large": 3072,
  "openai/text-embedding-ada-002": 1536,
  "google/gemini-embedding-001": 3072,
  "ollama/nomic-embed-text": 768,
};

const patience = { silent: 30_000, whole: 120_000 };
/** Providers take between 100 and 2,048 in one request; small ones fail cheaper. */
const most = 96;

export function createEmbedder(
  model: string,
  { config, env, clock, fetch }: { config: Config; env: Env; clock: Clock; fetch: Fetch },
): Embedder {
  const [name = "", ...rest] = model.split("/");
  const called = rest.join("/");
  if (!called) throw new BackendError("permanent", `${model} is not an embedding model name: use provider/model`);
  const provider = withKey(providerOf(name, config, env));
  const place: Place = {
    provider: name,
    model: called,
    baseUrl: provider.baseUrl,
    chosenBy: provider.chosenBy,
    secrets: provider.key ? [provider.key] : [],
    now: () => clock.now(),
  };
  let size = sizes[model];

  async function some(values: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const watched = watch(clock, patience, signal, fetch);
    try {
      const asked = await embeddingModel(provider, called, watched.fetch);
      const { embeddings } = await asked.doEmbed({ values, abortSignal: watched.signal });
      if (embeddings.length !== values.length)
        throw new Error(`the provider returned ${embeddings.length} vectors for ${values.length} texts`);
      return embeddings.map((numbers) => Float32Array.from(numbers));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const ended = watched.ended();
      throw ended ? stalled(place, patience[ended] / 1000, ended === "whole") : failure(error, place);
    } finally {
      watched.release();
    }
  }

  return {
    id: model,
    get size() {
      return size;
    },
    async embed(texts, signal) {
      signal.throwIfAborted();
      const vectors: Float32Array[] = [];
      // Providers refuse an empty text.
      const values = texts.map((text) => text.trim() || "(empty)");
      for (let from = 0; from < values.length; from += most)
        vectors.push(...(await some(values.slice(from, from + most), signal)));
      size ??= vectors[0]?.length;
      const odd = vectors.find((vector) => vector.length !== size);
      if (odd)
        throw new BackendError("permanent", `${model} returned a vector of ${odd.length} numbers instead of ${size}`);
      return vectors;
    },
  };
}
