/**
 * The store port: where an agent's log and blobs live. Every implementation passes store/contract.ts.
 *
 * Always holds: what `append` resolved for is there after any crash, once, in order, with dense seq. What it rejected for is not
 * acknowledged; after a rejection the log is closed and must be opened again, and may or may not hold a prefix of the rejected events.
 * One writer: opening with a higher fence shuts out whoever opened before; its appends are refused as `fenced`.
 */
import type { Event } from "../schema/event.ts";

export interface Store {
  /** Every agent that has a log, sorted. */
  agents(): Promise<string[]>;
  /** Opens for writing, repairing a torn tail first. `create` demands that there is no log yet, otherwise there must be one. */
  open(agent: string, options: { fence: number; create?: boolean }): Promise<Log>;
  /**
   * The snapshot that is not newer than the log, if there is a usable one: whole, of this log and, if asked for, of this format. Called
   * after `open`, it also saves the log from verifying what lies before it. It may be deleted at any time.
   */
  snapshot(agent: string, format?: string): Promise<Snapshot | null>;
  /** Keeps a snapshot of the open log; replaces older ones. Losing it loses nothing. Throws `conflict` if its sum is of another log. */
  saveSnapshot(agent: string, snapshot: Omit<Snapshot, "sum"> & { sum?: string }): Promise<void>;
  /** Stores bytes under their SHA-256 and returns it; durable on return; storing twice is harmless. */
  putBlob(agent: string, content: Uint8Array): Promise<string>;
  /** The bytes, checked against the hash, or null. */
  getBlob(agent: string, sha256: string): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface Log {
  /** The last durable seq; 0 for an empty log. */
  readonly seq: number;
  /** What opening had to cut off, if anything. */
  readonly repaired: { bytes: number; keptAs: string } | null;
  /**
   * Appends in order, in one group commit with whatever else is waiting; resolves when durable. The first event's seq must be the one after
   * the last event handed over, else it throws a `conflict` at once.
   */
  append(events: readonly Event[]): Promise<void>;
  /** Durable events with seq > after, oldest first. Throws `log_corrupt` with the offset for a bad line that is not the last. */
  read(after: number): AsyncIterable<Event[]>;
  close(): Promise<void>;
}

export interface Snapshot {
  seq: number;
  /** The checksum of the event at `seq`: proves that the snapshot belongs to this log. */
  sum: string;
  /** Which code wrote it; another format is ignored. */
  format: string;
  state: unknown;
}
