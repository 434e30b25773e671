/** What a folder that somebody works in says of a path at which there is something else than a file of one name. */
const codes = new Set(["ELOOP", "EMLINK", "EFTYPE", "EFBIG", "EINVAL", "ENOTDIR", "EISDIR"]);

export const isRefusedPath = (error: unknown): error is NodeJS.ErrnoException =>
  codes.has((error as NodeJS.ErrnoException).code ?? "");

/** Null for such a path; failures of the disk stay what they are. */
export function refusedPath(error: unknown): null {
  if (isRefusedPath(error)) return null;
  throw error;
}
