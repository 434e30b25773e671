/**
 * The store port: persistence of an agent's log and blobs. Every implementation passes store/contract.ts.
 *
 * Always holds: events for which `append` resolved are there after any crash, exactly once, in order, with dense seq; those of one `append` are there
 * together or not at all. Rejected ones are not acknowledged; after a rejection the log is closed and must be reopened, and may or may not hold the
 * first of the rejected appends. Single writer by fencing: opening with a higher fence shuts out the previous writer, whose appends are refused as `fenced`.
 */
import type { Event } from "../schema/event.ts";

export interface Store {
  /** Every agent that has a log, sorted. */
  agents(): Promise<string[]>;
  /** Opens for writing, repairing a torn tail first. `create` requires that there is no log yet, otherwise there must be one. */
  open(agent: string, options: { fence: number; create?: boolean }): Promise<Log>;
  /**
   * The latest usable snapshot, if any: complete, of this log and, if given, of this format. Called after `open`, it also saves the log from
   * verifying the lines before it. It may be deleted at any time.
   */
  snapshot(agent: string, format?: string): Promise<Snapshot | null>;
  /** Saves a snapshot of the open log, replacing older ones. Losing it loses nothing. Throws `conflict` if its checksum is of another log. */
  saveSnapshot(agent: string, snapshot: Omit<Snapshot, "sum"> & { sum?: string }): Promise<void>;
  /** Stores bytes under their SHA-256 and returns the hash; durable on return; idempotent. */
  putBlob(agent: string, content: Uint8Array): Promise<string>;
  /** The bytes, verified against the hash, or null. */
  getBlob(agent: string, sha256: string): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface Log {
  /** The last durable seq; 0 for an empty log. */
  readonly seq: number;
  /** The torn tail that opening truncated, if any. */
  readonly repaired: { bytes: number; keptAs: string } | null;
  /**
   * Appends in order, in one group commit with everything else queued; resolves when durable. The first event's seq must follow the last event
   * handed over, else it throws a `conflict` at once.
   */
  append(events: readonly Event[]): Promise<void>;
  /** Durable events with seq > after, oldest first. Throws `log_corrupt` with the offset for a bad line other than the last. */
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
