/**
 * A disk that outlives the processes: a tree of folders and bodies, and the changes of names that are not durable yet.
 *
 * Always holds: what is seen is the tree; the journal says how to take back what a power loss may take back. A lost change loses the later
 * changes of the same names too; a rename is lost whole. After `power` all that is left is durable.
 * A killed process (life.end) loses nothing that it wrote, but what was not durable still is not: the next power loss may take it.
 * Not here: the Files seam (files.ts), bytes within a file (body.ts). No links, no owners, one file system.
 */
import { createHash } from "node:crypto";
import type { Files } from "../src/lib/world.ts";
import { type Body, contentOf, createBody, tear } from "./body.ts";
import type { ChangeKind, Device } from "./drive.ts";
import { countFaults, type DiskFaults, type FaultName, noFaults } from "./faults.ts";
import { mountFiles } from "./files.ts";
import type { SimRandom } from "./random.ts";
import type { Life, Time } from "./time.ts";
import { createFolder, type Folder, find, type Item, partsOf, type Slot, slotOf, walk } from "./tree.ts";

export interface SimDisk {
  /** The Files of one incarnation; they stop with it. */
  mount(life: Life): Files;
  /** The power goes: every incarnation on this disk ends, and what was not durable is kept in part or not at all. */
  power(): void;
  /** No more faults until `storm`; heals what is read-only or full. */
  calm(): void;
  storm(faults?: DiskFaults): void;
  /** As a person would: replaces the file whole (null removes it), at once and durably. Makes the folders. */
  edit(path: string, content: string | Uint8Array | null): void;
  /** The same by a program, which is no fault. One that is not durable can be taken back by a power loss. */
  put(path: string, content: string | Uint8Array | null, options?: { durable?: boolean }): void;
  /** Flips one bit of the file, if it has any. */
  flip(path: string): void;
  /** What a reader would see, without time passing; null if there is no such file. */
  peek(path: string): Buffer | null;
  /** The names in a folder, as a reader would see them now; null if there is no such folder. */
  names(path: string): string[] | null;
  /** Grows with every change of a name. */
  readonly changes: number;
  /** Every file, sorted. */
  paths(): string[];
  /** A hash over all paths and contents. */
  fingerprint(): string;
  /** Files that this incarnation holds open. */
  handles(life: Life): number;
  readonly injected: Record<FaultName, number>;
}

interface Change {
  kind: ChangeKind;
  slots: (Slot & { before: Item | undefined })[];
  /** What was frozen, for a freeze. */
  frozen: Item | null;
}

/** More than these are written back by the system by itself. */
const mostChanges = 256;

