/** A real HTTP server on 127.0.0.1 (or another loopback address) that lives as long as the test. */
import { spawnSync } from "node:child_process";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Served {
  port: number;
  url(path?: string, host?: string): string;
  /** As `web.allow_private` names it. */
  place: string;
  asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Open connections. */
  open(): number;
}

export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => unknown,
  { address = "127.0.0.1", tls }: { address?: string; tls?: { key: string; cert: string } } = {},
): Promise<Served> {
  const asked: Served["asked"] = [];
  const listener: RequestListener = (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      asked.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      answer(request, response, body);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  const sockets = new Set<unknown>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((ready) => server.listen(0, address, ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = (path = "/", host = address) => `${tls ? "https" : "http"}://${host}:${port}${path}`;
  return { port, url, place: `${address}:${port}`, asked, open: () => sockets.size };
}

/** A key and a certificate for these hosts, made now. */
export function certificate(...hosts: string[]): { key: string; cert: string } {
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(",");
  const made = spawnSync(
    "openssl",
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout - -out - -days 2 -subj /CN=test -addext subjectAltName=${names}`.split(
      " ",
    ),
    { encoding: "utf8" },
  );
  const [key] = /-----BEGIN PRIVATE KEY[\s\S]*?END PRIVATE KEY-----/.exec(made.stdout) ?? [];
  const [cert] = /-----BEGIN CERT[\s\S]*?END CERTIFICATE-----/.exec(made.stdout) ?? [];
  if (!key || !cert) throw new Error(`openssl made no certificate: ${made.stderr}`);
  return { key, cert };
}
