/**
 * One call of a route: what is given is put into the address and the body, what comes back is the answer, or a Problem with its code.
 *
 * A call whose connection is lost is made again, a few times. So that it still happens once, each change carries a key that stays the same.
 */

import { WireError } from "../api/errors.ts";
import { type AnswerOf, type Given, isMutation, type Route } from "../api/route.ts";
import { commandRef } from "../lib/command-line.ts";
import { Problem } from "../schema/problem.ts";
import { backoff, type Platform, pause } from "./platform.ts";

type Parts = "params" | "query" | "body";
type Needed<R extends Route> = { [P in Parts as Given<R, P> extends undefined ? never : P]: Given<R, P> };
type Empty = Record<never, never>;
/** Parts in which nothing must be said may be left out. */
type Optional<T> = { [K in keyof T as Empty extends T[K] ? K : never]?: T[K] } & {
  [K in keyof T as Empty extends T[K] ? never : K]: T[K];
};
export type CallOf<R extends Route> = Optional<Needed<R>> & {
  /** What is uploaded. It can be sent only once, so a lost connection is an error. */
  stream?: ReadableStream<Uint8Array>;
  /** Of a change: asking again with it changes nothing more. One is made if there is none. */
  key?: string;
  /** The version that a write replaces; see the routes of files. */
  ifMatch?: string;
  /** Goes on when the window that asked is closed; for small bodies. */
  keepalive?: boolean;
  signal?: AbortSignal;
};
/** Nothing at all may be said where nothing must be. */
export type Arguments<R extends Route> = Empty extends CallOf<R> ? [given?: CallOf<R>] : [given: CallOf<R>];
/** A file comes as it is. */
export type Answer<R extends Route> = R extends { kind: "file" } ? Response : AnswerOf<R>;

export interface Connection {
  url: string;
  token(): string | undefined;
  platform: Platform;
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
}

const mostAttempts = 4;

export async function call(connection: Connection, route: Route, given: Loose): Promise<unknown> {
  const headers: Record<string, string> = { accept: "application/json" };
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
  return response.status === 204 ? undefined : await response.json();
}

/** The good answer, or a Problem; asks again after a lost connection. */
async function ask({ url, token, platform }: Connection, path: string, init: RequestInit): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await platform.fetch(url + path, { ...init, headers: withToken(init.headers, token()) });
      if (response.ok) return response;
      throw await problemOf(response);
    } catch (error) {
      if (error instanceof Problem || init.signal?.aborted) throw error;
      if (attempt + 1 >= mostAttempts || init.body instanceof ReadableStream) throw unreachable(url, error);
      await pause(platform, backoff(platform, attempt), init.signal ?? undefined);
    }
  }
}

export const unreachable = (url: string, cause: unknown): Problem =>
  new Problem(
    "unreachable",
    `the daemon${url ? ` at ${url}` : ""} does not answer; is it running? ${commandRef("up -d")} starts it`,
    undefined,
    { cause },
  );

export const withToken = (headers: RequestInit["headers"], token: string | undefined): Record<string, string> => ({
  ...(headers as Record<string, string>),
  ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
});

export async function problemOf(response: Response): Promise<Problem> {
  const said = WireError.safeParse(await response.json().catch(() => undefined));
  if (!said.success)
    return new Problem("unreachable", `what answers at ${response.url} is not Agiraph: status ${response.status}`);
  const { code, message, details } = said.data.error;
  return code === "internal"
    ? new Problem("unreachable", message, { ...details, status: response.status })
    : new Problem(code, message, details);
}

export function addressOf(route: Route, { params = {}, query = {} }: Loose): string {
  const path = route.path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    const value = String(params[name]);
    return rest ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
  const said = Object.entries(query).filter(([, value]) => value !== undefined);
  if (said.length === 0) return path;
  return `${path}?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`;
}
