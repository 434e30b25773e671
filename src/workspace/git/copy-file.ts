/** Copies a file of ours piece by piece: an index has a hundred bytes for each file of the repository, and several may be copied at once. */
import type { Files } from "../../lib/world.ts";

const piece = 1024 * 1024;

/** No effect if there is no such file. The target must not be there yet; it is not durable on return. */
export async function copyFile(files: Files, from: string, to: string): Promise<void> {
  if (!(await files.stat(from))) return;
  const source = await files.open(from);
  try {
    const target = await files.open(to);
    try {
      const size = await source.size();
      for (let at = 0; at < size; at += piece) await target.append(await source.read(at, piece));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
