/**
 * The only network egress of a sandbox: an HTTP proxy on a socket file that is bound into it.
 *
 * Always holds: it connects only to hosts that are allowed or admitted, on ports 80 and 443, and only to the address that was resolved and found public (no DNS
 * rebinding). It forwards bytes and adds no header and no credential. Connections to it and through it are bounded per sandbox and in total: file
 * descriptors belong to the whole daemon.
 */
import * as dns from "node:dns/promises";
import { mkdtemp, rm } from "node:fs/promises";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { isPublic } from "../network/address.ts";
import { hostFits } from "../network/host.ts";
import type { Sandbox } from "../world.ts";
import * as http from "./http.ts";
import { giveToSandbox } from "./sandbox-user.ts";

export interface Proxy {
  /** The folder of the socket file, which is called `proxy`. */
  folder: string;
  close(): Promise<void>;
}

/** Resolving and connecting; tests fake the internet. */
export interface Outside {
  resolve(host: string): Promise<string[]>;
  dial(address: string, port: number): net.Socket;
  /** How long an address may take to accept a connection. After that a server may take its time: the command has a limit of its own. */
  connectMs: number;
}

const internet: Outside = {
  resolve: async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address),
  dial: (host, port) => net.connect({ host, port, keepAlive: true, keepAliveInitialDelay: 60_000 }),
  connectMs: 15_000,
};

const most = { each: 64, together: 512, addresses: 8 };
/** Connections of all sandboxes to their proxies. */
let together = 0;

/** What may be reached: these hosts, and those that are admitted. */
export type Reach = Pick<Sandbox, "hosts" | "admit" | "unreached">;

export async function openProxy({ hosts, admit, unreached }: Reach, outside: Outside = internet): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "agiraph-proxy-"));
  const open = new Set<Duplex>();
  let dialled = 0;

  /** The addresses that may be reached for this host and port; throws a message for the client. A name is resolved only once it is allowed. */
  async function allow(host: string, port: number, client: Duplex, tunnel: boolean): Promise<string[]> {
    if (![80, 443].includes(port)) throw new Error(`port ${port} is not allowed; 80 and 443 are`);
    if (!hosts.some((pattern) => hostFits(host, pattern))) {
      if (!admit) throw new Error(`${host} is not allowed; allowed hosts: ${hosts.join(", ")}`);
      const refusal = await whileOpen(client, tunnel, (signal) => admit(host, signal));
      if (refusal !== null) throw new Error(refusal);
    }
    const found = await outside.resolve(host).catch(() => fail(host, "its name was not found"));
    if (!found.length || !found.every(isPublic)) throw new Error(`${host} does not lead to a public address`);
    return found.slice(0, most.addresses);
  }

  /** A connection to the first of the addresses that accepts one. */
  async function reach(host: string, addresses: readonly string[], port: number, client: Duplex): Promise<net.Socket> {
    let why = "";
    for (const address of addresses) {
      if (client.destroyed) break;
      if (dialled >= most.each) throw new Error(`there are ${most.each} connections already; end some first`);
      dialled++;
      const there = track(outside.dial(address, port)).once("close", () => dialled--);
      const abort = () => there.destroy();
      client.once("close", abort);
      try {
        await connected(there, outside.connectMs);
        there.once("close", () => client.off("close", abort));
        return there;
      } catch (error) {
        client.off("close", abort);
        there.destroy();
        why = (error as Error).message;
      }
    }
    return fail(host, why);
  }

  function fail(host: string, why: string): never {
    unreached?.(host, why);
    throw new Unreachable(`${host} cannot be reached: ${why}`);
  }

  // What is still to be sent waits with the request until the human has answered.
  const server = http.createServer({ keepAliveTimeout: 1, requestTimeout: 0 }, async (request, response) => {
    const refuse = (status: number, why: string) => response.writeHead(status, { connection: "close" }).end(`${why}\n`);
    try {
      const url = URL.canParse(request.url ?? "") ? new URL(request.url!) : undefined;
      if (url?.protocol !== "http:") return refuse(400, "this is a proxy");
      const port = Number(url.port || 80);
      const addresses = await allow(url.hostname, port, request.socket, false);
      const there = await reach(url.hostname, addresses, port, request.socket);
      const headers = Object.entries(request.headers).filter(([name]) => !/^(proxy-|connection$)/i.test(name));
      const passed = http.request(
        {
          createConnection: () => there,
          method: request.method,
          path: url.pathname + url.search,
          headers: { ...Object.fromEntries(headers), host: url.host, connection: "close" },
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
          // The client would otherwise wait for the rest for ever.
          answer.once("close", () => answer.complete || response.destroy());
        },
      );
      passed.on("error", () =>
        response.headersSent ? response.destroy() : refuse(502, `${url.host} ended the connection without an answer`),
      );
      request.pipe(passed);
      request.once("close", () => request.complete || passed.destroy());
    } catch (error) {
      refuse(error instanceof Unreachable ? 502 : 403, (error as Error).message);
    }
  });

  server.on("connect", async (request, client, head) => {
    track(client);
    const refuse = (status: string, why: string) =>
      client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${why}\n`);
    try {
      const [, host, port] = /^([^:@/\s]+):(\d+)$/.exec(request.url ?? "") ?? [];
      if (!host) throw new Error("only host:port is allowed");
      const addresses = await allow(host, Number(port), client, true);
      const there = await reach(host, addresses, Number(port), client);
      if (client.destroyed) return void there.destroy();
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length) there.write(head);
      there.pipe(client).pipe(there);
      there.once("close", () => client.end());
    } catch (error) {
      refuse(error instanceof Unreachable ? "502 Bad Gateway" : "403 Forbidden", (error as Error).message);
    }
  });

  server.maxConnections = most.each;
  server.on("connection", (socket) => {
    if (together >= most.together) return socket.destroy();
    together++;
    socket.once("close", () => together--);
  });

  function track<T extends Duplex>(stream: T): T {
    open.add(stream);
    stream.on("error", () => undefined).once("close", () => open.delete(stream));
    return stream;
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(join(folder, "proxy"), resolve);
  });
  await giveToSandbox(folder);
  return {
    folder,
    async close() {
      for (const stream of open) stream.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It may be reached, and does not answer. */
class Unreachable extends Error {}

function connected(there: net.Socket, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    there.setTimeout(withinMs, () => reject(new Error(`no answer within ${withinMs / 1000} s`)));
    there.once("connect", () => {
      there.setTimeout(0);
      resolve();
    });
    there.once("error", reject);
    there.once("close", () => reject(new Error("the connection was closed")));
  });
}

/** The signal aborts when the client is gone. Of a tunnel nobody reads yet, so its end would not be noticed: what comes early is read and put back. */
async function whileOpen<T>(client: Duplex, tunnel: boolean, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  const early: Buffer[] = [];
  const keep = (part: Buffer) => {
    early.push(part);
    if (early.length > mostEarly) client.pause();
  };
  if (client.destroyed) abort();
  client.once("close", abort).once("end", abort);
  if (tunnel) client.on("data", keep);
  try {
    return await wait(gone.signal);
  } finally {
    client.off("close", abort).off("end", abort);
    if (tunnel) {
      client.off("data", keep).pause();
      if (early.length && !client.readableEnded) client.unshift(Buffer.concat(early));
    }
  }
}

/** Pieces; a client that was not answered yet has nothing to say. */
const mostEarly = 16;
