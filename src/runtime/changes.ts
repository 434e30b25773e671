/** Waits for the next change of an agent's state. Whoever waits asks the state again, so no change can be missed. */
export interface Changes {
  ring(): void;
  /** Resolves after the next change, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
}

export function createChanges(): Changes {
  const waiting = new Set<() => void>();
  return {
    ring() {
      for (const go of waiting) go();
    },
    next: (signal) =>
      new Promise((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal.removeEventListener("abort", go);
          resolve();
        };
        if (signal.aborted) return resolve();
        waiting.add(go);
        signal.addEventListener("abort", go, { once: true });
      }),
  };
}
