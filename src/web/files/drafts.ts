/**
 * Texts that were begun and not yet saved, with the version they began from: kept in this browser, so they outlive a reload and a look
 * elsewhere. One that the browser has no room for is kept while the window is open.
 */

import { useFollowed } from "../store/follow.ts";
import { createKept, json } from "../store/persisted-state.ts";

export interface Draft {
  text: string;
  /** The version it began from; null for a new file. */
  base: { sha256: string; text: string } | null;
}

const drafts = createKept(
  "agiraph.file-draft.",
  json((found): Draft | undefined => {
    const draft = found as Draft | null | undefined;
    const isWhole = typeof draft?.text === "string" && (draft.base === null || typeof draft.base?.sha256 === "string");
    return isWhole ? draft : undefined;
  }),
);

export const draftOf = (key: string): Draft | undefined => drafts.read(key);
export const keepDraft = (key: string, draft: Draft | undefined): void => drafts.write(draft, key);

/** Tells which files have something unsaved; draws again when that changes. */
export function useDrafts(): (key: string) => boolean {
  useFollowed(drafts.subscribe, () => drafts.keys().sort().join("\n"));
  return drafts.has;
}
