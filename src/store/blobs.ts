/**
 * Bytes by their SHA-256, each in a file of that name.
 *
 * Always holds: what `get` returns has the hash it was asked for; a blob that changed on the disk is named, never handed out.
 * Storing the same bytes again is harmless, and heals a blob that was damaged. It is written even if it is there: what a failed write left
 * behind can be seen, and is gone with the power.
 */
import { hash } from "node:crypto";
import { join } from "node:path";
import { onDisk } from "../home/disk-error.ts";
import type { Files } from "../lib/world.ts";
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
