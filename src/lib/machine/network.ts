/**
 * HTTP requests to URLs that somebody else chose, safe against SSRF.
 *
 * Always holds, for the first URL and for every redirect: the host is resolved once, every address found is public, and the connection goes to one
 * of exactly these addresses, so a name that changes its answer between check and use (DNS rebinding) gains nothing. Credentials stay with the
 * origin they were meant for. Time, size and decompressed size are bounded; an abort is immediate.
 *
 * Not covered: proxies (the environment's are not used), HTTP/2, cookies, caching.
 */
import { lookup } from "node:dns/promises";
import { familyOf, isPublic } from "../network/address.ts";
import { NetworkError } from "../network/network-error.ts";
import { nameOf, notPublic, parseTarget, type Target, withoutSecrets } from "../network/target.ts";
import type { Network, NetworkAnswer, NetworkRequest } from "../world.ts";
import { encodings, readBody, TooLarge, unpack } from "./body.ts";

const mostRedirects = 5;
/** Timeout for the headers. */
const headersMs = 15_000;
const agentName = "Mozilla/5.0 (compatible; Agiraph)";

export interface Address {
  address: string;
  family: number;
}

export interface NetworkOptions {
  /** Tests replace the system's resolver. */
  resolve?(host: string): Promise<Address[]>;
  /** Certificates to trust instead of the usual ones. */
  ca?: string;
}

interface Hop {
  target: Target;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export function createNetwork({ resolve = (host) => lookup(host, { all: true }), ca }: NetworkOptions = {}): Network {
  return {
    async request(request) {
      const { url, method = "GET", headers = {}, body, allowPrivate } = request;
      const limit = createLimit(request);
      try {
        let hop: Hop = { target: parseTarget(url, allowPrivate), method, headers, body };
        for (let redirects = 0; ; redirects++) {
          limit.at(hop.target.url);
          const answer = await exchange(hop, request, limit);
          const to = next(hop, answer, allowPrivate);
          if (!to) return answer;
          if (redirects === mostRedirects)
            throw new NetworkError(
              "limit_reached",
              `${nameOf(new URL(url))} was redirected more than ${mostRedirects} times; fetch the final address`,
            );
          hop = to;
        }
      } finally {
        limit.end();
      }
    },
  };

  async function exchange(hop: Hop, request: NetworkRequest, limit: Limit): Promise<NetworkAnswer> {
    const { target, method, headers, body } = hop;
    const { url } = target;
    const addresses = await limit.race(addressesOf(target));
    const { Agent } = await import("undici");
    const agent = new Agent({
      allowH2: false,
      connect: {
        ...(ca && { ca }),
        lookup: (_host, options, done) =>
          options.all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family),
      },
    });
    try {
      limit.headers();
      // Raced, because a request that is still connecting ignores the signal.
      const given = await limit.race(
        agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: method as "GET",
          headers: { "user-agent": agentName, ...headers, "accept-encoding": encodings },
          body: body ?? null,
          signal: limit.signal,
        }),
      );
      limit.body();
      const found = flat(given.headers);
      if (redirecting(given.statusCode) && found.location !== undefined)
        return { url: url.href, status: given.statusCode, headers: found, body: Buffer.alloc(0) };
      const packed = await readBody(given.body, request.maxBytes);
      const unpacked = await limit.race(unpack(packed, found["content-encoding"] ?? "", request.maxBytes));
      return { url: url.href, status: given.statusCode, headers: found, body: unpacked };
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : inWords(error, url, request.maxBytes);
    } finally {
      void agent.destroy(); // not awaited: it may be in the middle of connecting
    }
  }

  async function addressesOf({ url, host, literal, allowed }: Target): Promise<Address[]> {
    const found = literal ? [{ address: host, family: familyOf(host) }] : await find(host, url);
    const bad = found.find(({ address }) => !isPublic(address));
    if (bad && !allowed)
      throw notPublic(url, literal ? "an address that is not public" : `${bad.address}, which is not public`);
    return found;
  }

  async function find(host: string, url: URL): Promise<Address[]> {
    try {
      const found = await resolve(host);
      if (found.length > 0) return found;
    } catch (error) {
      throw new NetworkError("unreachable", `${nameOf(url)} cannot be reached: there is no host ${host}`, {
        cause: error,
      });
    }
    throw new NetworkError("unreachable", `${nameOf(url)} cannot be reached: ${host} has no address`);
  }
}

