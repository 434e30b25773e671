/** A parser of server-sent events, as the HTML standard defines them: for any chunking and any line endings. */
export interface Sent {
  /** The last id that came, with this event or before it. */
  id: string;
  /** "message" by default. */
  event: string;
  /** Undefined if there was no data: then only the id counts. */
  data: string | undefined;
}

/** Returns complete events; buffers the rest. */
export function createSseParser(): (bytes: Uint8Array) => Sent[] {
  const decoder = new TextDecoder();
  let rest = "";
  let id = "";
  let event = "";
  let data: string[] = [];

  function line(text: string, found: Sent[]): void {
    if (text === "") {
      found.push({ id, event: event || "message", data: data.length > 0 ? data.join("\n") : undefined });
      event = "";
      data = [];
      return;
    }
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) id = value;
  }

  return (bytes) => {
    const found: Sent[] = [];
    const text = rest + decoder.decode(bytes, { stream: true });
    let at = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      // A \r at the very end may be half of a \r\n.
      if (end === "\r" && index === text.length - 1) break;
      line(text.slice(at, index), found);
      at = index + end.length;
    }
    rest = text.slice(at);
    return found;
  };
}
