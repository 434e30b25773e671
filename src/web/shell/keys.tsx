/**
 * Keys of the page. `useKey("g", "Graph", act)` holds while its component is there; the one that came last is asked first and says by `false`
 * that it did not take the key. Single keys rest while somebody writes, also for a moment after the field they wrote in went away under their
 * fingers; `mod+…` and Escape do not. A key that is held down acts once.
 *
 * What a key does must be seen by who presses it: whoever answers, allows or ends something by a key looks first whether that is focused, or on
 * the screen (on-screen.ts).
 */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from "react";
import { now } from "../platform.ts";

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
      for (const { key, act } of held.current.toReversed()) {
        if (key.toLowerCase() !== name || act(event) === false) continue;
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

export function useKey(key: string, does: string, act: Key["act"]): void {
  const keys = useContext(KeysContext);
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => keys.add({ key, does, act: (event) => latest.current(event) }), [keys, key, does]);
}

function nameOf({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  return `${metaKey || ctrlKey ? "mod+" : ""}${altKey ? "alt+" : ""}${key.toLowerCase()}`;
}

const settleMs = 700;

/** A box that is ticked is no text. */
function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(checkbox|button|submit|reset|file)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
  );
}
