/**
 * The Files seam on a simulated disk, for one incarnation; the same contract as src/lib/machine/files.ts (files.contract.ts).
 *
 * Always holds: every call takes virtual time; nothing happens and nothing is answered after the incarnation has ended. `write`, `move`,
 * `makeDir` and the creation by `open` are durable on return; when their last sync fails they throw though the change is seen.
 * What somebody else made is as durable as it was; `settle` makes it so.
 * Not here: open files (handle.ts), time and failures (drive.ts), what survives (disk.ts, body.ts). Reads do not fail.
 */
import type { FileEntry, Files } from "../src/lib/world.ts";
import { contentOf, createBody, mark, settle } from "./body.ts";
import { createDrive, type Device } from "./drive.ts";
import { createHandle } from "./handle.ts";
import type { Life } from "./time.ts";
import { createFolder, type Folder, fault, find, type Item, partsOf, type Slot, slotOf } from "./tree.ts";
import { createWithin } from "./within.ts";

/** `pid` is told apart in the names of drafts, as a process id is. */
export function mountFiles(device: Device, life: Life, pid: number): Files {
  const { random, root } = device;
  const { trace } = device.time;
  const drive = createDrive(device, life);
  const { soon } = drive;
  let drafts = 0;

  /** Is this still the folder that the path names? It may have been moved meanwhile, with the draft in it. */
  const leads = (path: string, folder: Folder): boolean => find(root, path.slice(0, path.lastIndexOf("/"))) === folder;

  const files: Files = {
    async open(path) {
      const made = await soon(() => {
        trace.text(path);
        const slot = slotOf(root, path, "open");
        const item = slot.folder.entries.get(slot.name);
        if (item?.kind === "folder") throw fault("EISDIR", "open", path);
        if (item?.frozen) throw fault("EACCES", "open", path);
        if (item) drive.refuseReadOnly("open", path);
        else drive.admit(slot, "open", path, true);
        const body = item ?? createBody(Buffer.alloc(0), life.now());
        if (!item) device.change("create", [{ ...slot, item: body }]);
        // An empty file may be new, and then its name is not durable yet.
        return { body, folder: item && item.length > 0 ? null : slot.folder };
      });
      if (made.folder) await drive.syncFolders(path, [made.folder]);
      return createHandle(device, drive, life, made.body);
    },

    read: (path) =>
      soon(() => {
        trace.text(path);
        const item = find(root, path, "open");
        if (item?.kind === "folder") throw fault("EISDIR", "read");
        return item && Buffer.from(contentOf(item));
      }),

    async write(path, content, { durable = true, mode = 0o600 } = {}) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      const body = createBody(Buffer.alloc(0), 0);
      let draft: Slot | undefined;
      let covered = 0;
      try {
        const slot = await soon(() => {
          trace.text(path);
          const slot = slotOf(root, path, "open");
          const drafting = { ...slot, name: `.${slot.name}.${pid}.${++drafts}.tmp` };
          drive.admit(slot, "open", path, true);
          device.change("create", [{ ...drafting, item: body }]);
          draft = drafting;
          drive.append(body, bytes);
          covered = mark(body);
          return slot;
        });
        await (durable ? drive.synced : soon)((failed?: boolean) => {
          if (failed) throw fault("EIO", "fsync");
          if (!leads(path, slot.folder)) throw fault("ENOENT", "rename", path);
          if (slot.folder.entries.get(slot.name)?.kind === "folder") throw fault("EISDIR", "rename", path);
          drive.admit(slot, "rename", path, false);
          settle(body, covered);
          device.touch(body);
          body.frozen = (mode & 0o200) === 0;
          const kind = slot.folder.entries.has(slot.name) ? "write" : "create";
          device.change(kind, [
            { ...(draft as Slot), item: undefined },
            { ...slot, item: body },
          ]);
        });
        if (durable) {
          draft = undefined;
          await drive.syncFolders(path, [slot.folder]);
        }
      } catch (error) {
        const left = draft;
        if (left) {
          await soon(() => {
            if (leads(path, left.folder)) device.change("remove", [{ ...left, item: undefined }]);
          });
        }
        throw error;
      }
    },

    async move(from, to) {
      const folders = await soon(() => {
        trace.text(from);
        trace.text(to);
        const source = slotOf(root, from, "rename");
        const item = source.folder.entries.get(source.name);
        if (!item) throw fault("ENOENT", "rename", from);
        const target = slotOf(root, to, "rename");
        const there = target.folder.entries.get(target.name);
        if (there === item) return [source.folder];
        if (item.kind === "folder" && [...above(root, to)].includes(item)) throw fault("EINVAL", "rename", from);
        if (there?.kind === "folder" && item.kind === "file") throw fault("EISDIR", "rename", from);
        if (there?.kind === "file" && item.kind === "folder") throw fault("ENOTDIR", "rename", from);
        drive.admit(source, "rename", from, false);
        if (target.folder.frozen) throw fault("EACCES", "rename", to);
        if (item.kind === "folder" && item.frozen && source.folder !== target.folder)
          throw fault("EACCES", "rename", from);
        if (there?.kind === "folder" && there.entries.size > 0) throw fault("ENOTEMPTY", "rename", from);
        device.change("rename", [
          { ...source, item: undefined },
          { ...target, item },
        ]);
        return [source.folder, target.folder];
      });
      await drive.syncFolders(to, folders);
    },

    /** Frozen folders below are thawed first, the one above is not. */
    async remove(path) {
      const top = await soon(() => {
        trace.text(path);
        return find(root, path, "rm") && slotOf(root, path, "rm");
      });
      if (!top) return;
      const doomed = [...contents(top)];
      while (doomed.length > 0) {
        const most = random.chance(0.5) ? doomed.length : random.between(1, doomed.length);
        await soon(() => {
          for (const slot of doomed.splice(0, most)) {
            const item = slot.folder.entries.get(slot.name);
            if (!item) continue;
            drive.refuseReadOnly("rm", path);
            if (slot.folder === top.folder && top.folder.frozen) throw fault("EACCES", "rm", path);
            if (item.kind === "folder" && item.entries.size > 0) throw fault("ENOTEMPTY", "rm", path);
            device.change("remove", [{ ...slot, item: undefined }]);
          }
        });
      }
    },

    async makeDir(path) {
      const parents = await soon(() => {
        trace.text(path);
        const above: Folder[] = [];
        let made = false;
        let folder = root;
        const parts = partsOf(path);
        for (const [index, name] of parts.entries()) {
          above.push(folder);
          const there = folder.entries.get(name);
          if (there?.kind === "file") throw fault(index === parts.length - 1 ? "EEXIST" : "ENOTDIR", "mkdir", path);
          const next = there ?? createFolder(life.now());
          if (!there) {
            drive.admit({ folder, name }, "mkdir", path, true);
            device.change("create", [{ folder, name, item: next }]);
            made = true;
          }
          folder = next;
        }
        return made ? above : [];
      });
      if (parents.length > 0) await drive.syncFolders(path, parents);
    },

    async settle(path, top) {
      const folders = await soon(() => {
        trace.text(path);
        const found: Folder[] = [];
        for (
          let at = path.slice(0, path.lastIndexOf("/"));
          at.length >= top.length;
          at = at.slice(0, at.lastIndexOf("/"))
        ) {
          const folder = find(root, at, "open");
          if (folder?.kind !== "folder") throw fault("ENOENT", "open", at);
          found.push(folder);
        }
        return found;
      });
      await drive.syncFolders(path, folders);
    },

    list: (path, most) =>
      soon(() => {
        trace.text(path);
        const item = find(root, path, "scandir");
        if (item?.kind === "file") throw fault("ENOTDIR", "scandir", path);
        return [...(item?.entries ?? [])]
          .slice(0, most)
          .map(([name, { kind }]): FileEntry => ({ name, kind }))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      }),

    stat: (path) =>
      soon(() => {
        const item = find(root, path, "lstat");
        if (!item) return null;
        const { kind, changed } = item;
        return kind === "file"
          ? { kind, size: item.length, changed, inode: item.inode, ctime: changed }
          : { kind, size: 4096, changed };
      }),

    freeze: (path) =>
      soon(() => {
        trace.text(path);
        const item = find(root, path, "stat");
        if (!item) throw fault("ENOENT", "stat", path);
        drive.refuseReadOnly("chmod", path);
        device.freeze(slotOf(root, path, "chmod"), item);
      }),

    lock: (path) =>
      soon(() => {
        trace.text(path);
        const slot = slotOf(root, path, "open");
        if (!slot.folder.entries.has(slot.name)) {
          drive.admit(slot, "open", path, true);
          device.change("create", [{ ...slot, item: createBody(Buffer.alloc(0), life.now()) }]);
        }
        const holder = device.locks.get(path);
        if (holder && !holder.ended) return null;
        device.locks.set(path, life);
        let held = true;
        return {
          release: () =>
            soon(() => {
              if (held) device.locks.delete(path);
              held = false;
            }),
        };
      }),

    within: (folder) => createWithin(files, folder),
  };
  return files;
}

/** The folders that the path leads through. */
function* above(root: Folder, path: string): Generator<Folder> {
  let item: Item | undefined = root;
  for (const part of partsOf(path)) {
    if (item?.kind !== "folder") return;
    yield item;
    item = item.entries.get(part);
  }
}

/** The slot and all below it, the deepest first. */
function* contents(slot: Slot): Generator<Slot> {
  const item = slot.folder.entries.get(slot.name);
  if (item?.kind === "folder") for (const name of item.entries.keys()) yield* contents({ folder: item, name });
  yield slot;
}
