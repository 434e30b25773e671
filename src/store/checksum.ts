/**
 * A sealed text: one JSON object with a last field `sum`, the CRC-32 of the object without that field, in eight hex digits. Behind it there may be
 * `"more":true`, not summed: the text is one of several, and the next one belongs to it.
 *
 * Always holds: any flipped bit, truncation or torn write breaks the checksum. The text contains no newline, because JSON escapes it, and is valid
 * UTF-8, because JSON.stringify escapes lone surrogates.
 *
 * Not here: the content (log-line.ts, snapshot.ts). It detects accidents, not forgery.
 */
import { crc32 } from "node:zlib";
import { Problem } from "../schema/problem.ts";

const before = ',"sum":"';
const after = '"}';
const afterMore = '","more":true}';
/** The lengths of `,"sum":"01234567"}` and `,"sum":"01234567","more":true}`. */
export const sealLengths = [after, afterMore].map((end) => before.length + 8 + end.length);

const comma = 0x2c;
const brace = 0x7d;
const prefix = Buffer.from(before);
const suffix = Buffer.from(after);
const suffixMore = Buffer.from(afterMore);

/** `json` must be the text of an object with at least one field. */
export function seal(json: string, more = false): string {
  return `${json.slice(0, -1)}${before}${hex(crc32(json))}${more ? afterMore : after}`;
}

/** Whether the sealed text that ends here says that the next one belongs to it. */
export const hasMore = (bytes: Buffer, end: number): boolean =>
  end >= suffixMore.length && has(bytes, end - suffixMore.length, suffixMore);

/** The checksum that a sealed text ends with, unverified. */
export function sumIn(bytes: Buffer, end: number): string {
  const digits = end - (hasMore(bytes, end) ? suffixMore : suffix).length;
  return bytes.toString("latin1", digits - 8, digits);
}

/**
 * The sealed text in bytes[start, end). Throws `log_corrupt` with the reason when the checksum does not match. It overwrites the comma of `,"sum"`
 * with a brace for a moment, so that the summed bytes are contiguous, then restores it.
 */
export function unseal(bytes: Buffer, start: number, end: number): string {
  const last = hasMore(bytes, end) ? suffixMore : suffix;
  const cut = end - last.length - 8 - prefix.length;
  if (cut <= start || !has(bytes, cut, prefix) || !has(bytes, end - last.length, last)) {
    throw new Problem("log_corrupt", "it does not end with a checksum");
  }
  bytes[cut] = brace;
  const found = crc32(bytes.subarray(start, cut + 1));
  if (!sameHex(bytes, cut + prefix.length, found)) {
    bytes[cut] = comma;
    const said = JSON.stringify(sumIn(bytes, end));
    throw new Problem("log_corrupt", `its checksum is "${hex(found)}" but it says ${said}`);
  }
  const text = bytes.toString("utf8", start, cut + 1);
  bytes[cut] = comma;
  return text;
}

function has(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** Compares without allocating a string: this runs for every event of every opening. */
function sameHex(bytes: Buffer, at: number, value: number): boolean {
  for (let i = 0; i < 8; i++) {
    const digit = (value >>> (28 - 4 * i)) & 15;
    if (bytes[at + i] !== (digit < 10 ? 48 + digit : 87 + digit)) return false;
  }
  return true;
}

const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(value: number): string {
  return `${pairs[value >>> 24]}${pairs[(value >>> 16) & 255]}${pairs[(value >>> 8) & 255]}${pairs[value & 255]}`;
}
