/**
 * Texts that were begun and not yet saved, with the version they began from: kept in this browser, so they outlive a reload and a look
 * elsewhere. One that the browser has no room for is kept while the window is open.
 */
import { useSyncExternalStore } from "react";

export interface Draft {
  text: string;
  /** The version it began from; null for a new file. */
  base: { sha256: string; text: string } | null;
}

const prefix = "agiraph.file-draft.";
const held = new Map<string, Draft>();
const listeners = new Set<() => void>();
let version = 0;

export function draftOf(key: string): Draft | undefined {
  const there = held.get(key);
  if (there) return there;
  try {
    const found = JSON.parse(localStorage.getItem(prefix + key) ?? "null") as Draft | null;
    const whole = typeof found?.text === "string" && (found.base === null || typeof found.base?.sha256 === "string");
    return whole ? found : undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(key: string, draft: Draft | undefined): void {
  const had = hasDraft(key);
  try {
    if (draft) localStorage.setItem(prefix + key, JSON.stringify(draft));
    else localStorage.removeItem(prefix + key);
  } catch {
    // No room: what is held is all there is.
  }
  if (draft) held.set(key, draft);
  else held.delete(key);
  if (had === (draft !== undefined)) return;
  version++;
  for (const listener of listeners) listener();
}

const hasDraft = (key: string): boolean => held.has(key) || localStorage.getItem(prefix + key) !== null;

/** Tells which files have something unsaved; draws again when that changes. */
export function useDrafts(): (key: string) => boolean {
  useSyncExternalStore(subscribe, () => version);
  return hasDraft;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
