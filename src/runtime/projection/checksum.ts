/** Texts that carry their own checksum, so that it shows whether somebody else changed them. */
import { sha256 } from "../workspace/publish.ts";

const mark = "<!-- agiraph ";

/** Text with its own checksum in the last line. */
export function withChecksum(text: string): string {
  return `${text.trimEnd()}\n\n${mark}${sha256(text.trimEnd()).slice(0, 16)} -->\n`;
}

/** JSON with its own checksum as the last field. */
export function signedJson(content: Record<string, unknown>): string {
  return `${JSON.stringify({ ...content, sum: sha256(JSON.stringify(content)).slice(0, 16) }, null, 2)}\n`;
}

export function isSigned(text: string): boolean {
  const at = text.lastIndexOf(`\n\n${mark}`);
  if (at >= 0) return withChecksum(text.slice(0, at)) === text;
  try {
    const { sum: _sum, ...content } = JSON.parse(text) as Record<string, unknown>;
    return signedJson(content) === text;
  } catch {
    return false;
  }
}
