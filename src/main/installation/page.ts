/** The files of the page for people, as they lie in this installation. */
import { fileURLToPath } from "node:url";
import { machine } from "../../lib/machine/index.ts";

const folder = new URL(import.meta.url.endsWith(".ts") ? "../../../dist/web/" : "./web/", import.meta.url);

/** Nothing if there is no such file. */
export async function readPage(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const url = new URL(path, folder);
  if (!url.href.startsWith(folder.href)) return undefined;
  const found = await machine.files.read(fileURLToPath(url));
  return found ? new Uint8Array(found) : undefined;
}
