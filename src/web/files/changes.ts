/** Says when files may have changed: after events that touch files, without polling. Several changes at once count as one. */
import { useEffect, useRef } from "react";
import { after } from "../platform.ts";
import { useLink, useStore } from "../store/hooks.ts";

const touches = /^(file\.|memory\.|document\.|resource\.|node\.|run\.|tool\.ended$|agent\.created$)/;
const calmMs = 250;

export function useFileChanges(agent: string, changed: () => void): void {
  const store = useStore();
  const { status } = useLink();
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    let cancel: (() => void) | undefined;
    const stop = store.onEvent((of, { type }) => {
      if (of !== agent || !touches.test(type)) return;
      cancel?.();
      cancel = after(calmMs, () => latest.current());
    });
    return () => {
      stop();
      cancel?.();
    };
  }, [store, agent]);
  // What changed while nobody could tell us.
  const was = useRef(status);
  useEffect(() => {
    if (was.current !== "live" && status === "live") latest.current();
    was.current = status;
  }, [status]);
}
