/**
 * The cost of parsing a JSON text, measured by counting before it is parsed. Its bytes say little: a megabyte in one string takes a millisecond, a
 * megabyte of empty lists or nested brackets a hundred, during which the event loop is blocked.
 */
export interface JsonBounds {
  values: number;
  depth: number;
  /** Per text. */
  bytes: number;
}

/** For input of strangers: far more than anyone needs, and parsed in some 20 ms. */
export const outsideJson: JsonBounds = { values: 20_000, depth: 200, bytes: 10_000_000 };

/** Takes a text chunk by chunk. Returns why it is too much, once it is, else undefined. With `lines` each line is a text of its own. */
export function createJsonMeter(bounds: JsonBounds, lines = false): (bytes: Uint8Array) => string | undefined {
  let [values, depth, size] = [0, 0, 0];
  let [inside, escaped] = [false, false];
  return (bytes) => {
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at]!;
      size++;
      if (lines && code === newline) {
        [values, depth, size] = [0, 0, 0];
        [inside, escaped] = [false, false];
      } else if (escaped) escaped = false;
      else if (inside) {
        if (code === backslash) escaped = true;
        else if (code === quote) inside = false;
      } else if (code === quote) inside = true;
      else if (code === comma) values++;
      else if (code === opensList || code === opensObject) {
        values++;
        depth++;
      } else if (code === closesList || code === closesObject) depth--;
      if (depth > bounds.depth) return `is nested deeper than ${bounds.depth} levels`;
      if (values > bounds.values) return `has more than ${bounds.values.toLocaleString("en-US")} values`;
      if (size > bounds.bytes) return `has more than ${bounds.bytes.toLocaleString("en-US")} bytes`;
    }
    return undefined;
  };
}

/** Why a text is too much to be parsed, if it is. */
export const tooMuchJson = (text: string | Uint8Array, bounds: JsonBounds): string | undefined =>
  createJsonMeter(bounds)(typeof text === "string" ? new TextEncoder().encode(text) : text);

const [newline, quote, comma, backslash] = [0x0a, 0x22, 0x2c, 0x5c];
const [opensList, closesList, opensObject, closesObject] = [0x5b, 0x5d, 0x7b, 0x7d];
