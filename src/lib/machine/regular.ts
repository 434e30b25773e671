/**
 * Opens a regular file for reading without blocking: opening a pipe with no writer would block, on a thread that all file access needs. Anything
 * but a regular file is refused; a link is followed only if the caller says so, for paths that no participant chose.
 */
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { refusal } from "../files/steps.ts";

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

export const readFlags: number = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/** Throws EISDIR for a folder, EFTYPE for what is neither file nor folder, and the system's errors. */
export async function openRegular(path: string, { follow = false } = {}): Promise<fs.FileHandle> {
  const file = await fs.open(path, follow ? readFlags & ~O_NOFOLLOW : readFlags).catch((error) => {
    if (error.code === "ENXIO" || error.code === "EOPNOTSUPP") throw noFile(path); // a socket
    throw error;
  });
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw refusal("EISDIR", `${path} is a folder`);
    if (!stat.isFile()) throw noFile(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

const noFile = (path: string) => refusal("EFTYPE", `${path} is neither a file nor a folder`);
