/**
 * The daemon's routes as one fetch handler: authentication (gate), body, validation, handler, response. Every route of the table (api/) passes
 * through here, so none can forget the gate.
 *
 * A Problem becomes its status and `{"error": …}`; any other error is internal: 500 `internal`, reported to the operator and not to the caller.
 * Nothing here decides anything about agents.
 */
import { Hono } from "hono";
import type { z } from "zod";
import { statusOf, type WireError } from "../api/errors.ts";
import { isMutation, type Route, type Routes } from "../api/route.ts";
import { throughHeader, type Way, ways } from "../api/through.ts";
import { printOf } from "../lib/json/print.ts";
import { anySignal } from "../lib/time/abort.ts";
import type { Clock } from "../lib/world.ts";
import type { Once, StoredAnswer } from "../runtime/idempotency.ts";
import { Problem } from "../schema/problem.ts";
import type { Gate, Who } from "./auth/gate.ts";
import { readBody } from "./body.ts";
import { type Call, type Handlers, keyPrefix, Reply } from "./handler.ts";
import { openBytes } from "./limits.ts";

export interface AppOptions<T extends Routes> {
  routes: T;
  handlers: Handlers<T>;
  gate: Gate;
  clock: Clock;
  /** Runs a request with an idempotency key once. */
  once: Once;
  /** Aborts when the daemon shuts down. */
  stopping: AbortSignal;
  /** Other protocols, by path: they handle their own requests, behind the same gate and the same limits on the body. */
  mounts?: Readonly<Record<string, Mount>>;
  /** Called when a request on this connection was authenticated. */
  known?(socket: object): void;
  /** Reports an internal error to the operator. */
  fault(error: unknown, request: Request): void;
}

/** `body` is the JSON of the request, read and bounded; undefined if there was none. */
export type Mount = (request: Request, who: Who, body: unknown) => Promise<Response>;

export interface App {
  /** For requests that came over a network. */
  fetch: Hono["fetch"];
  /**
   * For callers in this process, as the human on this machine: no token, no Host check; all else is the same. Never pass it a request that came
   * from elsewhere.
   */
  local(request: Request): Promise<Response>;
}

export function createApp<T extends Routes>(options: AppOptions<T>): App {
  const { routes, handlers, gate, clock, once, stopping, mounts = {}, fault } = options;
  const app = new Hono({ strict: false });
  const proven = new WeakSet<Request>();
  /** Requests that this process made itself. */
  const own = new WeakSet<Request>();
  const knows = (env: unknown, request: Request): void => {
    proven.add(request);
    const socket = (env as Connection | undefined)?.incoming?.socket;
    if (socket) options.known?.(socket);
  };

  app.use(async (c, next) => {
    await next();
    if (complete.has(c.res)) return;
    for (const [name, value] of Object.entries(always)) c.res.headers.set(name, value);
    // The page has its own policy; no other response may run anything in a browser.
    if (!c.res.headers.has("content-security-policy")) c.res.headers.set("content-security-policy", nothing);
  });
  app.use(async (c, next) => {
    if (!own.has(c.req.raw)) gate.checkPlace(c.req.raw.headers);
    await next();
  });

  for (const [name, route] of Object.entries(routes)) {
    const handle = handlers[name] as (call: Call<Route>) => Promise<unknown>;
    app.on(route.method, honoPath(route.path), async (c) => {
      const isOwn = own.has(c.req.raw);
      const isHere = () => isOwn || comesFromHere(c.env as Connection | undefined, c.req.raw.headers);
      const who = route.open || isOwn ? undefined : gate.checkToken(c.req.raw.headers);
      const ended = who?.kind === "human" ? who.ended : undefined;
      if (who) knows(c.env, c.req.raw);
      if (route.local && (ended || !isHere()))
        throw new Problem(
          "forbidden",
          "this route is only for programs on the daemon's own machine, with the token from daemon.json",
        );
      const params = take("path", route.params, c.req.param());
      const query = take("query", route.query, c.req.query());
      const body = take(
        "body",
        route.body,
        route.body && (await readBody(c.req.raw, clock, route.open ? openBytes : undefined)),
      );
      const request = c.req.raw;
      const ends = createEnds(request, stopping);
      const key = keyOf(route, request);
      const call = {
        params,
        query,
        body,
        key,
        through: throughOf(request),
        request,
        get isHere() {
          return isHere();
        },
        get signal() {
          return ends.signal();
        },
        cut: () => (c.env as Connection | undefined)?.outgoing?.destroy(),
      } as Call<Route>;
      const act = async () => {
        const given = await handle(call).catch((error) => {
          ends.release();
          throw error;
        });
        if (!(given instanceof Response)) ends.release();
        return given;
      };
      if (key === undefined) return until(answer(route, await act()), ended);
      const print = printOf([name, params, query, body]);
      const given = await once({ key, print, act, keep: (one) => kept(route, one) });
      return "kept" in given ? json(given.kept.status, given.kept.body) : until(answer(route, given.answer), ended);
    });
  }

  for (const [path, mount] of Object.entries(mounts))
    app.all(path, async (c) => {
      const who = gate.who(c.req.raw.headers);
      knows(c.env, c.req.raw);
      let body: unknown;
      try {
        body = await readBody(c.req.raw, clock);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // JSON-RPC callers get JSON-RPC errors.
        const said = { code: -32700, message: `${error.code}: ${error.message}` };
        return json(statusOf[error.code], { jsonrpc: "2.0", id: null, error: said });
      }
      const given = await mount(c.req.raw, who, body);
      return until(given, who.kind === "human" ? who.ended : undefined);
    });

  app.notFound((c) => {
    if (!own.has(c.req.raw)) gate.checkToken(c.req.raw.headers);
    const { path, method } = c.req;
    return problemResponse(new Problem("not_found", `there is no route ${method} ${path}; see /openapi.json`));
  });
  app.onError((error, c) => {
    if (error instanceof Problem) {
      const said = problemResponse(error);
      // The rest of an unauthenticated body is not even read and dropped.
      if (!proven.has(c.req.raw) && bringsMuch(c.req.raw.headers)) said.headers.set("connection", "close");
      return said;
    }
    fault(error, c.req.raw);
    const said: WireError = { error: { code: "internal", message: "internal error; see the daemon's log" } };
    return json(500, said);
  });
  return {
    fetch: app.fetch,
    async local(request) {
      own.add(request);
      return await app.fetch(request);
    },
  };
}

