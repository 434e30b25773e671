/**
 * The embedder port: turns text into vectors (embeddings) whose distance is a distance in meaning: the offline model (machine/offline-embedder.ts)
 * or a provider's. Everything works without one.
 */
export interface Embedder {
  /** The model; vectors of different models are never compared. */
  readonly id: string;
  /**
   * One vector for each text, all with the same dimensions. `urgent` texts go first, where there is a queue. Rejects if it fails, or when the
   * signal aborts; the next call tries again. Never hangs.
   */
  embed(texts: readonly string[], signal: AbortSignal, urgent?: boolean): Promise<Float32Array[]>;
}
