/** What the machine refuses is not a fault of ours: a folder that may not be written, a full disk. Undefined for everything else. */
import { Problem } from "../../schema/problem.ts";

const refusals = [
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "EDQUOT",
  "ENOTDIR",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "EMFILE",
];

export function circumstance(error: unknown): Problem | undefined {
  const { code, message, path } = (error ?? {}) as NodeJS.ErrnoException;
  if (!code || !message || path === undefined || !refusals.includes(code)) return undefined;
  return new Problem("storage_failed", `${message}. Another home can be chosen with --home or AGIRAPH_HOME`);
}
