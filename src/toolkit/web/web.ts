/** Shared by the web tools: where they may go, their limits, and the wording of network errors. */
import { NetworkError } from "../../lib/network/network-error.ts";
import type { Network, NetworkAnswer, NetworkRequest, Threads } from "../../lib/world.ts";
import type { Config } from "../../schema/config.ts";
import { Problem } from "../../schema/problem.ts";

export interface WebOptions {
  network: Network;
  threads: Threads;
  config: Config["web"];
  /** The key of the search engine, from the variable that the config names. */
  searchKey?: string | undefined;
  /** The timeout for converting a page to Markdown. */
  readMs?: number;
}

const timeoutMs = 30_000;

export async function ask(
  network: Network,
  request: Omit<NetworkRequest, "timeoutMs" | "maxBytes"> & { maxBytes?: number },
): Promise<NetworkAnswer> {
  try {
    return await network.request({ timeoutMs, maxBytes: 5_000_000, ...request });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new Problem(error.code, error.message, undefined, { cause: error });
  }
}

/** "404 Not Found", for the ones there are words for. */
export const statusInWords = (status: number): string => `${status}${words[status] ? ` (${words[status]})` : ""}`;

const words: Record<number, string> = {
  400: "bad request",
  401: "not signed in",
  402: "payment required",
  403: "forbidden",
  404: "not found",
  410: "gone",
  429: "too many requests",
  451: "unavailable for legal reasons",
  500: "server error",
  502: "bad gateway",
  503: "unavailable",
  504: "gateway timeout",
};