/** The protocol of the program that asks, if it is one. */
function throughOf({ headers }: Request): Way | undefined {
  const said = headers.get(throughHeader);
  if (said === null) return undefined;
  const way = ways.find((one) => one === said);
  if (!way) throw new Problem("invalid", `${throughHeader} must be ${ways.join(" or ")}`);
  return way;
}

/** More than fits beside the headers. */
const bringsMuch = (headers: Headers): boolean =>
  headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > openBytes;

/** Security headers of every response: no framing, no sniffing, no caching, no referrer. */
const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** Responses that already have them: adding them later would double the cost. */
const complete = new WeakSet<Response>();

/** What the Node server passes along with a request. */
interface Connection {
  incoming?: { socket: { remoteAddress?: string | undefined } };
  outgoing?: { destroy(): void };
}

/** Over loopback and with a loopback Host: a proxy on this machine passes another one on. */
function comesFromHere(connection: Connection | undefined, headers: Headers): boolean {
  const address = connection?.incoming?.socket.remoteAddress ?? "";
  return (
    /^(::ffff:)?127\.|^::1$/.test(address) && /^(127\.0\.0\.1|localhost|\[::1\]):\d+$/.test(headers.get("host") ?? "")
  );
}

const nothing = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

const honoPath = (path: string): string => path.replace(/\{(\w+)\*\}/g, ":$1{.*}").replace(/\{(\w+)\}/g, ":$1");

/** Created on demand, because most responses are complete before a caller could disconnect; a stream ends when its caller does. */
function createEnds(request: Request, stopping: AbortSignal) {
  let joined: ReturnType<typeof anySignal> | undefined;
  const release = () => joined?.release();
  return {
    signal(): AbortSignal {
      if (!joined) {
        joined = anySignal(request.signal, stopping);
        request.signal.addEventListener("abort", release, { once: true });
      }
      return joined.signal;
    },
    release,
  };
}

function take(what: string, schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) return undefined;
  if (given === undefined && what === "body") {
    const empty = schema.safeParse({});
    if (empty.success) return empty.data;
    throw new Problem("invalid", "the request has no body; send JSON");
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  const [first] = issues;
  throw new Problem("invalid", `${what}${first?.field ? ` ${first.field}` : ""}: ${first?.message}`, { issues });
}

const longestKey = 200;

function keyOf(route: Route, request: Request): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null || !isMutation(route) || route.open || route.local) return undefined;
  if (!/^[\x21-\x7e]+$/.test(key) || key.includes("#") || key.length > longestKey)
    throw new Problem("invalid", `Idempotency-Key must be 1 to ${longestKey} visible ASCII characters without #`);
  return keyPrefix + key;
}

/** Files, streams and repeatable reads are not stored. */
function kept(route: Route, given: unknown): StoredAnswer | null {
  if (given instanceof Response) return null;
  if (given instanceof Reply) return given.keep ? { status: given.status, body: given.body } : null;
  return { status: route.ok, body: given ?? null };
}

function answer(route: Route, given: unknown): Response {
  if (given instanceof Response) return given;
  if (given instanceof Reply) return json(given.status, given.body);
  return json(route.ok, given);
}

/** Ends a session's stream or file download with the session. */
function until(response: Response, ended: AbortSignal | undefined): Response {
  if (!ended || !response.body || complete.has(response)) return response;
  const reader = response.body.getReader();
  let end: () => void = () => undefined;
  const over = new Promise<"over">((resolve) => {
    end = () => resolve("over");
  });
  ended.addEventListener("abort", end, { once: true });
  if (ended.aborted) end();
  const letGo = () => ended.removeEventListener("abort", end);
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await Promise.race([reader.read(), over]);
        if (read !== "over" && !read.done) return controller.enqueue(read.value);
        letGo();
        if (read === "over") void reader.cancel().catch(() => undefined);
        controller.close();
      },
      cancel(reason) {
        letGo();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(stream, { status: response.status, headers: response.headers });
}

export function json(status: number, body: unknown): Response {
  if (status === 204) return new Response(null, { status });
  const headers = {
    ...(status === 401 ? { "www-authenticate": 'Bearer realm="agiraph"' } : {}),
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": nothing,
    ...always,
  };
  const response = new Response(`${JSON.stringify(body)}\n`, { status, headers });
  complete.add(response);
  return response;
}

export function problemResponse({ code, message, details }: Problem): Response {
  const said: WireError = { error: { code, message, ...(details ? { details } : {}) } };
  return json(statusOf[code], said);
}
