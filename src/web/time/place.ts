/**
 * Where in time one is, and what of it is shown: `?at=702&show=talk&with=carol` or `&show=files&file=…`. The page has it at once; the address
 * follows when the slider rests, because browsers refuse hundreds of changes a second. What another sets in the address (a link, back) counts.
 *
 * Always holds: an address says nothing of the past while one is in the present, and what it says wrongly is left out.
 */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { after } from "../platform.ts";

export const shownViews = ["graph", "talk", "files"] as const;
export type Show = (typeof shownViews)[number];

export interface Place {
  /** Of the event after which it is; missing: now. */
  at?: number;
  /** The graph if missing. */
  show?: Show;
  /** Whose thread; the main one if missing (parts/main-thread.ts). */
  with?: string;
  /** The file that is open. */
  file?: string;
}

export function placeOf({ at, show, with: of, file }: Record<string, unknown>): Place {
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 1) return {};
  return {
    at,
    ...(show === "talk" || show === "files" ? { show } : {}),
    ...(typeof of === "string" || typeof of === "number" ? { with: String(of) } : {}),
    ...(typeof file === "string" || typeof file === "number" ? { file: String(file) } : {}),
  };
}

/** Without what is taken for granted. */
export const searchOf = ({ at, show, with: of, file }: Place): Place =>
  placeOf({
    at,
    ...(show === "graph" ? {} : { show }),
    ...(of === "coordinator" || show !== "talk" ? {} : { with: of }),
    ...(show === "files" && file ? { file } : {}),
  });

const calmMs = 200;

export function usePlace(): [Place, (change: Partial<Record<keyof Place, unknown>>) => void] {
  const said = placeOf(useSearch({ strict: false }));
  const navigate = useNavigate();
  const [place, setPlace] = useState<Place>(said);
  const [theirs, mine] = [JSON.stringify(said), JSON.stringify(searchOf(place))];
  const agreed = useRef(theirs);
  useEffect(() => {
    if (theirs === agreed.current) return;
    agreed.current = theirs;
    setPlace(said);
  }, [theirs]);
  useEffect(() => {
    if (mine === agreed.current) return;
    return after(calmMs, () => {
      agreed.current = mine;
      void navigate({ to: ".", search: JSON.parse(mine), hash: true, replace: true, hashScrollIntoView: false });
    });
  }, [mine, navigate]);
  return [place, (change) => setPlace((before) => ({ ...before, ...change }) as Place)];
}
