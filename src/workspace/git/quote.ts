/** Names of files as git writes them: plain, or in quotes with escapes for everything that is not printable ASCII. */

const letters: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Null if the name is not valid UTF-8. */
export function unquote(name: string): string | null {
  if (!name.startsWith('"')) return name;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gs))
    bytes.push(octal ? Number.parseInt(octal, 8) : letter ? letters[letter]! : plain!.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}

/** Read back by git where names come one per line. */
export const quote = (name: string): string =>
  `"${[...Buffer.from(name)].map((byte) => (byte > 31 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`)).join("")}"`;
