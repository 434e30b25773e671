/** Decodes bytes from the web: a byte order mark decides, then the header, then the page's own declaration, then UTF-8. Never throws. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const label = fromMark(bytes) ?? fromHeader(contentType) ?? fromPage(bytes) ?? "utf-8";
  return (decoder(label) ?? new TextDecoder()).decode(bytes);
}

function fromMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : undefined;
}

function fromHeader(contentType: string): string | undefined {
  const label = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
  return label && decoder(label) ? label : undefined;
}

/** Only in the first kilobyte, as browsers do. A page that can be read that far is not UTF-16, whatever it says. */
function fromPage(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 1024).toString("latin1");
  const label = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1];
  if (!label || !decoder(label)) return undefined;
  return /^utf-16/i.test(label) ? "utf-8" : label;
}

function decoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined; // no such charset
  }
}
