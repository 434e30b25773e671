/**
 * Binds the keys of key-map.tsx. `useKey(keyMap.graph, act)` holds while its component is mounted; the last one mounted is asked first, and says by
 * `false` that it did not take the key. Single keys rest while somebody writes, also for a moment after the field they wrote in went away under
 * their fingers; `mod+…` and Escape do not. A key that is held down acts once.
 *
 * What a key does must be visible to whoever presses it: a handler that answers, allows or ends something first checks that its target has the
 * focus or is on the screen (on-screen.ts).
 */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { now } from "../platform.ts";
import type { Key } from "./key-map.tsx";

/** `name`: which of its keys. */
type Act = (event: KeyboardEvent, name: string) => unknown;

interface Binding {
  key: Key;
  act: Act;
}

interface Keys {
  add(binding: Binding): () => void;
}

const KeysContext = createContext<Keys>({ add: () => () => undefined });

export function KeysProvider({ children }: { children: ReactNode }) {
  const bindings = useRef<Binding[]>([]);
  const keys = useMemo<Keys>(
    () => ({
      add(binding) {
        bindings.current = [...bindings.current, binding];
        return () => {
          bindings.current = bindings.current.filter((one) => one !== binding);
        };
      },
    }),
    [],
  );
  useEffect(() => {
    let wroteAt = 0;
    function press(event: KeyboardEvent): void {
      const name = nameOf(event);
      const single = !/^(mod\+|escape$)/.test(name);
      if (isWriting(event.target)) {
        wroteAt = single && name !== "enter" && name !== "tab" ? now() : 0;
        if (single) return;
      }
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      // The field is gone, and who writes has not seen it yet.
      if (single && event.target === document.body && now() - wroteAt < settleMs) return;
      if (document.querySelector("dialog[open]") && !name.startsWith("mod+")) return;
      for (const { key, act } of bindings.current.toReversed()) {
        if (!key.keys.includes(name) || act(event, name) === false) continue;
        event.preventDefault();
        return;
      }
    }
    const left = () => {
      wroteAt = 0;
    };
    addEventListener("keydown", press);
    addEventListener("pointerdown", left, true);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("pointerdown", left, true);
    };
  }, []);
  return <KeysContext value={keys}>{children}</KeysContext>;
}

export function useKey(key: Key, act: Act): void {
  const keys = useContext(KeysContext);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => keys.add({ key, act: (event, name) => latest.current(event, name) }), [keys, key]);
}

function nameOf({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  return `${metaKey || ctrlKey ? "mod+" : ""}${altKey ? "alt+" : ""}${key.toLowerCase()}`;
}

const settleMs = 700;

/** A checkbox takes no text. */
function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|button|submit|reset|file)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
  );
}
