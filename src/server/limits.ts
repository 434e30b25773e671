/** What a caller may take of us before we refuse. */

/** For node's `createServer`: a request that does not come is not waited for. An answer may take as long as it likes. */
export const httpLimits = {
  maxHeaderSize: 16_384,
  /** For the headers. */
  headersTimeout: 10_000,
  /** For the headers and the body together: of the longest upload. Any other body is waited for as `bodyLimits` says. */
  requestTimeout: 3_600_000,
  connectionsCheckingInterval: 5_000,
  /** Between two requests of one connection: longer than clients keep theirs, so that none is closed while it is used. */
  keepAliveTimeout: 65_000,
} as const;

/** Connections without a token: so many at once, and more only as long as they have just come. */
export const strangerLimits = { most: 500, graceMs: 1_000 } as const;

/** New connections that are read in one turn of the loop; the next ones in the next. */
export const connectionsPerTurn = 10;

/** To be set on the server itself. */
export const serverLimits = { maxHeadersCount: 100, maxConnections: 12_000 } as const;

export const bodyLimits = { mostBytes: 4_000_000, mostDepth: 64, mostValues: 20_000, patienceMs: 10_000 } as const;

/** Of a file. What is more than it may be is not waited for. */
export const uploadLimits = { silentMs: 30_000, mostBytes: 9 * 2 ** 30 } as const;

/** Of a body that comes before a token does: a code and nothing else. And of an answer from a channel, which is signed as a whole. */
export const openBytes = 4_096;
export const channelBytes = 128_000;
