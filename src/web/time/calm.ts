/** What is dear to draw follows the slider a few times a second, not with every pixel, and is always where it rests. */
import { useDeferredValue, useEffect, useRef, useState } from "react";
import { after, now } from "../platform.ts";

const calmMs = 150;

export function useCalm<T>(value: T): T {
  const [shown, setShown] = useState(value);
  const last = useRef(0);
  useEffect(
    () =>
      after(Math.max(0, last.current + calmMs - now()), () => {
        last.current = now();
        setShown(value);
      }),
    [value],
  );
  return useDeferredValue(shown);
}
