/** Tars that no tar program would write. */
import { gzipSync } from "node:zlib";

export interface Member {
  name: string;
  body?: string | Uint8Array;
  /** "0" a file, "2" a link, "x" a PAX header, "L" a long name … */
  type?: string;
  link?: string;
  /** In place of the right one. */
  size?: string;
  prefix?: string;
  sum?: string;
}

export function tarOf(members: readonly Member[], { open = false } = {}): Buffer {
  return Buffer.concat([...members.flatMap(blocksOf), ...(open ? [] : [Buffer.alloc(1024)])]);
}

export const bundleOf = (...members: Member[]): Buffer => gzipSync(tarOf(members));

function blocksOf({ name, body = "", type = "0", link = "", size, prefix = "", sum }: Member): Buffer[] {
  const content = Buffer.from(body as string);
  const head = Buffer.alloc(512);
  head.write(name, 0, 100);
  head.write("0000600\x000000000\x000000000\0", 100);
  head.write(size ?? content.length.toString(8).padStart(11, "0"), 124, 12, "latin1");
  head.write("00000000000\0", 136);
  head.write(" ".repeat(8), 148);
  head.write(type, 156, 1);
  head.write(link, 157, 100);
  head.write("ustar\x0000", 257);
  head.write(prefix, 345, 155);
  const bytes = head.reduce((all, byte) => all + byte, 0);
  head.write(sum ?? `${bytes.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return [head, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

/** One record of a PAX header. */
export function pax(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}
