/** Which events were unread when the thread was opened or the window came back into view. */
import { useEffect, useRef, useState } from "react";
import type { State } from "../../core/state.ts";

export function useUnread(key: string, state: State | undefined): readonly [number, number] | undefined {
  const [span, setSpan] = useState<{ key: string; span: readonly [number, number] }>();
  const seq = useRef(0);
  seq.current = state?.seq ?? 0;
  // Before anything is marked as read.
  if (state && span?.key !== key) setSpan({ key, span: [state.participants.get("human")?.read ?? 0, state.seq] });
  useEffect(() => {
    const turn = () =>
      setSpan((now) => {
        if (!now) return now;
        if (document.visibilityState === "hidden")
          return { key: now.key, span: [seq.current, Number.POSITIVE_INFINITY] };
        return now.span[1] === Number.POSITIVE_INFINITY ? { key: now.key, span: [now.span[0], seq.current] } : now;
      });
    document.addEventListener("visibilitychange", turn);
    return () => document.removeEventListener("visibilitychange", turn);
  }, []);
  return span?.key === key ? span.span : undefined;
}
