/**
 * What is said in passing, bottom right, at most two at a time beside what can still be taken back: failures of what somebody did here, and
 * questions that come while one looks elsewhere. `useToasts().attempt(promise)` tells a Problem and swallows it; `say` tells anything.
 */
import type { ReactNode } from "react";
import { Problem } from "../../schema/problem.ts";
import { IconButton } from "../parts/controls/button.tsx";
import { Icon } from "../parts/controls/icon.tsx";
import { after, unique } from "../platform.ts";
import { useFollowed } from "../store/follow.ts";
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

function createToasts() {
  let toasts: readonly (Toast & { id: string })[] = [];
  const listeners = new Set<() => void>();
  const set = (next: typeof toasts) => {
    toasts = next;
    for (const listener of listeners) listener();
  };
  const close = (id: string) => set(toasts.filter((one) => one.id !== id));
  const say = (toast: Toast): (() => void) => {
    const id = unique();
    set([...toasts, { ...toast, id }].slice(-2));
    if (!toast.stays) after(shownMs, () => close(id));
    return () => close(id);
  };
  return {
    shown: () => toasts,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
    say,
    /** Undefined if it failed; the failure was said. */
    async attempt<T>(doing: Promise<T>): Promise<T | undefined> {
      try {
        return await doing;
      } catch (error) {
        say({ look: "failure", text: error instanceof Problem ? error.message : String(error) });
        return undefined;
      }
    },
  };
}

/** One for the page, also for what is not a component. */
export const toastStore = createToasts();
export const useToasts = () => toastStore;

export function Toasts() {
  const { subscribe, shown: now, close } = useToasts();
  const shown = useFollowed(subscribe, now);
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
