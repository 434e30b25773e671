/** Files that are dropped anywhere on the page are attached, instead of taking its place. */
import { useEffect, useEffectEvent, useState } from "react";

/** True while files are held over the page. */
export function useDrop(add: (files: Iterable<File>) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(add);
  useEffect(() => {
    let depth = 0;
    const holds = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const enter = (event: DragEvent) => {
      if (!holds(event)) return;
      depth++;
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!holds(event)) return;
      depth--;
      if (depth <= 0) setOver(false);
    };
    const hold = (event: DragEvent) => {
      if (holds(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!holds(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      take(event.dataTransfer?.files ?? []);
    };
    const ending = new AbortController();
    const { signal } = ending;
    document.addEventListener("dragenter", enter, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("dragover", hold, { signal });
    document.addEventListener("drop", drop, { signal });
    return () => ending.abort();
  }, []);
  return over;
}
