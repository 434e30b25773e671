/**
 * A web of a few pages, and threads that are none: the module is imported here and its work done at once. What the simulation plays is imported
 * beforehand: an import takes time that is not simulated.
 *
 * Not simulated: time and faults of a network. A URL that is not in the table refuses, as a machine without a network would.
 */
import { NetworkError } from "../src/lib/network/network-error.ts";
import { nameOf, parseTarget } from "../src/lib/network/target.ts";
import type { Network, NetworkRequest, Threads } from "../src/lib/world.ts";
import inspect from "../src/runtime/check/inspect-thread.ts";

export interface SimPage {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

/** Pages by URL, or whoever answers. */
export type SimWeb = Record<string, SimPage> | ((request: NetworkRequest) => SimPage | undefined);

export function createNetwork(web: SimWeb = {}): Network {
  return {
    async request(request) {
      const { url } = parseTarget(request.url, request.allowPrivate);
      if (request.signal.aborted) throw new NetworkError("closed", `${nameOf(url)} was stopped`);
      const page = typeof web === "function" ? web(request) : web[url.href];
      if (!page) throw new NetworkError("unreachable", `${nameOf(url)} cannot be reached: nothing is listening there`);
      const body = Buffer.from(page.body ?? "");
      if (body.length > request.maxBytes) throw new NetworkError("too_large", `${nameOf(url)} is too large`);
      return { url: url.href, status: page.status ?? 200, headers: page.headers ?? {}, body };
    },
  };
}

const known: Record<string, (input: never) => unknown> = { "inspect-thread.ts": inspect };

export const threads: Threads = {
  async run({ module, input }) {
    const work = known[module.pathname.split("/").at(-1)!] ?? ((await import(module.href)).default as typeof inspect);
    return structuredClone(await work(structuredClone(input) as never));
  },
};
