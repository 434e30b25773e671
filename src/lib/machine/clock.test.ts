import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const longest = 2 ** 31 - 1;

test.each([0, 1, 1_000, longest - 1, longest, longest + 1, 3 * longest, 100 * 86_400_000])(
  "a wait of %i ms is over after exactly that, and once",
  (ms) => {
    const call = vi.fn();
    clock.after(ms, call);
    vi.advanceTimersByTime(Math.max(0, ms - 1));
    if (ms > 0) expect(call).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(call).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(3 * longest);
    expect(call).toHaveBeenCalledTimes(1);
  },
);

test.each([0, longest, longest + 5, 2.5 * longest])("a wait of months can be cancelled after %i ms", (after) => {
  const call = vi.fn();
  const cancel = clock.after(3 * longest, call);
  vi.advanceTimersByTime(after);
  cancel();
  vi.advanceTimersByTime(5 * longest);
  expect(call).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("a time that has passed comes at once, and one that never comes does not", () => {
  const call = vi.fn();
  clock.after(-5_000, call);
  clock.after(Number.POSITIVE_INFINITY, () => expect.unreachable());
  vi.advanceTimersByTime(1);
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(20 * longest);
});

test("waiting does not keep the process alive", () => {
  vi.useRealTimers();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const cancels = [clock.after(1_000_000, () => undefined), clock.after(3 * longest, () => undefined)];
  expect(timers()).toBe(before);
  for (const cancel of cancels) cancel();
});
