/**
 * The caller's memory: the agent's for its coordinator, a worker's own for a worker. Files are the source of truth; people may edit them. Paths are
 * relative to `memory/`; MEMORY.md, TODO.md and a worker's notebook.md are above it. Implemented in guard/memory.ts.
 */
export interface Memory {
  /** The text of a note with secrets redacted, or null if there is none. */
  read(path: string): Promise<string | null>;
  /**
   * Durable on return. Replaces a note, but only in the version that was last read or written here (`stale` otherwise); today's log grows by an
   * entry instead. Text with a secret is `forbidden`.
   */
  write(path: string, content: string): Promise<Written>;
  /** Changes the current text of a file; nothing is written if it stays the same. */
  edit(path: string, change: (text: string) => string): Promise<Written>;
  list(): Promise<NoteEntry[]>;
  search(query: string, limit: number): Promise<Search>;
}

export interface Written {
  path: string;
  outcome: "created" | "replaced" | "appended" | "unchanged";
  /** The whole new text, if it changed. */
  text?: string;
}

export interface NoteEntry {
  path: string;
  size: number;
}

export interface Search {
  /** The best first. */
  found: Found[];
  by: "words" | "words and meaning";
}

export interface Found {
  path: string;
  section: string;
  text: string;
  score: number;
  /** How well it fits, 0 to 1: the nearness in meaning, or the share of the words that it has. */
  fit: number;
  /** When it was learned, YYYY-MM-DD, and where it comes from; as far as its note says so. */
  noted?: string;
  source?: string;
}
