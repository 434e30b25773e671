/**
 * What is said in passing, bottom right, at most two at a time beside what can still be taken back: failures of what somebody did here, and
 * questions that come while one looks elsewhere. `useToasts().attempt(promise)` tells a Problem and swallows it; `say` tells anything.
 */
import { type ReactNode, useSyncExternalStore } from "react";
import { Problem } from "../../schema/problem.ts";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { after, unique } from "../platform.ts";
import { HeldToasts } from "./held.tsx";

export interface Toast {
  look: "question" | "done" | "failure";
  text: ReactNode;
  /** One button. */
  action?: { word: string; act(): void };
  /** Stays until it is closed. */
  stays?: boolean;
}

const shownMs = 8_000;
let toasts: readonly (Toast & { id: string })[] = [];
const listeners = new Set<() => void>();

function set(next: typeof toasts): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const close = (id: string) => set(toasts.filter((one) => one.id !== id));

function say(toast: Toast): () => void {
  const id = unique();
  set([...toasts, { ...toast, id }].slice(-2));
  if (!toast.stays) after(shownMs, () => close(id));
  return () => close(id);
}

/** Undefined if it failed; the failure was said. */
async function attempt<T>(doing: Promise<T>): Promise<T | undefined> {
  try {
    return await doing;
  } catch (error) {
    say({ look: "failure", text: error instanceof Problem ? error.message : String(error) });
    return undefined;
  }
}

/** For those who are no part of the page. */
export const toasting = { say, attempt };
export const useToasts = () => toasting;

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section className="toasts" aria-live="polite" aria-label="Notices">
      <HeldToasts />
      {shown.map(({ id, look, text, action }) => (
        <div key={id} className={`toast ${look}`} role={look === "failure" ? "alert" : "status"}>
          <Icon name={look === "failure" ? "alert" : look === "done" ? "check" : "inbox"} />
          <div className="grow">{text}</div>
          {action ? (
            <button
              type="button"
              className="lnk"
              onClick={() => {
                action.act();
                close(id);
              }}
            >
              {action.word}
            </button>
          ) : null}
          <IconButton label="Close" onClick={() => close(id)}>
            <Icon name="x" size={14} />
          </IconButton>
        </div>
      ))}
    </section>
  );
}
