/**
 * An upper estimate of the tokens in the body of a request, for its reservation (backend/tokens.ts).
 *
 * A program sends its whole conversation, its instructions and its tools with every call. They are counted part by part and remembered, so that a
 * long conversation costs no more than what is new in it.
 */
import { hash } from "node:crypto";
import { tokensIn } from "../backend/tokens.ts";

/** Shorter ones are counted sooner than they are looked up. */
const short = 200;
const mostKnown = 4_096;
const known = new Map<string, number>();

export function tokensInBody(body: Readonly<Record<string, unknown>>): number {
  let sum = 0;
  for (const [name, value] of Object.entries(body)) {
    const parts = Array.isArray(value) ? value : [value];
    // Quotes, colon, comma and brackets around it, and a comma for each part.
    sum += tokensIn(name) + 6 + parts.length;
    for (const part of parts) sum += tokensInPart(JSON.stringify(part) ?? "");
  }
  return sum;
}

function tokensInPart(text: string): number {
  if (text.length < short) return tokensIn(text);
  const key = hash("sha256", text);
  const tokens = known.get(key) ?? tokensIn(text);
  if (known.size >= mostKnown) known.clear();
  known.set(key, tokens);
  return tokens;
}
