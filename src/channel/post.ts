/**
 * One POST to a URL of the config. Accepted means a 2xx of that very URL; a redirect is reported as an error, because what follows it is no longer
 * our message. Errors name the host only: the rest of such a URL is often its secret.
 */
import { NetworkError } from "../lib/network/network-error.ts";
import type { Network } from "../lib/world.ts";
import type { Concern } from "../schema/delivery.ts";
import { ChannelError } from "./channel.ts";

const timeoutMs = 20_000;
const maxBytes = 256 * 1024;

/** A channel of a service that gives a URL to post to. */
export interface Webhook {
  url: string;
  for: readonly Concern[];
  network: Network;
}

export interface Post {
  url: string;
  headers?: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export async function post(network: Network, { url, headers = {}, body, signal }: Post): Promise<void> {
  const { host, hostname, port, protocol } = new URL(url);
  const own = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const answer = await network
    .request({
      url,
      method: "POST",
      headers: { "content-type": "application/json", accept: "*/*", ...headers },
      body,
      signal,
      maxBytes,
      timeoutMs,
      allowPrivate: [own],
    })
    .catch((error: unknown) => {
      throw new ChannelError(inWords(error, host));
    });
  if (withoutHash(answer.url) !== withoutHash(url))
    throw new ChannelError(`${host} redirects to another address; use that one in the config`);
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  throw new ChannelError(
    `${host} answered ${status}${remedies[status] ?? ""}`,
    retryAfter(answer.headers["retry-after"]),
  );
}

const remedies: Record<number, string> = {
  401: ": authentication required",
  403: ": access denied",
  404: ": the address is wrong or was removed",
  410: ": the address was removed",
  429: ": too many requests",
};

const reasons: Record<NetworkError["code"], string> = {
  invalid: "is not a valid address",
  forbidden: "resolves to an address that is not allowed",
  unreachable: "cannot be reached",
  limit_reached: "did not answer in time",
  too_large: "returned too much data",
  closed: "was not reached before the shutdown",
};

const inWords = (error: unknown, host: string): string =>
  error instanceof NetworkError ? `${host} ${reasons[error.code]}` : `the request to ${host} failed`;

const withoutHash = (url: string): string => url.replace(/#.*$/s, "");

/** Retry-After in seconds; a date is ignored in favour of the usual backoff. */
function retryAfter(header: string | undefined): number | undefined {
  const seconds = Number(header);
  return header !== undefined && header.trim() !== "" && seconds >= 0 && Number.isFinite(seconds) ? seconds : undefined;
}
