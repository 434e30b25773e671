/**
 * One call of a route: builds the URL and the body, returns the response, or throws a Problem with its code.
 *
 * A call whose connection is lost is retried a few times. Each change carries an idempotency key that stays the same, so it still happens once.
 */

import { isWireError } from "../api/errors.ts";
import { type AnswerOf, type InputOf, isMutation, type Route } from "../api/route.ts";
import { commandRef } from "../lib/command-line.ts";
import { Problem } from "../schema/problem.ts";
import { backoff, type Platform, pause } from "./platform.ts";
import { createSseParser } from "./sse.ts";
import type { Transport } from "./transport.ts";

type Parts = "params" | "query" | "body";
type Needed<R extends Route> = { [P in Parts as InputOf<R, P> extends undefined ? never : P]: InputOf<R, P> };
type Empty = Record<never, never>;
/** Parts without required fields may be omitted. */
type Optional<T> = { [K in keyof T as Empty extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as Empty extends T[K] ? never : K]: T[K];
};
export type CallOf<R extends Route> = Optional<Needed<R>> & {
  /** The upload. It can be sent only once, so a lost connection is an error. */
  stream?: ReadableStream<Uint8Array>;
  /** Idempotency key of a change; generated if missing. */
  key?: string;
  /** The version that a write replaces; see the routes of files. */
  ifMatch?: string;
  /** Continues when the page that sent it is closed; for small bodies. */
  keepalive?: boolean;
  signal?: AbortSignal;
} & (R extends { last: string } ? { hear?: Hear } : unknown);
/** Receives what comes before the result of a long-running route: progress, or text as it is generated. */
export type Hear = (event: string, data: unknown) => void;
/** The argument may be omitted where nothing is required. */
export type Arguments<R extends Route> = Empty extends CallOf<R> ? [given?: CallOf<R>] : [given: CallOf<R>];
/** A file is returned as it is. */
export type Answer<R extends Route> = R extends { kind: "file" } ? Response : AnswerOf<R>;

export interface Connection {
  transport: Transport;
  platform: Platform;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
}

interface Loose {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  stream?: ReadableStream<Uint8Array>;
  key?: string;
  ifMatch?: string;
  keepalive?: boolean;
  signal?: AbortSignal;
  hear?: Hear;
}

const mostAttempts = 4;

export async function call(connection: Connection, route: Route, given: Loose): Promise<unknown> {
  const headers: Record<string, string> = { accept: given.hear ? "text/event-stream" : "application/json" };
  if (given.body !== undefined) headers["content-type"] = "application/json";
  if (given.ifMatch !== undefined) headers["if-match"] = given.ifMatch;
  if (isMutation(route)) {
    if (given.stream && route.upload) headers["content-type"] = route.upload;
    else headers["idempotency-key"] = given.key ?? connection.platform.unique();
  }
  const response = await ask(connection, addressOf(route, given), {
    method: route.method,
    headers,
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    ...(given.stream ? ({ body: given.stream, duplex: "half" } as RequestInit) : {}),
    ...(given.keepalive ? { keepalive: true } : {}),
    ...(given.signal ? { signal: given.signal } : {}),
  });
  if (route.kind === "file") return response;
  if (given.hear && /^text\/event-stream/.test(response.headers.get("content-type") ?? ""))
    return await inPieces(response, route.last!, given.hear);
  return response.status === 204 ? undefined : await response.json();
}

/** A successful response, or a Problem; retries after a lost connection. */
async function ask({ transport, platform, headers }: Connection, path: string, init: RequestInit): Promise<Response> {
  const whole = { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } };
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await transport.send(path, whole);
      if (response.ok) return response;
      if (response.status === 401 && attempt === 0 && transport.renew?.()) continue;
      throw await problemOf(response);
    } catch (error) {
      if (error instanceof Problem || init.signal?.aborted || !transport.isLossy) throw error;
      if (attempt + 1 >= mostAttempts || init.body instanceof ReadableStream)
        throw unreachable(transport.where(), error);
      transport.renew?.();
      await pause(platform, backoff(platform, attempt), init.signal ?? undefined);
    }
  }
}

/** The result is the event named `last`. */
async function inPieces(response: Response, last: string, hear: Hear): Promise<unknown> {
  const parse = createSseParser();
  const reader = response.body!.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    for (const { event, data } of parse(read.value)) {
      if (data === undefined) continue;
      const piece: unknown = JSON.parse(data);
      if (event === last) return piece;
      hear(event ?? "", piece);
    }
  throw new Problem("unreachable", "the daemon disconnected before it answered; retry");
}

const unreachable = (url: string, cause: unknown): Problem =>
  new Problem(
    "unreachable",
    `the daemon${url ? ` at ${url}` : ""} does not answer; if it is not running, start it: ${commandRef("up -d")}`,
    undefined,
    { cause },
  );

export async function problemOf(response: Response): Promise<Problem> {
  const answer: unknown = await response.json().catch(() => undefined);
  if (!isWireError(answer))
    return new Problem("unreachable", `the server at ${response.url} is not Agiraph: status ${response.status}`);
  const { code, message, details } = answer.error;
  return code === "internal"
    ? new Problem("unreachable", message, { ...details, status: response.status })
    : new Problem(code, message, details);
}

export function addressOf(route: Route, { params = {}, query = {} }: Loose): string {
  const path = route.path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    const value = String(params[name]);
    // URL normalisation would turn them into the path of another route, however they are encoded.
    if (value.split("/").some((step) => step === "." || step === ".."))
      throw new Problem("path_escapes", `${JSON.stringify(value)}: . and .. are not allowed in a path`);
    return rest ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
  const said = Object.entries(query).filter(([, value]) => value !== undefined);
  if (said.length === 0) return path;
  return `${path}?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`;
}
