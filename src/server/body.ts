/**
 * Reads the body of a request: JSON only, with limits on bytes, nesting, number of values and time. The text goes through parseJson and not through
 * JSON.parse (lib/json/json.ts says why).
 */
import { parseJson } from "../lib/json/json.ts";
import { tooMuchJson } from "../lib/json/json-meter.ts";
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { bodyLimits } from "./limits.ts";

const { mostBytes, mostDepth, mostValues, patienceMs } = bodyLimits;

/** Undefined if there is none. */
export async function readBody(request: Request, clock: Clock, most?: number): Promise<unknown> {
  const text = await readText(request, clock, most);
  return text === undefined ? undefined : parseBody(text);
}

/** The raw text, for signatures; with the same limits. */
export async function readText(request: Request, clock: Clock, most: number = mostBytes): Promise<string | undefined> {
  // An unauthenticated caller must send content-length, and is cut off if it is too much; others are read to the end, so that they can read the
  // error.
  if (most < mostBytes) {
    const said = request.headers.get("content-length");
    if (said === null && request.headers.has("transfer-encoding"))
      throw new Problem("invalid", "the request has no content-length; send it");
    if (Number(said ?? 0) > most) throw tooLarge(most);
  }
  if (!request.body) return undefined;
  const bytes = await collect(request.body, clock, most);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new Problem("invalid", `the content type is ${type || "missing"}; send application/json`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem("invalid", "the body is not valid UTF-8");
  }
}

export function parseBody(text: string): unknown {
  // Before parsing: a recursive parser could overflow the stack, and a million values would block the event loop.
  const tooMuch = tooMuchJson(text, { values: mostValues, depth: mostDepth, bytes: mostBytes });
  if (tooMuch) throw new Problem("invalid", `the body ${tooMuch}`);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    throw new Problem("invalid", "the body is not valid JSON");
  }
  if (text.includes("\\u") && !isWhole(body))
    throw new Problem("invalid", "the body contains invalid Unicode (half a surrogate pair)");
  return body;
}

/** An escape can produce a lone surrogate, which no file or index would return. The depth was checked before. */
function isWhole(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWhole(inner));
}

const tooLarge = (most: number) => new Problem("too_large", `the body has more than ${most} bytes`);

async function collect(body: ReadableStream<Uint8Array>, clock: Clock, most: number): Promise<Uint8Array> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let late = false;
  const cancel = clock.after(patienceMs, () => {
    late = true;
    void reader.cancel().catch(() => undefined);
  });
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > most) {
        void reader.cancel().catch(() => undefined);
        throw tooLarge(most);
      }
      parts.push(part.value);
    }
  } finally {
    cancel();
  }
  if (late) throw new Problem("invalid", `the body did not arrive within ${patienceMs / 1000} seconds`);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
