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
  /** The strangers whose text the writer of a note had read; undefined if there is no such note, or nobody's. */
  origin(path: string): Promise<string | undefined>;
  /** Whether the caller, whose run has read what strangers wrote, can change this note only with the human. */
  isGuarded(path: string): Promise<boolean>;
}

export interface Written {
  path: string;
  outcome: "created" | "replaced" | "appended" | "unchanged";
  /** The whole new text, if it changed. */
  text?: string;
  /** It waits for the human; until then only this run sees it. */
  held?: true;
}

export interface NoteEntry {
  path: string;
  size: number;
}

export interface Search {
  /** The best first. */
  found: MemoryHit[];
  by: "words" | "words and meaning";
}

export interface MemoryHit {
  path: string;
  section: string;
  text: string;
  score: number;
  /** How well it fits, 0 to 1: the nearness in meaning, or the share of the words that it has. */
  fit: number;
  /** When it was learned, YYYY-MM-DD, and where it comes from; as far as its note says so. */
  noted?: string;
  source?: string;
  /** Strangers whose text its writer had read. */
  origin?: string;
}
