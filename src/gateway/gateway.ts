/**
 * The model gateway: agent programs on API keys call the provider through the daemon (a metering proxy), with a secret of their own.
 *
 * Always holds: a program never sees the user's key. The worst-case cost of a call is reserved before it is forwarded, and its actual cost is
 * recorded when it has ended, however it ended. A call without room in the budget gets a shorter answer or is refused with status 400, which no
 * program retries; so are wrong keys of ours, which are not the program's fault.
 *
 * Not here: whose secret it is and whether it is valid (the server's gate), where amounts are recorded (Meter).
 */

import { BackendError } from "../backend/backend.ts";
import type { Model } from "../backend/models.ts";
import { costOf, type Used, worstOf } from "../backend/price.ts";
import type { Provider } from "../backend/providers.ts";
import { type Fetch, type Patience, watch } from "../backend/watch.ts";
import { commandRef } from "../lib/command-line.ts";
import type { Clock } from "../lib/world.ts";
import type { Amount } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import type { Usage } from "../schema/turn.ts";
import { tokensInBody } from "./count.ts";
import { type Api, errorOf, outputOf, readPath, readUsage, type WireRequest, withOutput } from "./wire.ts";

/** The caller of the gateway. */
export interface Caller {
  agent: string;
  run: string;
  participant: string;
}

export interface Metered {
  /** Records the usage, once. */
  end(cost: Amount, usage?: Usage): Promise<void>;
}

export interface Meter {
  /** Reserves, durably. Throws a Problem: `budget_exhausted` if there is no room, `forbidden` or `wrong_state` if the caller may not call now. */
  begin(caller: Caller, call: { model: string; worst: Amount }): Promise<Metered>;
}

export interface GatewayOptions {
  /** Throws a BackendError if the provider is unknown or has no key. */
  provider(name: string): Provider;
  model(provider: Provider, name: string): Model;
  meter: Meter;
  clock: Clock;
  fetch: Fetch;
  patience: Patience;
}

export interface Gateway {
  /** `rest` is the path after the provider's name, with its version if the program sends one; `body` is JSON. */
  serve(caller: Caller, given: { provider: string; rest: string; request: Request; body: unknown }): Promise<Response>;
}

interface Passing {
  provider: Provider;
  asked: WireRequest;
  request: Request;
  /** Of the address, with its question mark. */
  search: string;
  body: Record<string, unknown> | undefined;
}

/** Low, so that the tokens are not underestimated. */
const charactersPerToken = 3;
/** A shorter answer than this is useless. */
const shortest = 512;
const passedOn = ["accept", "anthropic-beta", "anthropic-version", "openai-beta", "user-agent", "x-goog-api-client"];
const handedBack = ["content-type", "retry-after", "request-id", "x-request-id"];

