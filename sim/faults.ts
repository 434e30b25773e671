/**
 * What the simulated disk may do wrong, how often, and how often it did.
 *
 * Always holds: every fault that happens is counted under its name, and every name is in `faultNames`, so a test can demand that each
 * kind happened.
 * Not here: which kinds a seed has (setup.ts); crashes (disk.ts `power`, life.end), which are asked for, not drawn.
 */

export const faultNames = [
  /** A power loss kept a part of the bytes that were not synced. */
  "torn",
  /** A power loss kept none of them. */
  "lost_tail",
  /** A power loss took back a new entry, a replacement, a rename, a removal, a freeze that was not durable. */
  "lost_create",
  "lost_write",
  "lost_rename",
  "lost_remove",
  "lost_freeze",
  /** A power loss brought back bytes that a truncation had cut off. */
  "lost_truncate",
  /** No space: a part is written first. */
  "enospc",
  /** A sync failed; what it was to save may be kept or not. */
  "eio",
  /** A sync failed, the disk forgot the bytes, and a later sync says all is well (ext4, XFS). They are gone after a power loss. */
  "ghost",
  /** The file system became read-only for a while. */
  "erofs",
  "slow_sync",
  /** A person or another program changed a file. */
  "edit",
  /** A bit rotted. */
  "flip",
  "power",
] as const;

export type FaultName = (typeof faultNames)[number];

/** Chances per operation that could suffer it. */
export interface DiskFaults {
  enospc: number;
  eio: number;
  erofs: number;
  slowSync: number;
  /** Of the failed syncs, those that forget silently. No program that trusts what it reads back survives this one. */
  ghost: number;
  /** Bytes that fit on the disk. */
  quota: number;
}

export const noFaults: DiskFaults = {
  enospc: 0,
  eio: 0,
  erofs: 0,
  slowSync: 0,
  ghost: 0,
  quota: Number.POSITIVE_INFINITY,
};

export const countFaults = (): Record<FaultName, number> =>
  Object.fromEntries(faultNames.map((name) => [name, 0])) as Record<FaultName, number>;
