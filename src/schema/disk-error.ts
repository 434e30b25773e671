/** Disk errors as a Problem that names the path and what to do, with the original error as its cause. */
import { Problem } from "./problem.ts";

const advice: Record<string, string> = {
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the disk quota is used up: free some space",
  EFBIG: "the file is too large for this file system: move the home to another one",
  EROFS: "the file system is read-only: make it writable",
  EIO: "the disk reports an error: check it, and have a backup, before going on",
  EACCES: "this user may not write there: correct the permissions",
  EPERM: "this user may not write there: correct the permissions",
  EMFILE: "too many files are open: raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine: raise its limit",
  ENOENT: "it is gone: restore it from a backup",
};

/** How programs name what failed, as far as there is something to do about it. */
const names: Record<string, string> = {
  "No space left on device": "ENOSPC",
  "Out of diskspace": "ENOSPC", // git
  "Disk quota exceeded": "EDQUOT",
  "Read-only file system": "EROFS",
  "Input/output error": "EIO",
  "Permission denied": "EACCES",
};

/** What a program that failed says of the disk, and what to do; nothing if it says nothing of it. */
export function diskErrorIn(text: string): { errno: string; what: string } | undefined {
  const errno = Object.entries(names).find(([name]) => text.includes(name))?.[1];
  if (errno !== undefined) return { errno, what: advice[errno]! };
  const isUnwritten = /unable to write|could ?n[o']t write|failed to write|write (error|failure)/i.test(text);
  return isUnwritten ? { errno: "unknown", what: "the disk may be full: free some space" } : undefined;
}

/** `doing` completes "could not", for instance "append to". */
export function storageFailed(doing: string, path: string, error: unknown): Problem {
  const code = (error as { code?: unknown } | null)?.code;
  const errno = typeof code === "string" ? code : "unknown";
  const what = advice[errno] ?? (error instanceof Error ? error.message : String(error));
  return new Problem(
    "storage_failed",
    `could not ${doing} ${path}: ${errno}; ${what}`,
    { path, errno },
    { cause: error },
  );
}

/** Runs disk work; errors come out as a Problem, and a Problem unchanged. */
export async function onDisk<T>(doing: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem ? error : storageFailed(doing, path, error);
  }
}
