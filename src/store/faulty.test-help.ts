/** Files on a disk with injected faults: fails on demand, heals on demand, and counts calls. */
import type { Files, OpenFile } from "../lib/world.ts";

type Operation = "open" | "append" | "sync" | "truncate" | "read" | "write" | "fileRead";

export interface Fault {
  on: Operation;
  code: string;
  /** Which of these operations fails, counted from now; default 1. */
  nth?: number;
  /** Every later one fails as well, until `heal`. */
  lasting?: boolean;
  /** Append only: bytes written before it fails. */
  bytes?: number;
}

export interface FaultyFiles extends Files {
  fail(fault: Fault): void;
  heal(): void;
  /** How often each operation was called. */
  count: Record<Operation, number>;
  /** Handles that are open now, and the most there ever were. */
  handles: { now: number; most: number };
}

export function createFaulty(real: Files): FaultyFiles {
  let faults: (Fault & { left: number })[] = [];
  const count = { open: 0, append: 0, sync: 0, truncate: 0, read: 0, write: 0, fileRead: 0 };
  const handles = { now: 0, most: 0 };

  async function meet(operation: Operation, partly?: (bytes: number) => Promise<void>): Promise<void> {
    count[operation]++;
    for (const fault of faults) {
      if (fault.on !== operation || --fault.left > 0) continue;
      if (fault.left < 0 && !fault.lasting) continue;
      if (fault.bytes) await partly?.(fault.bytes);
      throw Object.assign(new Error(`${fault.code}: injected`), { code: fault.code });
    }
  }

  function wrap(file: OpenFile): OpenFile {
    return {
      ...file,
      async append(bytes) {
        await meet("append", (length) => file.append(bytes.subarray(0, length)));
        await file.append(bytes);
      },
      async sync() {
        await meet("sync");
        await file.sync();
      },
      async truncate(size) {
        await meet("truncate");
        await file.truncate(size);
      },
      async read(offset, length) {
        await meet("read");
        return await file.read(offset, length);
      },
      async close() {
        handles.now--;
        await file.close();
      },
    };
  }

  return {
    ...real,
    async open(path) {
      await meet("open");
      const file = await real.open(path);
      handles.most = Math.max(handles.most, ++handles.now);
      return wrap(file);
    },
    async write(path, content, options) {
      await meet("write");
      await real.write(path, content, options);
    },
    async read(path) {
      await meet("fileRead");
      return await real.read(path);
    },
    fail: (fault) => void faults.push({ ...fault, left: fault.nth ?? 1 }),
    heal: () => {
      faults = [];
    },
    count,
    handles,
  };
}
