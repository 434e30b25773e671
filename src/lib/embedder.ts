/**
 * What turns text into vectors whose nearness is nearness of meaning: the offline model (machine/offline-embedder.ts) or a provider's
 * (backend/embeddings.ts). Everything works without one.
 */
export interface Embedder {
  /** Names the model; vectors of different models are never compared. */
  readonly model: string;
  /**
   * One vector for each text, all of one size. `urgent` ones are made before those that can wait. Rejects if it cannot, now or ever; the next
   * call tries again. Resolves or rejects within the time the implementation promises, never hangs.
   */
  embed(texts: readonly string[], options?: { urgent?: boolean }): Promise<Float32Array[]>;
  close(): Promise<void>;
}