export const network = createNetwork();

const redirecting = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** The redirect of a response, and what is sent along; undefined if it is the last one. */
function next(hop: Hop, answer: NetworkAnswer, allowPrivate: readonly string[] | undefined): Hop | undefined {
  if (!redirecting(answer.status) || answer.headers.location === undefined) return undefined;
  const from = hop.target.url;
  const location = Buffer.from(answer.headers.location, "latin1").toString(); // servers write UTF-8 there
  if (!URL.canParse(location, from.href))
    throw new NetworkError("unreachable", `${nameOf(from)} redirects to an invalid URL`);
  const target = parseTarget(new URL(location, from).href, allowPrivate);
  const to = target.url;
  const asGet = answer.status === 303 || (answer.status < 303 && hop.method === "POST");
  const method = asGet ? "GET" : hop.method;
  const body = asGet ? undefined : hop.body;
  if (to.origin === from.origin) return { target, method, headers: hop.headers, body };
  const headers = withoutSecrets(hop.headers);
  const stripped = Object.keys(headers).length < Object.keys(hop.headers).length;
  if (body !== undefined || (stripped && to.protocol === "http:" && from.protocol === "https:"))
    throw new NetworkError(
      "forbidden",
      `${nameOf(from)} redirects to ${nameOf(to)}; the request's data is meant for ${from.origin} only`,
    );
  return { target, method, headers, body };
}

type Limit = ReturnType<typeof createLimit>;

/** The end of a request: the caller's abort, the total timeout, the timeout for headers. Its reason is the error to throw. */
function createLimit({ signal, timeoutMs }: NetworkRequest) {
  const stop = new AbortController();
  let where = "the request";
  const late = (what: string, ms: number) =>
    setTimeout(() => stop.abort(new NetworkError("limit_reached", `${where} ${what} within ${ms / 1000} s`)), ms);
  const closed = () => stop.abort(new NetworkError("closed", `${where} was stopped`));
  const total = late("did not answer in full", timeoutMs);
  let silent: NodeJS.Timeout | undefined;
  if (signal.aborted) closed();
  signal.addEventListener("abort", closed, { once: true });
  return {
    signal: stop.signal,
    at(url: URL) {
      where = nameOf(url);
      if (stop.signal.aborted) throw stop.signal.reason;
    },
    headers() {
      if (headersMs < timeoutMs) silent = late("did not answer", headersMs);
    },
    body: () => clearTimeout(silent),
    /** For work that cannot be aborted: stops waiting for it. */
    race<T>(work: Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        const abort = () => reject(stop.signal.reason);
        if (stop.signal.aborted) abort();
        stop.signal.addEventListener("abort", abort, { once: true });
        work.then(resolve, reject).finally(() => stop.signal.removeEventListener("abort", abort));
      });
    },
    end() {
      clearTimeout(total);
      clearTimeout(silent);
      signal.removeEventListener("abort", closed);
    },
  };
}

function inWords(error: unknown, url: URL, most: number): NetworkError {
  if (error instanceof NetworkError) return error;
  const name = nameOf(url);
  if (error instanceof TooLarge)
    return new NetworkError(
      "too_large",
      `${name} returned more than ${most.toLocaleString("en-US")} bytes, the maximum`,
    );
  const { code, message } = error as NodeJS.ErrnoException;
  const why = (code && causes[code]) ?? (code ? `${message} (${code})` : message);
  return new NetworkError("unreachable", `${name} cannot be reached: ${why}`, { cause: error });
}

const causes: Record<string, string> = {
  ECONNREFUSED: "nothing is listening there",
  ECONNRESET: "the connection was lost",
  EHOSTUNREACH: "there is no route to this host",
  ENETUNREACH: "there is no route to this network",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_SOCKET: "the connection was lost",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too long",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(", ")]);
  return Object.fromEntries(entries);
}
