/** A list in which what is gone stays for a moment where it was, so that the eye sees it go and the next row does not jump under the pointer. */
import { useEffect, useRef, useState } from "react";
import { after } from "../platform.ts";

const leaveMs = 240;

export interface ShownItem<T> {
  item: T;
  gone: boolean;
}

export function useLeaving<T extends { key: string }>(items: readonly T[]): ShownItem<T>[] {
  const [, again] = useState(0);
  const last = useRef<ShownItem<T>[]>([]);
  const here = new Set(items.map(({ key }) => key));
  const shown: ShownItem<T>[] = items.map((item) => ({ item, gone: false }));
  last.current.forEach(({ item }, index) => {
    if (!here.has(item.key)) shown.splice(Math.min(index, shown.length), 0, { item, gone: true });
  });
  const leaving = shown
    .filter(({ gone }) => gone)
    .map(({ item }) => item.key)
    .join(" ");
  useEffect(() => {
    last.current = shown;
  });
  useEffect(() => {
    if (!leaving) return;
    return after(leaveMs, () => {
      last.current = last.current.filter(({ gone }) => !gone);
      again((count) => count + 1);
    });
  }, [leaving]);
  return shown;
}
