/**
 * Content-addressed blobs: each file is named by the SHA-256 of its bytes.
 *
 * Always holds: `get` returns only bytes with the requested hash; a corrupt blob is reported, never returned. Storing the same bytes again is
 * harmless and repairs a damaged blob. The bytes are written even if the file exists: what a failed write left may be visible and still be lost in
 * a power cut.
 */
import { hash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../lib/world.ts";
import { onDisk } from "../schema/disk-error.ts";
import { Sha256 } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";

export async function putBlob(files: Files, folder: string, content: Uint8Array): Promise<string> {
  const sha256 = hashOf(content);
  const path = join(folder, sha256);
  await onDisk("store", path, async () => {
    await files.makeDir(folder);
    await files.write(path, content);
  });
  return sha256;
}

export async function getBlob(files: Files, folder: string, sha256: string): Promise<Buffer | null> {
  const path = join(folder, checkHash(sha256));
  const content = await onDisk("read", path, () => files.read(path));
  if (content) checkBlob(path, sha256, content);
  return content;
}

export function hashOf(content: Uint8Array): string {
  return hash("sha256", content);
}

export function checkHash(sha256: string): string {
  if (Sha256.safeParse(sha256).success) return sha256;
  throw new Problem("invalid", `${JSON.stringify(sha256)} is not a SHA-256 in lower-case hex`);
}

function checkBlob(path: string, sha256: string, content: Buffer): void {
  const found = hashOf(content);
  if (found === sha256) return;
  throw new Problem(
    "log_corrupt",
    `the blob ${path} is damaged: its content has the hash ${found}; restore it from a backup`,
    { path, sha256, found },
  );
}
