/**
 * Node's HTTP server and requests, without fetch: `import "node:http"` reads every name of the module to list it, and one of these loads all of
 * fetch, which takes ten times as long as the rest and is of no use to whoever only listens or asks a daemon.
 */
export const { createServer, request } = process.getBuiltinModule("node:http");
