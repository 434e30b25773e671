/**
 * Keys in a tree: up and down, right opens and goes in, left closes and goes out, Home and End, and letters jump to a name. Letters only for
 * who walks by keys, and only to a name that is there: all others are the page's.
 */
import { type KeyboardEvent, useRef } from "react";
import { now } from "../platform.ts";

/** Letters that come after each other so fast are one word. */
const wordMs = 700;

export function useTreeKeys(): (event: KeyboardEvent<HTMLElement>) => void {
  const typed = useRef({ word: "", at: 0 });
  return (event) => {
    const rows = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(".tr:not(:disabled)")];
    const at = rows.indexOf(event.target as HTMLButtonElement);
    const row = rows[at];
    if (!row || event.metaKey || event.ctrlKey || event.altKey) return;
    const open = row.getAttribute("aria-expanded");
    const next = stepOf(event.key, rows, at, open);
    if (next === "click") row.click();
    else if (next) next.focus();
    else if (!typeAhead(event.key, rows, at, typed.current)) return;
    event.preventDefault();
  };
}

function stepOf(key: string, rows: HTMLButtonElement[], at: number, open: string | null) {
  switch (key) {
    case "ArrowDown":
      return rows[at + 1] ?? rows[at];
    case "ArrowUp":
      return rows[at - 1] ?? rows[at];
    case "Home":
      return rows[0];
    case "End":
      return rows.at(-1);
    case "ArrowRight":
      return open === "false" ? "click" : open === "true" ? rows[at + 1] : rows[at];
    case "ArrowLeft": {
      if (open === "true") return "click";
      const path = rows[at]!.dataset.path ?? "";
      return rows.find(({ dataset }) => dataset.path === path.slice(0, path.lastIndexOf("/"))) ?? rows[at];
    }
    default:
      return undefined;
  }
}

/** False if no name begins so. */
function typeAhead(key: string, rows: HTMLButtonElement[], at: number, typed: { word: string; at: number }): boolean {
  if (key.length !== 1 || key === " " || !rows[at]!.matches(":focus-visible")) return false;
  const fresh = now() - typed.at > wordMs;
  const word = (fresh ? "" : typed.word) + key.toLowerCase();
  // A first letter goes on to the next; more of a word may stay where it is.
  const from = word.length === 1 ? at + 1 : at;
  const found = [...rows.slice(from), ...rows.slice(0, from)].find(({ dataset }) =>
    (dataset.path ?? "").split("/").at(-1)!.toLowerCase().startsWith(word),
  );
  if (!found) return false;
  Object.assign(typed, { word, at: now() });
  found.focus();
  return true;
}
