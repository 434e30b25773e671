/**
 * A file as a response: whole, a part of it (Range), or not modified (If-None-Match). Whatever it contains, a browser that opens it runs nothing
 * and reaches nothing (Content-Security-Policy: sandbox).
 */

import { Problem } from "../schema/problem.ts";
import { problemResponse } from "./app.ts";
import type { Media } from "./media.ts";

export interface Bytes {
  name: string;
  content: Buffer;
  sha256: string;
  media: Media;
}

export function bytesAnswer(request: Request, { name, content, sha256, media }: Bytes): Response {
  const etag = `"${sha256}"`;
  const headers = {
    etag,
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "content-disposition": `${media.inline ? "inline" : "attachment"}; filename*=UTF-8''${quoted(name)}`,
  };
  if (namesTag(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const typed = { ...headers, "content-type": media.type };
  const range = rangeOf(request.headers, etag, content.length);
  if (range === "outside") {
    const problem = problemResponse(
      new Problem("invalid", `the range is outside of ${name}, which has ${content.length} bytes`),
    );
    problem.headers.set("content-range", `bytes */${content.length}`);
    return new Response(problem.body, { status: 416, headers: problem.headers });
  }
  if (!range) return new Response(new Uint8Array(content), { status: 200, headers: typed });
  const part = content.subarray(range.first, range.last + 1);
  const place = `bytes ${range.first}-${range.last}/${content.length}`;
  return new Response(new Uint8Array(part), { status: 206, headers: { ...typed, "content-range": place } });
}

function namesTag(given: string | null, etag: string): boolean {
  const tags = given?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return tags.includes("*") || tags.includes(etag);
}

/**
 * Undefined for the whole file: no range was requested, it is of another version (If-Range), or of a kind that we may ignore (several parts, other
 * units).
 */
function rangeOf(
  headers: Headers,
  etag: string,
  size: number,
): { first: number; last: number } | "outside" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range")?.trim() ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const only = headers.get("if-range");
  if (only !== null && only !== etag) return undefined;
  if (from === "") {
    const count = Math.min(Number(to), size);
    return count > 0 ? { first: size - count, last: size - 1 } : "outside";
  }
  const [first, last] = [Number(from), to === "" ? size - 1 : Math.min(Number(to), size - 1)];
  if (to !== "" && Number(to) < first) return undefined;
  return first < size ? { first, last } : "outside";
}

/** For `filename*`: everything but letters and digits is percent-encoded, so that no name can end the header. */
const quoted = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
