/** What was put off, until when: kept in this browser. What is over is forgotten. */
import { useSyncExternalStore } from "react";
import { now } from "../platform.ts";

const place = "agiraph.snoozed";
const listeners = new Set<() => void>();
let kept: Readonly<Record<string, number>> = read();

function read(): Record<string, number> {
  try {
    const found = JSON.parse(localStorage.getItem(place) ?? "{}") as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(found).flatMap(([key, until]) =>
        typeof until === "number" && until > now() ? [[key, until] as const] : [],
      ),
    );
  } catch {
    return {};
  }
}

/** Other windows of this browser put off as well. */
addEventListener("storage", ({ key }) => {
  if (key !== place) return;
  kept = read();
  for (const listener of listeners) listener();
});

/** `until` 0: at once again. */
export function snooze(key: string, until: number): void {
  const { [key]: _, ...rest } = read();
  kept = until > now() ? { ...rest, [key]: until } : rest;
  localStorage.setItem(place, JSON.stringify(kept));
  for (const listener of listeners) listener();
}

/** By key: until when. Those whose time is over are in it still; ask the clock. */
export function useSnoozed(): Readonly<Record<string, number>> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => kept,
  );
}
