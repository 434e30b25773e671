/**
 * How the disk works for one incarnation: everything takes a while, syncs can be slow or fail, space can run out.
 *
 * Always holds: each act is one event, and none happens once the incarnation has ended. Every fault is drawn from the disk's chance and
 * counted. A sync of a body covers what was there when it was asked for.
 * Not here: what the calls of the seam mean (files.ts, handle.ts), what survives a power loss (disk.ts).
 */
import { append, type Body, forget, mark, settle } from "./body.ts";
import type { DiskFaults, FaultName } from "./faults.ts";
import type { SimRandom } from "./random.ts";
import type { Life, Time } from "./time.ts";
import { type Folder, fault, type Item, type Slot } from "./tree.ts";

/** The disk as its files need it. */
export interface Device {
  readonly random: SimRandom;
  readonly time: Time;
  readonly root: Folder;
  readonly locks: Map<string, Life>;
  /** Open files per incarnation. */
  readonly open: Map<Life, number>;
  /** Changes names in one indivisible step, which a power loss may take back until the folders are settled. */
  change(kind: ChangeKind, slots: readonly (Slot & { item: Item | undefined })[]): void;
  freeze(slot: Slot, item: Item): void;
  /** The folder is synced: its names are as durable as they look. */
  settle(folder: Folder): void;
  /** Some of the body's bytes became durable, or are not any more. */
  touch(body: Body): void;
  /** How many of `wanted` more bytes fit. Fewer than wanted is a fault, counted here. */
  room(wanted: number): number;
  grow(body: Body, bytes: number): void;
  /** Counts the refusal. */
  readOnly(): boolean;
  faults(): DiskFaults;
  count(name: FaultName): void;
}

export type ChangeKind = "create" | "write" | "rename" | "remove" | "freeze";

export interface Drive {
  /** Does it a little later; the promise settles as it ends. */
  soon<T>(act: () => T): Promise<T>;
  /** Does it after the time of a sync; `failed` if the sync did. */
  synced<T>(act: (failed: boolean) => T): Promise<T>;
  /** Makes all bytes durable that are there now, or throws EIO. */
  sync(body: Body, check: () => void): Promise<void>;
  /** Makes the names in the folders durable, or throws EIO. */
  syncFolders(path: string, folders: readonly Folder[]): Promise<void>;
  /** Throws EROFS if the disk is read-only now. */
  refuseReadOnly(call: string, path?: string): void;
  /** Throws if a name in this folder cannot be changed, or, with `adds`, if there is no room for one more. */
  admit(slot: Slot, call: string, path: string, adds: boolean): void;
  /** Appends what fits, and throws if that is not all. */
  append(body: Body, bytes: Uint8Array): void;
}

export function createDrive(device: Device, life: Life): Drive {
  const { random, time } = device;

  const wait = <T>(micros: number, act: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      life.later(micros, () => {
        try {
          resolve(act());
        } catch (error) {
          reject(error);
        }
      });
    });

  const syncTime = (): number => {
    if (!random.chance(device.faults().slowSync)) return 200 + random.int(4_000);
    device.count("slow_sync");
    return 50_000 + random.int(1_950_000);
  };

  const syncFails = (): boolean => {
    const fails = random.chance(device.faults().eio);
    if (fails) device.count("eio");
    return fails;
  };

  const drive: Drive = {
    soon: (act) => wait(10 + random.int(190), act),
    synced: (act) => wait(syncTime(), () => act(syncFails())),
    sync(body, check) {
      const covered = mark(body);
      return drive.synced((failed) => {
        check();
        if (!failed) {
          settle(body, covered);
          device.touch(body);
          return;
        }
        const ghost = random.chance(device.faults().ghost);
        if (ghost) device.count("ghost");
        const length = body.length;
        forget(body, covered, random, ghost);
        device.grow(body, body.length - length);
        throw fault("EIO", "fdatasync");
      });
    },
    syncFolders: (path, folders) =>
      drive.synced((failed) => {
        if (failed) throw fault("EIO", "fsync", path);
        for (const folder of folders) device.settle(folder);
      }),
    refuseReadOnly(call, path) {
      if (device.readOnly()) throw fault("EROFS", call, path);
    },
    admit({ folder }, call, path, adds) {
      drive.refuseReadOnly(call, path);
      if (folder.frozen) throw fault("EACCES", call, path);
      if (adds && device.room(1) < 1) throw fault("ENOSPC", call, path);
    },
    append(body, bytes) {
      drive.refuseReadOnly("write");
      const fits = bytes.length === 0 ? 0 : device.room(bytes.length);
      const part = fits < bytes.length ? bytes.subarray(0, fits) : bytes;
      append(body, part);
      device.grow(body, part.length);
      device.touch(body);
      body.changed = life.now();
      time.trace.bytes(part);
      if (fits < bytes.length) throw fault("ENOSPC", "write");
    },
  };
  return drive;
}
