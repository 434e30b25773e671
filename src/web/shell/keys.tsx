/**
 * Keys of the page. `useKey("g", "Graph", act)` holds while its component is there; the one that came last is asked first and says by `false`
 * that it did not take the key. Single keys rest while somebody writes; `mod+…` and Escape do not.
 */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";

export interface Key {
  /** As KeyboardEvent.key in lower case, with `mod+`, `alt+` before it. */
  key: string;
  does: string;
  act(event: KeyboardEvent): unknown;
}

interface Keys {
  add(key: Key): () => void;
}

const KeysContext = createContext<Keys>({ add: () => () => undefined });

export function KeysProvider({ children }: { children: ReactNode }) {
  const held = useRef<Key[]>([]);
  const keys = useMemo<Keys>(
    () => ({
      add(key) {
        held.current = [...held.current, key];
        return () => {
          held.current = held.current.filter((one) => one !== key);
        };
      },
    }),
    [],
  );
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.isComposing) return;
      const name = nameOf(event);
      if (writes(event.target) && !/^(mod\+|escape$)/.test(name)) return;
      if (document.querySelector("dialog[open]") && !name.startsWith("mod+")) return;
      for (const { key, act } of held.current.toReversed()) {
        if (key.toLowerCase() !== name || act(event) === false) continue;
        event.preventDefault();
        return;
      }
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return <KeysContext value={keys}>{children}</KeysContext>;
}

export function useKey(key: string, does: string, act: Key["act"]): void {
  const keys = useContext(KeysContext);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => keys.add({ key, does, act: (event) => latest.current(event) }), [keys, key, does]);
}

function nameOf({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  return `${metaKey || ctrlKey ? "mod+" : ""}${altKey ? "alt+" : ""}${key.toLowerCase()}`;
}

function writes(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
