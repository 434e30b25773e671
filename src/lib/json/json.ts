/**
 * JSON.parse with correct keys.
 *
 * V8 (Node 24 to 26 at least, nodejs/node#63785) can read a key that is written with an escape as another key, one that an object parsed earlier
 * had in that place: after `{"a":1,"\\":1}` the text `{"a":1,"\n":1}` gives `{"a":1,"\\":1}`. Anyone who can send us JSON can set that up, and then
 * the log would not return what was written. So no key with an escape reaches JSON.parse: it gets a plain placeholder that is replaced afterwards.
 * Texts without such a key, nearly all, go straight through.
 */
export function parseJson(text: string): unknown {
  if (!text.includes("\\")) return JSON.parse(text);
  let mark = "";
  const keys = new Map<string, string>();
  let plain = "";
  let copied = 0;
  for (let at = text.indexOf("\\"); at >= 0; ) {
    const end = endOfString(text, at);
    if (isKey(text, end)) {
      const start = text.lastIndexOf('"', at);
      mark ||= unusedPrefix(text);
      const standIn = `${mark}${keys.size}`;
      keys.set(standIn, JSON.parse(text.slice(start, end)));
      plain += `${text.slice(copied, start)}"${standIn}"`;
      copied = end;
    }
    at = text.indexOf("\\", end);
  }
  if (keys.size === 0) return JSON.parse(text);
  return restore(JSON.parse(plain + text.slice(copied)), keys);
}

/** The position after the string's closing quote; `at` is a position inside it, where no escape has begun. */
function endOfString(text: string, at: number): number {
  for (let here = at; here < text.length; here++) {
    const code = text.charCodeAt(here);
    if (code === 0x5c) here++;
    else if (code === 0x22) return here + 1;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  while (" \t\n\r".includes(text.charAt(end)) && end < text.length) end++;
  return text.charAt(end) === ":";
}

/** A prefix that no string of the text has. */
function unusedPrefix(text: string): string {
  let prefix = "#";
  while (text.includes(`"${prefix}`)) prefix += "#";
  return prefix;
}

function restore(value: unknown, keys: Map<string, string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => restore(item, keys));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [keys.get(key) ?? key, restore(item, keys)]));
}

/** Maps every text in a value, keys too. Endless nesting is cut off. */
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (depth > 64) return "nested too deep";
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [change(key), mapTexts(inner, change, depth + 1)]),
  );
}

/** A value that is safe for any log, from a source that may split a surrogate pair or nest without end: a model, a program. */
export const wellFormed = (value: unknown): unknown => mapTexts(value, (text) => text.toWellFormed());