export function createDisk(options: { random: SimRandom; time: Time; faults?: DiskFaults }): SimDisk {
  const { random, time } = options;
  const root = createFolder(time.now());
  const injected = countFaults();
  const locks = new Map<string, Life>();
  const open = new Map<Life, number>();
  const dirty = new Set<Body>();
  let journal: Change[] = [];
  let faults = options.faults ?? noFaults;
  let active = faults;
  let mounts = 0;
  let used = 0;
  let changes = 0;
  let inodes = 0;
  let fullUntil = 0;
  let readOnlyUntil = 0;

  const count = (name: FaultName) => {
    injected[name] += 1;
    time.trace.text(name);
  };

  const place = ({ folder, name }: Slot, item: Item | undefined) => {
    const before = folder.entries.get(name);
    if (before === item) return;
    changes++;
    if (before?.kind === "file") {
      used -= before.length;
      before.linked = false;
    }
    if (item?.kind === "file" && !item.inode) item.inode = ++inodes;
    if (item) folder.entries.set(name, item);
    else folder.entries.delete(name);
    if (item?.kind === "file" && !item.linked) {
      used += item.length;
      item.linked = true;
    }
  };

  const device: Device = {
    random,
    time,
    root,
    locks,
    open,
    change(kind, slots) {
      const before = slots.map(({ folder, name }) => ({ folder, name, before: folder.entries.get(name) }));
      journal.push({ kind, slots: before, frozen: null });
      for (const slot of slots) if (!slot.item) place(slot, undefined);
      for (const slot of slots) {
        if (slot.item) place(slot, slot.item);
        slot.folder.changed = time.now();
      }
      if (journal.length > mostChanges) journal = journal.slice(mostChanges / 2);
    },
    freeze(slot, item) {
      if (item.frozen) return;
      item.frozen = true;
      journal.push({ kind: "freeze", slots: [{ ...slot, before: item }], frozen: item });
    },
    settle(folder) {
      if (journal.length === 0) return;
      journal = journal.filter((change) => !change.slots.some((slot) => slot.folder === folder));
    },
    touch(body) {
      if (body.undo.length > 0 || body.ghosts.length > 0) dirty.add(body);
      else dirty.delete(body);
    },
    room(wanted) {
      const left = Math.max(0, active.quota - used);
      if (fullUntil <= time.mono() && random.chance(active.enospc)) fullUntil = time.mono() + period(random);
      const fits = fullUntil > time.mono() ? random.int(wanted) : Math.min(wanted, left);
      if (fits < wanted) count("enospc");
      return fits;
    },
    grow(body, bytes) {
      if (body.linked) used += bytes;
    },
    readOnly() {
      if (readOnlyUntil <= time.mono() && random.chance(active.erofs)) readOnlyUntil = time.mono() + period(random);
      const refused = readOnlyUntil > time.mono();
      if (refused) count("erofs");
      return refused;
    },
    faults: () => active,
    count,
  };

  /** Each change is kept or lost, some crashes lose all or none; a change after a lost one of the same slot cannot be kept. */
  const takeBack = () => {
    const loss = random.pick([0, 0.5, 0.5, 1]);
    const lostNames = new Map<Folder, Set<string>>();
    const lost = journal.filter((change) => {
      const blocked = change.slots.some(({ folder, name }) => lostNames.get(folder)?.has(name));
      if (!blocked && !random.chance(loss)) return false;
      for (const { folder, name } of change.slots) {
        const names = lostNames.get(folder) ?? new Set();
        lostNames.set(folder, names.add(name));
      }
      return true;
    });
    for (const change of lost.reverse()) {
      count(`lost_${change.kind}`);
      if (change.frozen) change.frozen.frozen = false;
      else {
        for (const slot of change.slots) place(slot, undefined);
        for (const slot of change.slots) place(slot, slot.before);
      }
    }
    journal = [];
  };

  const disk: SimDisk = {
    mount(life) {
      open.set(life, 0);
      life.onEnd(() => open.delete(life));
      return mountFiles(device, life, ++mounts);
    },
    power() {
      count("power");
      for (const life of open.keys()) life.end();
      open.clear();
      locks.clear();
      readOnlyUntil = 0;
      takeBack();
      for (const body of dirty) {
        const { torn, lost, untruncated } = tear(body, random);
        if (torn) count("torn");
        if (lost) count("lost_tail");
        if (untruncated) count("lost_truncate");
      }
      dirty.clear();
      used = 0;
      for (const [, body] of walk(root)) used += body.length;
    },
    calm() {
      active = { ...noFaults, quota: faults.quota };
      fullUntil = readOnlyUntil = 0;
    },
    storm(next = faults) {
      faults = active = next;
    },
    edit(path, content) {
      count("edit");
      disk.put(path, content);
    },
    put(path, content, { durable = true } = {}) {
      makeFolders(root, path, time.now());
      const { folder, name } = slotOf(root, path, "edit");
      if (!durable && content !== null) {
        const kind = folder.entries.has(name) ? "write" : "create";
        device.change(kind, [{ folder, name, item: createBody(Buffer.from(content), time.now()) }]);
        return;
      }
      if (content === null) place({ folder, name }, undefined);
      else {
        const bytes = typeof content === "string" ? Buffer.from(content) : content;
        place({ folder, name }, createBody(bytes, time.now()));
      }
      journal = journal.filter((change) => !change.slots.some((slot) => slot.folder === folder && slot.name === name));
    },
    flip(path) {
      const body = find(root, path);
      if (body?.kind !== "file" || body.length === 0) return;
      count("flip");
      const at = random.int(body.length);
      body.bytes[at] = (body.bytes[at] as number) ^ (1 << random.int(8));
    },
    peek(path) {
      const body = find(root, path);
      return body?.kind === "file" ? Buffer.from(contentOf(body)) : null;
    },
    names(path) {
      const folder = find(root, path);
      return folder?.kind === "folder" ? [...folder.entries.keys()] : null;
    },
    get changes() {
      return changes;
    },
    paths: () => [...walk(root)].map(([path]) => path).sort(),
    fingerprint() {
      const hash = createHash("sha256");
      for (const [path, body] of [...walk(root)].sort(([a], [b]) => (a < b ? -1 : 1))) {
        hash.update(`${path}\0${body.length}\0`).update(contentOf(body));
      }
      return hash.digest("hex");
    },
    handles: (life) => open.get(life) ?? 0,
    injected,
  };
  return disk;
}

function makeFolders(root: Folder, path: string, now: number): void {
  let folder: Item = root;
  for (const part of partsOf(path).slice(0, -1)) {
    if (folder.kind === "file") return;
    const next: Item = folder.entries.get(part) ?? createFolder(now);
    folder.entries.set(part, next);
    folder = next;
  }
}

/** Milliseconds that a disk stays full or read-only: mostly short, sometimes long enough that someone gives up. */
const period = (random: SimRandom): number => 10 * 10 ** (3 * random.next());
