/**
 * Pretty-prints JSON up to so many characters, in one pass and without building a value, so its beginning costs no more than a beginning. Numbers
 * stay as written. Undefined if the part that was read is not valid JSON; the rest is not checked.
 */
export function layOut(text: string, most: number): string | undefined {
  const parts: string[] = [];
  let [length, depth, at] = [0, 0, 0];
  const put = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  const newLine = () => put(`\n${"  ".repeat(Math.min(depth, most))}`);

  while (at < text.length && length < most) {
    const sign = text[at]!;
    if (isBlank(sign)) at++;
    else if (sign === '"') {
      const end = endOfString(text, at);
      put(readable(text.slice(at, Math.min(end, at + most + 1))));
      at = end;
    } else if (sign === "{" || sign === "[") {
      at = pastBlanks(text, at + 1);
      if (text[at] === (sign === "{" ? "}" : "]")) {
        put(sign + text[at++]);
        continue;
      }
      put(sign);
      depth++;
      newLine();
    } else if (sign === "}" || sign === "]") {
      if (depth-- === 0) return undefined;
      newLine();
      put(sign);
      at++;
    } else if (sign === ",") {
      put(sign);
      newLine();
      at++;
    } else if (sign === ":") {
      put(": ");
      at++;
    } else {
      const [word] = /^[\w.+-]{1,1000}/.exec(text.slice(at, at + 1_000)) ?? [];
      if (!word || !/^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(word)) return undefined;
      put(word);
      at += word.length;
    }
  }
  if (length < most && depth !== 0) return undefined;
  return parts.join("").slice(0, most).toWellFormed();
}

const isBlank = (sign: string): boolean => sign === " " || sign === "\n" || sign === "\r" || sign === "\t";

function pastBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at]!)) at++;
  return at;
}

/** The position after the closing quote of the string that begins here, or the end. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Decodes escaped letters. */
function readable(string: string): string {
  if (!string.includes("\\")) return string;
  try {
    return JSON.stringify(JSON.parse(string));
  } catch {
    return string; // truncated, or not a string
  }
}
