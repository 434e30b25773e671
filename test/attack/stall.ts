/**
 * How long the one thread of a process stands, by the processor's clock and not the wall's. A busy machine slows that clock too (caches, cores
 * that are two in one), so what seems long is measured again, and the least counts: what is wrong is wrong every time.
 */
export function cpuMs(work: () => unknown): number {
  const once = () => {
    const before = process.threadCpuUsage();
    work();
    return since(before);
  };
  let least = once();
  for (let again = 0; again < 3 && isDoubtful(least); again++) least = Math.min(least, once());
  return least;
}

/** The longest piece of this thread's time in which nobody else had a turn while the work was under way, and what it came to. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  let least = await oneTurn(work);
  for (let again = 0; again < 3 && isDoubtful(least.ms); again++) {
    const next = await oneTurn(work);
    if (next.ms < least.ms) least = next;
  }
  return least;
}

async function oneTurn<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  let [ms, over] = [0, false];
  let before = process.threadCpuUsage();
  const look = () => {
    ms = Math.max(ms, since(before));
    before = process.threadCpuUsage();
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  try {
    const value = await work();
    await new Promise((resolve) => setImmediate(resolve));
    return { ms, value };
  } finally {
    over = true;
  }
}

const isDoubtful = (ms: number): boolean => ms > 80 && ms < 500;

const since = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};
