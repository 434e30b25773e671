/** How long the one thread of a process stands. */

/** By the processor's clock and not the wall's, so that whatever else the machine does counts for nothing. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
