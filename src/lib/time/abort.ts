/**
 * A signal that aborts when one of the others does. Like AbortSignal.any, but its creator releases it: `any` keeps everything that listens to it
 * alive for as long as its longest-lived source, which for a daemon is for ever (a leak).
 */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; release(): void } {
  const joined = new AbortController();
  const letGo: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    const abort = () => joined.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    letGo.push(() => signal.removeEventListener("abort", abort));
  }
  const release = () => {
    for (const go of letGo) go();
  };
  return { signal: joined.signal, release };
}
