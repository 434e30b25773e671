/** Texts that were begun and not yet saved, with the version they began from: kept while one looks elsewhere in this window. */
export interface Draft {
  text: string;
  /** The version it began from; null for a new file. */
  base: { sha256: string; text: string } | null;
}

const drafts = new Map<string, Draft>();

export const draftOf = (source: string, path: string): Draft | undefined => drafts.get(`${source}//${path}`);

export function keepDraft(source: string, path: string, draft: Draft | undefined): void {
  if (draft) drafts.set(`${source}//${path}`, draft);
  else drafts.delete(`${source}//${path}`);
}
