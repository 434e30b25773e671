/**
 * State that outlives a reload, kept in this browser: the only file that names localStorage. A value is named once where it is used
 * (`createKept("agiraph.snoozed", json(…))`), read with `read` or the hook `useKept`, and followed over all windows of this browser.
 *
 * Always holds: what cannot be parsed is missing, not an error. What the browser has no room for is kept while the window is open.
 */
import { useFollowed } from "./follow.ts";

export interface Codec<T> {
  /** Of what is stored; also of nothing, and of whatever an older version or another hand left there. */
  parse(text: string | null): T;
  format(value: T): string;
}

export interface PersistedState<T> {
  /** The same object until it changes. */
  read(key?: string): T;
  /** Nothing: it is forgotten. */
  write(value: T | undefined, key?: string): void;
  has(key?: string): boolean;
  /** Of which there is a value. */
  keys(): string[];
  subscribe(listener: () => void): () => void;
}

/**
 * `key` is for many values of one kind (a draft for each thread): it is put behind the name. `storage` undefined: only while the page is open.
 */
export function createKept<T>(
  name: string,
  { parse, format }: Codec<T>,
  storage: () => Storage | undefined = browserStorage,
): PersistedState<T> {
  const listeners = new Set<() => void>();
  const unstored = new Map<string, string>();
  const parsed = new Map<string, { text: string | null; value: T }>();
  const text = (key: string): string | null =>
    unstored.get(key) ?? attempt(() => storage()?.getItem(name + key)) ?? null;
  const change = () => {
    for (const listener of listeners) listener();
  };
  // Where there is no page, as in a test, there are no other windows either.
  globalThis.addEventListener?.("storage", ({ key }) => {
    if (key === null || key.startsWith(name)) change();
  });
  return {
    read(key = "") {
      const now = text(key);
      const known = parsed.get(key);
      if (known && known.text === now) return known.value;
      const value = parse(now);
      parsed.set(key, { text: now, value });
      return value;
    },
    write(value, key = "") {
      const next = value === undefined ? undefined : format(value);
      if (attempt(() => put(storage(), name + key, next)) || next === undefined) unstored.delete(key);
      else unstored.set(key, next);
      change();
    },
    has: (key = "") => text(key) !== null,
    keys: () => [...new Set([...namesIn(attempt(storage), name), ...unstored.keys()])],
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function useKept<T>(kept: PersistedState<T>, key = ""): [value: T, write: (value: T | undefined) => void] {
  const value = useFollowed(kept.subscribe, () => kept.read(key));
  return [value, (next) => kept.write(next, key)];
}

/** As it is; nothing is the empty text. */
export const plainText: Codec<string> = { parse: (text) => text ?? "", format: (value) => value };

/** `from` makes a sound value of whatever was found. */
export const json = <T>(from: (found: unknown) => T): Codec<T> => ({
  parse: (text) => from(text === null ? undefined : attempt(() => JSON.parse(text))),
  format: (value) => JSON.stringify(value),
});

/** Of a list of texts, whatever else is in it left out. */
export const stringsIn = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];

/** For parts that lay out what they keep themselves (answers that are held, messages that are not sent). */
export const browserStorage = (): Storage => localStorage;
/** Of what is kept only while the page is open. */
export const noStorage = (): undefined => undefined;

/** Whether it is there now. */
function put(storage: Storage | undefined, name: string, text: string | undefined): boolean {
  if (text === undefined) storage?.removeItem(name);
  else storage?.setItem(name, text);
  return storage !== undefined;
}

const namesIn = (storage: Storage | undefined, prefix: string): string[] =>
  Array.from({ length: storage?.length ?? 0 }, (_, nth) => storage?.key(nth) ?? "")
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));

/** A browser may refuse each of these. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
