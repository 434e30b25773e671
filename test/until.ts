/** Waits until a check no longer throws, and gives what it returned. As patient as `expect.poll`: only a test that is stuck waits to the end. */
import { vi } from "vitest";

export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 });
