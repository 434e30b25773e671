/**
 * One line of a transcript: its size, and the same line with long texts truncated in the middle.
 *
 * Lines are immutable, so the size of each is counted once. A provider's opaque data repeats the text and the calls: the larger of the two is what
 * is sent. Once something was truncated the opaque data is dropped, or it would bring everything back.
 */
import { shortenMiddle } from "../../lib/text/text.ts";
import { estimateTokens } from "../../lib/text/tokens.ts";
import type { Line } from "../../schema/worker.ts";

const known = new WeakMap<Line, number>();

export function tokensOfLine(line: Line): number {
  let tokens = known.get(line);
  if (tokens === undefined) {
    tokens = count(line);
    known.set(line, tokens);
  }
  return tokens;
}

function count(line: Line): number {
  if (line.role !== "assistant" || !line.kept) return estimateTokens(JSON.stringify(line));
  const { kept, ...said } = line;
  return Math.max(estimateTokens(JSON.stringify(said)), estimateTokens(JSON.stringify(kept)));
}

/** Truncates every text of the line to this length. */
export function clipLine(line: Line, longest: number): Line {
  if (line.role === "tool") return clipResult(line, longest);
  if (line.role === "inbox") {
    const entries = line.entries.map(({ quotes, ...entry }, index) => {
      if (entry.text.length + (quotes?.length ?? 0) <= longest) return line.entries[index]!;
      // What was quoted is attached, too.
      return { ...entry, text: shortenMiddle(entry.text, longest) };
    });
    return entries.every((entry, index) => entry === line.entries[index]) ? line : { ...line, entries };
  }
  const calls = line.calls.map((call) => clipCall(call, longest));
  const text = shortenMiddle(line.text, longest);
  if (text === line.text && calls.every((call, index) => call === line.calls[index])) return line;
  const { kept: _, ...said } = line;
  return { ...said, text, calls };
}

export const clipResult = (line: Line, longest: number): Line =>
  line.role !== "tool" || line.result.length <= longest
    ? line
    : { ...line, result: shortenMiddle(line.result, longest) };

type Call = Extract<Line, { role: "assistant" }>["calls"][number];

/** Arguments stay valid arguments: texts in them are truncated, and what is long without long texts is only named. */
export function clipCall(call: Call, longest: number): Call {
  const size = JSON.stringify(call.input)?.length ?? 0;
  if (size <= longest) return call;
  const input = clipTexts(call.input, Math.floor(longest / 2));
  const left = JSON.stringify(input)?.length ?? 0;
  return { ...call, input: left <= longest ? input : { left_out: `arguments of ${size} characters` } };
}

function clipTexts(value: unknown, longest: number): unknown {
  if (typeof value === "string") return shortenMiddle(value, longest);
  if (Array.isArray(value)) return value.map((inner) => clipTexts(inner, longest));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clipTexts(inner, longest)]));
}
