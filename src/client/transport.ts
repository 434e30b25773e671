/**
 * How a request reaches the routes: over HTTP to a daemon, or to the route handlers in this process. Everything above it (URLs, idempotency keys,
 * errors, event streams) is the same for both.
 */
import type { Platform } from "./platform.ts";

export interface Transport {
  /** Rejects if there was no response. A Problem is a response: a retry does not help. */
  send(path: string, init: RequestInit): Promise<Response>;
  /** Where requests go, for error messages. */
  where(): string;
  /** A request may be lost on its way, so a retry may help. */
  isLossy: boolean;
  /** No response, or the token was refused. True if the next request may go elsewhere. */
  renew?(): boolean;
}

export interface Address {
  url: string;
  token?: string | undefined;
}

/** `address` is called before every request; `renew` makes it look again. */
export function overHttp(
  ask: Platform["fetch"],
  address: () => Address | Promise<Address>,
  renew?: () => boolean,
): Transport {
  let last = "";
  return {
    isLossy: true,
    where: () => last,
    async send(path, init) {
      const { url, token } = await address();
      last = url;
      const headers = {
        ...(init.headers as Record<string, string>),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      return await ask(url + path, { ...init, headers });
    },
    ...(renew ? { renew } : {}),
  };
}

/** `handle` responds as the daemon would, for the human of this machine: no socket, no token. */
export function inProcess(handle: (request: Request) => Promise<Response>): Transport {
  return {
    isLossy: false,
    where: () => "",
    async send(path, init) {
      const { signal } = init;
      signal?.throwIfAborted();
      const answer = handle(new Request(`http://in-process${path}`, init));
      if (!signal) return await answer;
      let leave: () => void = () => undefined;
      const gone = new Promise<never>((_, reject) => {
        leave = () => reject(signal.reason);
      });
      signal.addEventListener("abort", leave, { once: true });
      try {
        return await Promise.race([answer, gone]);
      } finally {
        signal.removeEventListener("abort", leave);
        // After an abort nobody needs its error.
        answer.catch(() => undefined);
      }
    },
  };
}