export function createGateway(options: GatewayOptions): Gateway {
  const { meter, clock, patience } = options;

  /** Reserves for the longest answer that the budget allows. */
  async function reserve(
    caller: Caller,
    { provider, model, name }: { provider: Provider; model: Model; name: string },
    input: number,
    wanted: number,
  ) {
    for (let output = wanted; ; output = Math.floor(output / 4)) {
      try {
        const call = { model: `${provider.name}/${name}`, worst: worstOf(model, input, { output, searches: 0 }) };
        return { output, metered: await meter.begin(caller, call) };
      } catch (problem) {
        const isMoney = problem instanceof Problem && problem.code === "budget_exhausted";
        if (!isMoney || output / 4 < shortest) throw problem;
      }
    }
  }

  function send({ provider, asked, request, search, body }: Passing) {
    const headers = new Headers(credentials(provider, asked.api));
    for (const name of passedOn) {
      const value = request.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    if (body) headers.set("content-type", "application/json");
    const watched = watch(clock, patience, request.signal, options.fetch);
    const given = watched.fetch(`${provider.baseUrl}${asked.path}${search}`, {
      method: request.method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    return { given, watched };
  }

  async function pass(passing: Passing): Promise<Response> {
    const { provider, asked } = passing;
    const { given, watched } = send(passing);
    try {
      const response = await given;
      return response.ok
        ? handBack(response, await response.arrayBuffer())
        : await refused(provider, asked.api, response);
    } catch (error) {
      return unreachable(provider, asked.api, error);
    } finally {
      watched.release();
    }
  }

  async function call(caller: Caller, passing: Passing): Promise<Response> {
    const { provider, asked, body = {} } = passing;
    const { api } = asked;
    const name = asked.model ?? (typeof body.model === "string" ? body.model : "");
    if (!name) throw new Problem("invalid", "the request does not name a model");
    const model = options.model(provider, name);
    const wanted = Math.min(outputOf(api, body) ?? model.maxOutput, model.window);
    const input = tokensInBody(body);
    const { output, metered } = await reserve(caller, { provider, model, name }, input, wanted);
    const { given, watched } = send({ ...passing, body: withOutput(api, body, output) });
    const used: Partial<Used> = {};
    let over = false;
    /** `heard`: characters of an answer that was cut off before it reported its usage. */
    const end = async (heard = 0) => {
      if (over) return;
      over = true;
      watched.release();
      const { cache_read = 0, cache_write = 0 } = used;
      const guessed = Math.min(output, Math.ceil(heard / charactersPerToken));
      const whole = { input: used.input ?? input, output: used.output ?? guessed, cache_read, cache_write };
      await metered.end(costOf(model, whole), { model: `${provider.name}/${name}`, ...whole, priced: model.priced });
    };
    let response: Response;
    try {
      response = await given;
    } catch (error) {
      await end(); // it may have arrived anyway, and be counted
      return unreachable(provider, api, error);
    }
    if (response.ok && response.body)
      return handBack(response, response.body.pipeThrough(tap(api, response, used, end)));
    over = true;
    await metered.end({ usd: 0, tokens: 0 });
    return await refused(provider, api, response).finally(watched.release);
  }

  return {
    async serve(caller, { provider: name, rest, request, body }) {
      const { pathname, search } = new URL(rest, "http://here");
      const asked = readPath(request.method, pathname);
      if (!asked) throw new Problem("not_found", `the gateway does not offer ${request.method} ${pathname}`);
      if (body !== undefined && (typeof body !== "object" || body === null || Array.isArray(body)))
        throw new Problem("invalid", "the body must be a JSON object");
      try {
        const passing = { provider: options.provider(name), asked, request, search: withoutKey(search) };
        const given = { ...passing, body: body as Record<string, unknown> | undefined };
        return asked.free ? await pass(given) : await call(caller, given);
      } catch (error) {
        // Programs retry on any other status than 400, some for minutes.
        if (error instanceof Problem || error instanceof BackendError) return failed(asked.api, 400, error.message);
        throw error;
      }
    },
  };
}

/** Forwards bytes and reads the usage in passing. Reports the end, whether or not it was reached. */
function tap(api: Api, response: Response, used: Partial<Used>, end: (heard?: number) => Promise<void>) {
  const isStream = /event-stream/.test(response.headers.get("content-type") ?? "");
  const decoder = new TextDecoder();
  let line = "";
  let heard = 0;
  const read = (text: string) => {
    try {
      readUsage(api, JSON.parse(text), used);
    } catch {
      // Not JSON: not for us.
    }
  };
  const lines = (text: string) => {
    heard += text.length;
    line += text;
    if (!isStream) return;
    const all = line.split("\n");
    line = all.pop()!;
    for (const one of all) if (one.startsWith("data:") && /usage/i.test(one)) read(one.slice(5));
    if (line.length > longestLine) line = "";
  };
  // Not in place: the browser's types do not know `cancel` yet.
  const transformer = {
    transform(bytes: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) {
      lines(decoder.decode(bytes, { stream: true }));
      controller.enqueue(bytes);
    },
    async flush() {
      if (!isStream) read(line);
      else if (line.startsWith("data:")) read(line.slice(5));
      await end(heard);
    },
    async cancel() {
      await end(heard);
    },
  };
  return new TransformStream<Uint8Array, Uint8Array>(transformer);
}

const longestLine = 16 * 2 ** 20;

function handBack(response: Response, body: ReadableStream<Uint8Array> | ArrayBuffer): Response {
  const headers = new Headers();
  for (const name of handedBack) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(body, { status: response.status, headers });
}

function credentials(provider: Provider, api: Api): Record<string, string> {
  const { key, kind } = provider;
  if (!key) return {};
  if (kind === "anthropic" || api === "messages") return { "x-api-key": key };
  return kind === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

/** Gemini's clients may send their key in the URL. */
function withoutKey(search: string): string {
  const query = new URLSearchParams(search);
  query.delete("key");
  return query.size ? `?${query}` : "";
}

const failed = (api: Api, status: number, message: string): Response =>
  Response.json(errorOf(api, status, message), { status });

async function refused(provider: Provider, api: Api, response: Response): Promise<Response> {
  // A program that is told of a wrong key asks its user to log in: but it is our key that is wrong.
  if (response.status === 401 || response.status === 403) {
    await response.body?.cancel();
    return failed(
      api,
      400,
      `${provider.name} refused the key of this daemon (status ${response.status}); see ${commandRef("doctor")}`,
    );
  }
  return handBack(response, await response.arrayBuffer());
}

const unreachable = (provider: Provider, api: Api, error: unknown): Response =>
  failed(api, 502, `${provider.name} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
