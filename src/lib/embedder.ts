/**
 * What turns text into vectors whose nearness is nearness of meaning: the offline model (machine/offline-embedder.ts) or a provider's.
 * Everything works without one.
 */
export interface Embedder {
  /** Names the model; vectors of different models are never compared. */
  readonly id: string;
  /**
   * One vector for each text, all of one size. `urgent` texts are made before those that can wait, where there is a queue. Rejects if it
   * cannot, or when the signal aborts; the next call tries again. Never hangs.
   */
  embed(texts: readonly string[], signal: AbortSignal, urgent?: boolean): Promise<Float32Array[]>;
}
