/**
 * The only network egress of a sandbox: an HTTP proxy on a socket file that is bound into it.
 *
 * Always holds: it connects only to the allowed hosts, on ports 80 and 443, and only to the address that was resolved and found public (no DNS
 * rebinding). It forwards bytes and adds no header and no credential. Connections to it and through it are bounded per sandbox and in total: file
 * descriptors belong to the whole daemon.
 */
import * as dns from "node:dns/promises";
import { mkdtemp, rm } from "node:fs/promises";
import * as http from "node:http";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { isPublic } from "../address.ts";
import { giveToSandbox } from "./sandbox-user.ts";

export interface Proxy {
  /** The folder of the socket file, which is called `proxy`. */
  folder: string;
  close(): Promise<void>;
}

/** Resolving and connecting; tests fake the internet. */
export interface Outside {
  resolve(host: string): Promise<string[]>;
  dial(address: string, port: number): Duplex;
}

const internet: Outside = {
  resolve: async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address),
  dial: (address, port) => net.connect({ host: address, port, timeout: 30_000 }),
};

const most = { each: 64, together: 512 };
/** Connections of all sandboxs to their proxies. */
let together = 0;

export async function openProxy(hosts: readonly string[], outside: Outside = internet): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "agiraph-proxy-"));
  const open = new Set<Duplex>();
  let dialled = 0;

  /** An address that may be reached for this host and port; throws a message for the client. */
  async function allow(host: string, port: number): Promise<string> {
    if (![80, 443].includes(port)) throw new Error(`port ${port} is not allowed; 80 and 443 are`);
    if (!hosts.some((pattern) => fits(host, pattern)))
      throw new Error(`${host} is not allowed; allowed hosts: ${hosts.join(", ")}`);
    const found = await outside.resolve(host);
    if (!found.length || !found.every(isPublic)) throw new Error(`${host} does not lead to a public address`);
    return found[0]!;
  }

  function dial(address: string, port: number): Duplex {
    if (dialled >= most.each) throw new Error(`there are ${most.each} connections already; end some first`);
    dialled++;
    return track(outside.dial(address, port)).once("close", () => dialled--);
  }

  const server = http.createServer({ keepAliveTimeout: 1 }, async (request, response) => {
    const refuse = (status: number, why: string) => response.writeHead(status, { connection: "close" }).end(`${why}\n`);
    try {
      const url = URL.canParse(request.url ?? "") ? new URL(request.url!) : undefined;
      if (url?.protocol !== "http:") return refuse(400, "this is a proxy");
      const port = Number(url.port || 80);
      const address = await allow(url.hostname, port);
      const headers = Object.entries(request.headers).filter(([name]) => !/^(proxy-|connection$)/i.test(name));
      const passed = http.request(
        {
          createConnection: () => dial(address, port) as net.Socket,
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
        response.headersSent ? response.destroy() : refuse(502, `${url.host} cannot be reached`),
      );
      request.pipe(passed);
      request.once("close", () => request.complete || passed.destroy());
    } catch (error) {
      refuse(403, (error as Error).message);
    }
  });

  server.on("connect", async (request, client, head) => {
    track(client);
    const refuse = (status: string, why: string) =>
      client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${why}\n`);
    try {
      const [, host, port] = /^([^:@/\s]+):(\d+)$/.exec(request.url ?? "") ?? [];
      if (!host) throw new Error("only host:port is allowed");
      const there = dial(await allow(host, Number(port)), Number(port));
      there.once("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        if (head.length) there.write(head);
        there.pipe(client).pipe(there);
      });
      there.once("error", () => refuse("502 Bad Gateway", `${host} cannot be reached`));
      there.once("timeout", () => there.destroy(new Error("timeout")));
      client.once("close", () => there.destroy());
      there.once("close", () => client.end());
    } catch (error) {
      refuse("403 Forbidden", (error as Error).message);
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

function fits(host: string, pattern: string): boolean {
  const [name, wanted] = [host.toLowerCase().replace(/\.$/, ""), pattern.toLowerCase()];
  return wanted.startsWith("*.") ? name.endsWith(wanted.slice(1)) : name === wanted;
}
