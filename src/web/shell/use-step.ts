/** The keys that step through a list: the one after or before the chosen one is opened. */
import { keyMap } from "./key-map.tsx";
import { useKey } from "./keys.tsx";

export const stepOf = (key: string): 1 | -1 => (/^(j|arrowdown)$/.test(key) ? 1 : -1);

/** `open` may return false: then the key does nothing. */
export function useStep<Item>(
  items: readonly Item[],
  isChosen: (item: Item) => boolean,
  open: (item: Item) => unknown,
) {
  useKey(keyMap.step, (_, key) => {
    const next = items[items.findIndex(isChosen) + stepOf(key)];
    return next === undefined ? false : open(next);
  });
}
