/**
 * The body of a response: read up to a size, then decompressed up to the same size, so that neither an endless response nor a decompression bomb
 * fills the memory.
 */
import { promisify } from "node:util";
import * as zlib from "node:zlib";

export class TooLarge extends Error {}

export async function readBody(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** These flush modes accept a response without its checksum, as browsers do. */
const { constants } = zlib;
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

export const encodings = "gzip, deflate, br, zstd";

/** Throws TooLarge, or an Error that says what is wrong with the compression. One content-encoding only: nobody honest uses two. */
export async function unpack(bytes: Buffer, encoding: string, most: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const limit = { maxOutputLength: most };
  const flush = { ...limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    switch (encoding.trim().toLowerCase()) {
      case "":
      case "identity":
        return bytes;
      case "gzip":
      case "x-gzip":
        return await gunzip(bytes, flush);
      case "deflate": // some servers send it with its header, some without
        return await ((bytes[0]! & 0x0f) === 8 ? inflate : inflateRaw)(bytes, flush);
      case "br":
        return await brotli(bytes, { ...limit, finishFlush: constants.BROTLI_OPERATION_FLUSH });
      case "zstd":
        return await zstd(bytes, { ...limit, finishFlush: constants.ZSTD_e_flush });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw new TooLarge();
    throw new Error(`its ${encoding} packing is broken`, { cause: error });
  }
  throw new Error(`it is packed as ${JSON.stringify(encoding.slice(0, 40))}; ${encodings} are understood`);
}
