/** Resource limits per caller, beyond which a request is refused. */

/** For Node's `createServer`: timeouts of requests. A response may take as long as it needs. */
export const httpLimits = {
  maxHeaderSize: 16_384,
  /** For the headers. */
  headersTimeout: 10_000,
  /** For the headers and the body of the longest upload together. Any other body has the timeout of `bodyLimits`. */
  requestTimeout: 3_600_000,
  connectionsCheckingInterval: 5_000,
  /** Between two requests of one connection: longer than clients keep theirs, so that none is closed while it is used. */
  keepAliveTimeout: 65_000,
} as const;

/** Unauthenticated connections: at most so many; more only during a short grace period. */
export const strangerLimits = { most: 500, graceMs: 1_000 } as const;

/** New connections that are read in one turn of the event loop. */
export const connectionsPerTurn = 10;

/** To be set on the server itself. */
export const serverLimits = { maxHeadersCount: 100, maxConnections: 12_000 } as const;

export const bodyLimits = { mostBytes: 4_000_000, mostDepth: 64, mostValues: 20_000, patienceMs: 10_000 } as const;

/** For a file. More than the limit is not waited for. */
export const uploadLimits = { silentMs: 30_000, mostBytes: 9 * 2 ** 30 } as const;

/** For a body before authentication: a login code and nothing else. And for an answer from a channel, which is signed as a whole. */
export const openBytes = 4_096;
export const channelBytes = 128_000;
