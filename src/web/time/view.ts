/** Which part of the lanes is in sight, and zooming into it. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

interface View {
  left: number;
  top: number;
  width: number;
  height: number;
}

export function useView(box: RefObject<HTMLElement | null>): View {
  const [view, setView] = useState<View>({ left: 0, top: 0, width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () =>
      setView({
        left: element.scrollLeft,
        top: element.scrollTop,
        width: element.clientWidth,
        height: element.clientHeight,
      });
    look();
    const watching = new ResizeObserver(look);
    watching.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      watching.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box]);
  return view;
}

interface Zoom {
  perMs: number;
  label: number;
  from: number;
  whole: number;
  span: number | undefined;
  setSpan(span: number | undefined): void;
}

/** What is under the pointer stays there; without a pointer the end stays in sight. */
export function useZoom(box: RefObject<HTMLElement | null>, zoom: Zoom): void {
  const latest = useRef(zoom);
  const held = useRef<{ at: number; x: number }>(undefined);
  const { perMs, label, from, span } = zoom;
  useLayoutEffect(() => {
    latest.current = zoom;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (held.current) element.scrollLeft = label + 14 + (held.current.at - from) * perMs - held.current.x;
    else if (span !== undefined) element.scrollLeft = element.scrollWidth;
    held.current = undefined;
  }, [box, perMs, label, from, span]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    function turn(event: WheelEvent): void {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const now = latest.current;
      const x = event.clientX - element!.getBoundingClientRect().left;
      held.current = { at: now.from + (element!.scrollLeft + x - now.label - 14) / now.perMs, x };
      const next = Math.max(2_000, (now.span ?? now.whole) * 1.0025 ** event.deltaY);
      now.setSpan(next >= now.whole ? undefined : next);
    }
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [box]);
}
