/**
 * Enter on what is looked at in the queue. Its row has the focus: it is done. Nothing has the focus: the focus goes to what Enter would press, and
 * nothing else happens; so no stray Enter answers, and a second one after an answer meets only the next thing's focus.
 */
import { keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { isOnScreen } from "../shell/on-screen.ts";

export function useEnter(need: string, act: () => void, primary: () => HTMLElement | null): void {
  useKey(keyMap.answer, ({ target }) => {
    const row = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-need]") : null;
    if (target === document.body) return primary()?.focus();
    return row?.dataset.need === need && isOnScreen(primary()) ? act() : false;
  });
}
