/**
 * The daemon's routes as one fetch handler: gate, body, check, handler, answer. Every route of the table (api/) goes through here and
 * through nothing else, so none can forget the gate.
 *
 * A Problem becomes its status and `{"error": …}`; anything else that is thrown is our fault: 500 `internal`, told to the operator and not
 * to the caller. Nothing here decides anything about agents.
 */
import { Hono } from "hono";
import type { z } from "zod";
import { statusOf, type WireError } from "../api/errors.ts";
import { isMutation, type Route, type Routes } from "../api/route.ts";
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { readBody } from "./body.ts";
import type { Gate } from "./gate.ts";
import { type Call, type Handlers, Reply } from "./handler.ts";

export interface AppOptions<T extends Routes> {
  routes: T;
  handlers: Handlers<T>;
  gate: Gate;
  clock: Clock;
  /** A bug of ours, for the operator. */
  fault(error: unknown, request: Request): void;
}

export function createApp<T extends Routes>({ routes, handlers, gate, clock, fault }: AppOptions<T>): Hono {
  const app = new Hono({ strict: false });

  app.use(async (c, next) => {
    gate.checkPlace(c.req.raw.headers);
    await next();
    if (complete.has(c.res)) return;
    for (const [name, value] of Object.entries(always)) c.res.headers.set(name, value);
  });

  for (const [name, route] of Object.entries(routes)) {
    const handle = handlers[name] as (call: Call<Route>) => Promise<unknown>;
    app.on(route.method, honoPath(route.path), async (c) => {
      if (!route.open) gate.checkToken(c.req.raw.headers);
      const params = take("path", route.params, c.req.param());
      const query = take("query", route.query, c.req.query());
      const body = take("body", route.body, route.body && (await readBody(c.req.raw, clock)));
      const call = {
        params,
        query,
        body,
        key: keyOf(route, c.req.raw),
        // Made when it is asked for: most never do.
        get signal() {
          return c.req.raw.signal;
        },
        request: c.req.raw,
        cut: () => (c.env as Connection | undefined)?.outgoing?.destroy(),
      };
      return answer(route, await handle(call as Call<Route>));
    });
  }

  app.notFound((c) => {
    gate.checkToken(c.req.raw.headers);
    const { path, method } = c.req;
    return failed(new Problem("not_found", `there is no ${method} ${path}; /openapi.json lists what there is`));
  });
  app.onError((error, c) => {
    if (error instanceof Problem) return failed(error);
    fault(error, c.req.raw);
    const said: WireError = { error: { code: "internal", message: "a fault of ours; the daemon's log says more" } };
    return json(500, said);
  });
  return app;
}

/** On every answer: nothing of ours is framed, guessed, cached or sent on. */
const always = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** Answers that have those already: to add them later would cost as much as all the rest. */
const complete = new WeakSet<Response>();

/** What the server for Node hands on with a request. */
interface Connection {
  outgoing?: { destroy(): void };
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\*\}/g, ":$1{.*}").replace(/\{(\w+)\}/g, ":$1");

function take(what: string, schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) return undefined;
  if (given === undefined && what === "body") {
    const empty = schema.safeParse({});
    if (empty.success) return empty.data;
    throw new Problem("invalid", "the body is missing; send JSON");
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
  if (key === null || !isMutation(route)) return undefined;
  if (!/^[\x21-\x7e]+$/.test(key) || key.includes("#") || key.length > longestKey)
    throw new Problem("invalid", `Idempotency-Key: 1 to ${longestKey} visible ASCII characters without #`);
  return `http/${key}`;
}

function answer(route: Route, given: unknown): Response {
  if (given instanceof Response) return given;
  if (given instanceof Reply) return json(given.status, given.body);
  return route.ok === 204 ? new Response(null, { status: 204 }) : json(route.ok, given);
}

export function json(status: number, body: unknown): Response {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...always };
  const response = new Response(`${JSON.stringify(body)}\n`, { status, headers });
  complete.add(response);
  return response;
}

export function failed({ code, message, details }: Problem): Response {
  const said: WireError = { error: { code, message, ...(details ? { details } : {}) } };
  return json(statusOf[code], said);
}
