/**
 * A page that failed. If one of its files is gone, the daemon was most likely updated while this window was open: the window is reloaded, once for each file,
 * and then has the new ones.
 */
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../parts/controls/button.tsx";
import { Failed } from "../parts/status/states.tsx";

/** What browsers and Vite say of a module or a style sheet that they could not load. */
const missingFile = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

export function Broken({ error }: ErrorComponentProps) {
  const words = error instanceof Error ? error.message : String(error);
  const missing = missingFile.test(words);
  if (missing && reloadOnce(words)) return null;
  return (
    <Failed what={missing ? "Part of this page could not be loaded" : "This page failed"}>
      <p>
        {missing
          ? "Agiraph was updated or is not running. Nothing is lost: agents are stored on disk."
          : `It cannot be drawn: ${words}. Nothing is lost: agents are stored on disk.`}
      </p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Failed>
  );
}

/** The window lives on for a moment, and may draw this again. */
let isReloading = false;

/** Whether the window is about to be reloaded. */
function reloadOnce(message: string): boolean {
  const key = `agiraph.reloaded:${message}`;
  if (isReloading) return true;
  try {
    if (sessionStorage.getItem(key)) return false;
    sessionStorage.setItem(key, "1");
  } catch {
    return false; // Nothing can be stored: it would reload without an end.
  }
  isReloading = true;
  location.reload();
  return true;
}
